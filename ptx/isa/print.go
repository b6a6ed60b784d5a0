package isa

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/arith"
)

// String lists the steps of the formula.
func (f *Formula) String() string {
	var b strings.Builder
	b.WriteString(f.Opcode.Text)
	for i, t := range f.Sources {
		fmt.Fprintf(&b, " x%d:%s", i, suffix(t))
	}
	for i, s := range f.Steps {
		fmt.Fprintf(&b, "\n  x%d = ", len(f.Sources)+i)
		switch s.Kind {
		case Literal:
			fmt.Fprint(&b, s.Int)
		case Opaque:
			b.WriteString(f.Opcode.Text)
		default:
			fmt.Fprintf(&b, "%v.%s", s.Op, suffix(s.Type))
		}
		for _, a := range s.Args {
			fmt.Fprintf(&b, " x%d", a)
		}
	}
	b.WriteString("\n  gives")
	for _, r := range f.Results {
		fmt.Fprintf(&b, " x%d:%s", r.Number, suffix(r.Type))
	}
	return b.String()
}

// suffix returns a type as PTX writes it.
func suffix(t arith.Type) string {
	switch {
	case t.Bits == 1:
		return "pred"
	case t.Signed:
		return fmt.Sprintf("s%d", t.Bits)
	}
	return fmt.Sprintf("u%d", t.Bits)
}
