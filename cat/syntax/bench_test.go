package syntax

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

// BenchmarkParse reads a model of about 400 lines.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	for strings.Count(text.String(), "\n") < 400 {
		for _, m := range models(b) {
			f := mustParse(b, m.Text)
			text.WriteString((&File{Stmts: f.Stmts}).String())
		}
	}
	f := src.NewFile("model.cat", text.String())
	b.SetBytes(int64(len(f.Text)))
	for b.Loop() {
		if _, err := Parse(f); err != nil {
			b.Fatal(err)
		}
	}
}
