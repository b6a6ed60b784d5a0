package plan

// Specialize leaves out of the stages from first on what the stages before them decide: these
// have run, and their values stay. A program without atomics, say, leaves nothing of what a
// model says about atomics. It returns a check that is sure to fail, or Passed.
func (f *Frame) Specialize(first int) int {
	clear(f.settled)
	for _, in := range f.plan.Inputs {
		f.settled[in.Slot] = in.Of.stage() < first
	}
	for _, s := range f.plan.stages[:first] {
		f.settleAll(s.code)
	}
	for s := range f.void {
		f.void[s] = f.settled[s] && empty(f.value(Slot(s)))
	}
	for s := first; s < len(f.code); s++ {
		if i := s - FirstChoice.Stage(); i >= 0 {
			c := &f.plan.Choices[i]
			f.settle(c.Slot, f.cannotChoose(c))
		}
		kept, check := f.specialize(f.kept[s][:0], f.plan.stages[s].code)
		if f.kept[s], f.code[s] = kept, kept; check != Passed {
			return check
		}
	}
	return Passed
}

// Silent reports that a report raises nothing, whatever is still open: what Specialize knows to
// stay empty decides it.
func (f *Frame) Silent(report int) bool {
	c := &f.plan.Reports[report]
	for s := range c.Of.stage() + 1 {
		for _, in := range f.plan.stages[s].reports {
			if in.op == OpFixpoint {
				return false // a rare thing to report
			}
			if in.op != opCheck {
				f.settleStep(&in)
			}
		}
		f.fresh[s] = false
	}
	return f.settled[c.X] && f.holds(c) == c.Undefined
}

// settleAll notes that code has run.
func (f *Frame) settleAll(code []instr) {
	for i := range code {
		switch in := &code[i]; in.op {
		case opCheck:
		case OpFixpoint:
			for _, s := range f.plan.loops[in.fix].reached {
				f.settled[s] = true
			}
		default:
			f.settled[in.dst] = true
		}
	}
}

// settle notes whether a value is sure to be empty; if not, it is not settled.
func (f *Frame) settle(s Slot, void bool) {
	f.settled[s], f.void[s] = void, void
	if void {
		clear(f.value(s))
	}
}

// cannotChoose reports that the only relation of a family is empty.
func (f *Frame) cannotChoose(c *Choice) bool {
	switch c.Family {
	case Completions, PartialOrders:
		return f.void[c.Args[0]] && f.void[c.Args[1]]
	case Orientations:
		return f.void[c.Args[0]]
	}
	return false
}

// specialize appends to kept what is left of code. It stops at a check that is sure to fail.
func (f *Frame) specialize(kept, code []instr) ([]instr, int) {
	for i := 0; i < len(code); i++ {
		in := code[i]
		switch in.op {
		case OpFixpoint:
			body := code[i+1 : i+1+int(in.inner)]
			kept = f.specializeLoop(kept, in, body)
			i += len(body)
		case opCheck:
			c := &f.plan.Checks[in.x]
			switch {
			case f.dead[in.x]:
			case !f.settled[c.X], f.guards.Group(int(in.x)) != 0 && !f.holds(c):
				kept = append(kept, in)
			case !f.holds(c):
				return kept, int(in.x)
			default:
				f.dead[in.x] = true
			}
		default:
			if !f.settleStep(&in) {
				kept = append(kept, in)
			}
		}
	}
	return kept, Passed
}

// settleStep reports that the result of a step is settled: it follows from what is settled,
// or is sure to be empty.
func (f *Frame) settleStep(in *instr) bool {
	if (in.x < 0 || f.settled[in.x]) && (in.y < 0 || f.settled[in.y]) {
		f.step(in)
		f.settled[in.dst], f.void[in.dst] = true, empty(f.value(in.dst))
		return true
	}
	f.settle(in.dst, f.staysEmpty(in))
	return f.settled[in.dst]
}

// specializeLoop first takes all that a fixpoint has reached to be empty: if its body adds
// nothing to that, it is.
func (f *Frame) specializeLoop(kept []instr, in instr, body []instr) []instr {
	l := &f.plan.loops[in.fix]
	at := len(kept)
	for assumed := true; ; assumed = false {
		for _, s := range l.reached {
			f.settle(s, assumed)
		}
		kept, _ = f.specialize(append(kept[:at], in), body) // there are no checks in it
		nothing := true
		for _, s := range l.next {
			nothing = nothing && f.void[s]
		}
		switch {
		case assumed && nothing:
			return kept[:at]
		case !assumed:
			kept[at].inner = int32(len(kept) - at - 1)
			return kept
		}
	}
}

// staysEmpty reports whether the result of a step is sure to be empty.
func (f *Frame) staysEmpty(in *instr) bool {
	strict := in.op.Row().Strict
	return strict[0] && f.void[in.x] || strict[1] && f.void[in.y]
}
