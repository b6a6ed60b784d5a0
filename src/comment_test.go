package src_test

import (
	"testing"

	"github.com/muster-gpu/muster/src"
)

func TestCommentEnd(t *testing.T) {
	tests := []struct {
		text   string
		end    int
		closed bool
	}{
		{"x // y", 0, true},
		{"// a /* b\nx", 9, true},
		{"// the end", 10, true},
		{"/* a // (* */ x", 13, true},
		{"/*/", 3, false},
		{"/**/", 4, true},
		{"(* a (* b *) c *) x", 17, true},
		{"(* a (* b *) c", 14, false},
		{"(*)", 3, false},
		{"(**)", 4, true},
		{"*) x", 0, true},
	}
	for _, tt := range tests {
		if end, closed := src.CommentEnd(tt.text, 0); end != tt.end || closed != tt.closed {
			t.Errorf("%q: %d, %v, want %d, %v", tt.text, end, closed, tt.end, tt.closed)
		}
	}
}
