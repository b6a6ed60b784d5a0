package plan

// specialize appends to kept what is left of code without what is sure to be empty.
func (f *Frame) specialize(kept, code []instr) []instr {
	for i := 0; i < len(code); i++ {
		in := code[i]
		switch in.op {
		case opFixpoint:
			body := code[i+1 : i+1+int(in.inner)]
			kept = f.specializeLoop(kept, in, body)
			i += len(body)
		case opCheck:
			c := &f.plan.Checks[in.x]
			if f.dead[in.x] = f.void[c.X] && !c.Negated; !f.dead[in.x] {
				kept = append(kept, in)
			}
		default:
			if f.void[in.dst] = f.staysEmpty(&in); !f.void[in.dst] {
				kept = append(kept, in)
			}
		}
	}
	return kept
}

// specializeLoop first takes all that a fixpoint has reached to be empty: if its body adds
// nothing to that, it is.
func (f *Frame) specializeLoop(kept []instr, in instr, body []instr) []instr {
	l := &f.plan.loops[in.fix]
	at := len(kept)
	for assumed := true; ; assumed = false {
		for _, s := range l.reached {
			f.void[s] = assumed
		}
		kept = f.specialize(append(kept[:at], in), body)
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

// staysEmpty reports that the result of a step is sure to be empty.
func (f *Frame) staysEmpty(in *instr) bool {
	x, y := in.x >= 0 && f.void[in.x], in.y >= 0 && f.void[in.y]
	switch in.op {
	case opUnion:
		return x && y
	case opInter, opSeq, opProduct, opFrom, opTo:
		return x || y
	case opDiff, opPlus, opInverse, opIdentity, opDomain, opRange:
		return x
	case opEmpty:
		return true
	}
	return false
}
