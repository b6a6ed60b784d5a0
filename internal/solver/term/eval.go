package term

// Model gives values to variables and functions.
type Model struct {
	Vars map[string]uint64                       // missing variables are 0
	App  func(name string, args []uint64) uint64 // nil if there are no functions
}

// Eval returns the value of a term under a model.
func (m *Model) Eval(t *Term) uint64 { return m.eval(t, map[*Term]uint64{}) }

// Evaluator returns an evaluator that memoises terms, for terms that share subterms.
func (m *Model) Evaluator() func(*Term) uint64 {
	known := map[*Term]uint64{}
	return func(t *Term) uint64 { return m.eval(t, known) }
}

func (m *Model) eval(t *Term, known map[*Term]uint64) uint64 {
	if v, ok := known[t]; ok {
		return v
	}
	args := make([]uint64, len(t.args))
	for i, a := range t.args {
		args[i] = m.eval(a, known)
	}
	var v uint64
	switch t.op {
	case Const:
		v = t.k
	case Var:
		v = m.Vars[t.name]
	case App:
		v = m.App(t.name, args)
	case Sum:
		v = t.k
		for i, a := range args {
			v += t.coefs[i] * a
		}
	case ZExt:
		v = args[0]
	case Extract:
		v = args[0] >> t.k
	default:
		v = value(t.op, t.width, args)
	}
	v &= Mask(t.width)
	known[t] = v
	return v
}

// value returns the value of an operation that depends on its operands only.
func value(op Op, width int, x []uint64) uint64 {
	switch op {
	case Mul:
		return x[0] * x[1] & Mask(width)
	case UDiv:
		if x[1] == 0 {
			return Mask(width)
		}
		return x[0] / x[1]
	case URem:
		if x[1] == 0 {
			return x[0]
		}
		return x[0] % x[1]
	case And:
		return x[0] & x[1]
	case Or:
		return x[0] | x[1]
	case Xor:
		return x[0] ^ x[1]
	case Shl:
		if x[1] >= uint64(width) {
			return 0
		}
		return x[0] << x[1] & Mask(width)
	case LShr:
		if x[1] >= uint64(width) {
			return 0
		}
		return x[0] >> x[1]
	case Ite:
		if x[0] != 0 {
			return x[1]
		}
		return x[2]
	case Eq:
		return truth(x[0] == x[1])
	case ULt:
		return truth(x[0] < x[1])
	}
	panic("term: " + op.String() + " has no value by its operands alone")
}

func truth(holds bool) uint64 {
	if holds {
		return 1
	}
	return 0
}
