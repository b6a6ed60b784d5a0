package isa

// Instruction is an instruction as a thread meets it.
type Instruction interface {
	// Class is the class of the instruction.
	Class() Class
	// Formula returns the computation from the sources: the comparison of a branch that compares,
	// and nil for other branches.
	Formula() *Formula
}

// Machine is a thread that executes instructions I over values V. It implements registers and
// memory, and handles decisions that depend on unknown values; Execute says in which order it does
// what. So one description of PTX serves concrete values, expressions and terms, on one path or on
// all, as the monad of herd's semantics does for its instruction sets (Alglave, Maranget,
// Tautschnig, "Herding Cats", Sec. 8.1).
type Machine[V any, I Instruction] interface {
	// Guard is the predicate of an instruction, and the truth that it must have. An instruction
	// without one is not guarded.
	Guard(in I) (p V, want, guarded bool, err error)
	// Decide reports whether a predicate is true on this path. If both are possible, it is, and
	// another path begins that passes over the instruction.
	Decide(in I, p V, want bool) (bool, error)
	// Pass passes over an instruction because of a predicate. The registers that the instruction
	// would have set then depend on the predicate, too.
	Pass(in I, p V)
	// Sources are the values of the source operands.
	Sources(in I) ([]V, error)
	// Compute applies the formula of an instruction to its sources. The results depend on all
	// sources, even on those that the formula ignores.
	Compute(in I, sources []V) ([2]V, error)
	// Set assigns the results to the destinations.
	Set(in I, results [2]V) error
	// Jump goes to the target of a branch, unless a bound on loops ends the path.
	Jump(in I) error
	// End ends the thread, or the function.
	End(in I) error
	// Perform does what instructions of the other classes do, in memory and among threads.
	Perform(in I) error
}

// Execute executes an instruction of a thread.
func Execute[V any, I Instruction](m Machine[V, I], in I) error {
	p, want, guarded, err := m.Guard(in)
	if err != nil {
		return err
	}
	if guarded {
		if runs, err := decide(m, in, p, want); err != nil || !runs {
			return err
		}
	}
	switch in.Class() {
	case ClassReturn, ClassExit:
		return m.End(in)
	case ClassBranch:
		return branch(m, in)
	case ClassArithmetic, ClassConvert, ClassMove, ClassAddress, ClassFloat:
		results, err := compute(m, in)
		if err != nil {
			return err
		}
		return m.Set(in, results)
	}
	return m.Perform(in)
}

// decide is Decide; where it says no, the instruction is passed.
func decide[V any, I Instruction](m Machine[V, I], in I, p V, want bool) (bool, error) {
	holds, err := m.Decide(in, p, want)
	if err == nil && !holds {
		m.Pass(in, p)
	}
	return holds, err
}

// branch jumps; a branch that compares, if the comparison holds.
func branch[V any, I Instruction](m Machine[V, I], in I) error {
	if in.Formula() != nil {
		holds, err := compute(m, in)
		if err != nil {
			return err
		}
		if taken, err := decide(m, in, holds[0], true); err != nil || !taken {
			return err
		}
	}
	return m.Jump(in)
}

func compute[V any, I Instruction](m Machine[V, I], in I) (results [2]V, err error) {
	sources, err := m.Sources(in)
	if err != nil {
		return results, err
	}
	return m.Compute(in, sources)
}
