package syntax

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/expect"
	"github.com/muster-gpu/muster/src"
)

// TestErrors reads the files of testdata/errors. They have parts separated by ---, each read as a
// file of its own, whose comments state its errors.
func TestErrors(t *testing.T) {
	expect.Files(t, "testdata/errors/*.cat", func(t *testing.T, f *src.File) {
		_, err := Parse(f)
		got, _ := err.(src.Diagnostics)
		expect.Errors(t, f, got)
	})
}

// TestUnclosedString is separate because the comment with the expected error would be inside the
// string.
func TestUnclosedString(t *testing.T) {
	f := src.NewFile("test.cat", "include \"cos.cat\nlet a = b ) c\n include \"")
	_, err := Parse(f)
	want := `test.cat:1:9: expected " to go with this string, found the end of the line
    include "cos.cat
            ^
test.cat:2:11: expected an operator or a statement, found )
    let a = b ) c
              ^
test.cat:3:10: expected " to go with this string, found the end of the line
     include "
             ^`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}
