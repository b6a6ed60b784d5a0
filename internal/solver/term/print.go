package term

import (
	"fmt"
	"strings"
)

// String returns the term in readable form: operands in parentheses, sums as sums.
func (t *Term) String() string {
	switch t.op {
	case Const:
		return fmt.Sprint(t.k)
	case Var:
		return t.name
	case Sum:
		return t.sumString()
	case Extract:
		return fmt.Sprintf("%v[%d:%d]", t.args[0], int(t.k)+t.width-1, t.k)
	case ZExt:
		return fmt.Sprintf("zext%d(%v)", t.width, t.args[0])
	}
	name := t.op.String()
	if t.op == App {
		name = t.name
	}
	args := make([]string, len(t.args))
	for i, a := range t.args {
		args[i] = a.String()
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

func (t *Term) sumString() string {
	var s strings.Builder
	s.WriteByte('(')
	for i, a := range t.args {
		c := signed(t.coefs[i], t.width)
		switch {
		case c < 0:
			s.WriteString(" - ")
			c = -c
		case i > 0:
			s.WriteString(" + ")
		}
		if c != 1 {
			fmt.Fprintf(&s, "%d*", uint64(c))
		}
		s.WriteString(a.String())
	}
	switch k := signed(t.k, t.width); {
	case k < 0:
		fmt.Fprintf(&s, " - %d", uint64(-k))
	case k > 0:
		fmt.Fprintf(&s, " + %d", k)
	}
	s.WriteByte(')')
	return strings.Replace(s.String(), "( - ", "(-", 1)
}
