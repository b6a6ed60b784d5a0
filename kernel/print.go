package kernel

import (
	"fmt"
	"io"
	"strings"
)

// String returns the opcode with its operands, as PTX writes them.
func (in *Instr) String() string {
	var s strings.Builder
	if in.Guard != nil {
		s.WriteByte('@')
		if in.Unless {
			s.WriteByte('!')
		}
		s.WriteString(in.Guard.Name + " ")
	}
	s.WriteString(in.Opcode)
	for i, o := range in.Ops {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(" " + o.String())
	}
	return s.String() + ";"
}

func (o Operand) String() string {
	switch {
	case !o.Negated:
		return o.plain()
	case o.Kind == Reg:
		return "!" + o.plain()
	}
	return "-" + o.plain()
}

// plain returns the operand without a negation.
func (o *Operand) plain() string {
	switch o.Kind {
	case Reg:
		s := o.Register.Name
		if o.Part != "" {
			s += "." + o.Part
		}
		return s + o.second()
	case Integer:
		return fmt.Sprint(int64(o.Bits))
	case Float:
		return fmt.Sprintf("0%c%0*X", " fd"[o.Size/32], o.Size/4, o.Bits)
	case Address:
		return "[" + join(o.List) + signed(o.Offset) + "]"
	case Var:
		return o.Variable.Name + signed(o.Offset)
	case Vector:
		return "{" + join(o.List) + "}"
	case Tuple:
		return "(" + join(o.List) + ")"
	}
	return o.Name + o.second()
}

func (o *Operand) second() string {
	if o.Second == nil {
		return ""
	}
	return "|" + o.Second.Name
}

func signed(offset int64) string {
	if offset == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", offset)
}

func join(list []Operand) string {
	var all []string
	for _, o := range list {
		all = append(all, o.String())
	}
	return strings.Join(all, ", ")
}

// Format writes the instructions of a function as the reader understood them, one a line with its
// number and labels.
func (f *Function) Format(w io.Writer) error {
	for i, in := range f.Instrs {
		for _, l := range in.Labels {
			if _, err := fmt.Fprintf(w, "%s:\n", l); err != nil {
				return err
			}
		}
		place := ""
		if in.Place != nil {
			place = fmt.Sprintf("  // %d:%d:%d", in.Place.File, in.Place.Line, in.Place.Column)
		}
		if _, err := fmt.Fprintf(w, "%4d  %v%s\n", i, in, place); err != nil {
			return err
		}
	}
	return nil
}
