package term

// Renaming replaces the variables of terms: it turns terms of one thread into terms of another.
type Renaming struct {
	b     *Builder
	of    func(v *Term) *Term
	known map[*Term]*Term
}

// Rename returns a renaming; of returns the term for a variable, possibly the variable itself.
func (b *Builder) Rename(of func(v *Term) *Term) *Renaming {
	return &Renaming{b, of, map[*Term]*Term{}}
}

// Term returns t with its variables renamed.
func (r *Renaming) Term(t *Term) *Term {
	if made, ok := r.known[t]; ok {
		return made
	}
	made := r.make(t)
	r.known[t] = made
	return made
}

func (r *Renaming) make(t *Term) *Term {
	if t.op == Const {
		return t
	}
	if t.op == Var {
		return r.of(t)
	}
	same := true
	args := make([]*Term, len(t.args))
	for i, a := range t.args {
		args[i] = r.Term(a)
		same = same && args[i] == a
	}
	if same {
		return t
	}
	return r.b.remake(t, args)
}

// remake returns t with other operands.
func (b *Builder) remake(t *Term, x []*Term) *Term {
	switch t.op {
	case App:
		return b.App(t.name, t.width, x...)
	case Sum:
		l := linear{width: t.width, k: t.k}
		for i, a := range x {
			l.add(a, t.coefs[i])
		}
		return b.sum(&l)
	case Mul:
		return b.Mul(x[0], x[1])
	case UDiv:
		return b.UDiv(x[0], x[1])
	case URem:
		return b.URem(x[0], x[1])
	case And, Or, Xor:
		return b.bitwise(t.op, x[0], x[1])
	case Shl:
		return b.Shl(x[0], x[1])
	case LShr:
		return b.LShr(x[0], x[1])
	case ZExt:
		return b.ZExt(x[0], t.width)
	case Extract:
		return b.Extract(x[0], int(t.k), t.width)
	case Ite:
		return b.Ite(x[0], x[1], x[2])
	case Eq:
		return b.Eq(x[0], x[1])
	}
	return b.ULt(x[0], x[1])
}
