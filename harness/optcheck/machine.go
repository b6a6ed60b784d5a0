package optcheck

import (
	"fmt"
	"slices"
	"strings"
)

// accessKind is the effect of an opcode on memory.
type accessKind struct {
	kind  kind
	space space
}

// accesses are the opcodes that access global and shared memory.
var accesses = map[string]accessKind{
	"LD": {load, generic}, "LDG": {load, inGlobal}, "LDS": {load, inShared},
	"ST": {store, generic}, "STG": {store, inGlobal}, "STS": {store, inShared},
	"ATOM": {atomic, generic}, "ATOMG": {atomic, inGlobal}, "ATOMS": {atomic, inShared},
	"RED": {reduction, generic}, "REDG": {reduction, inGlobal},
}

func (in *instruction) isLoad() bool {
	a, ok := accesses[in.opcode]
	return ok && (a.kind == load || a.kind == atomic)
}

// isOperation reports whether an instruction is a memory operation. BAR.SYNC, BAR.ARV and BAR.RED
// are barriers; other BARs only query them.
func (in *instruction) isOperation() bool {
	switch in.opcode {
	case "MEMBAR", "CCTL", "UCGABAR_ARV", "UCGABAR_WAIT":
		return true
	case "BAR":
		return in.has("SYNC") || in.has("ARV") || in.has("RED")
	}
	_, ok := accesses[in.opcode]
	return ok || in.isIssue()
}

// isSpill reports whether an instruction accesses the thread's local memory.
func (in *instruction) isSpill() bool { return in.opcode == "LDL" || in.opcode == "STL" }

func (in *instruction) isControl() bool {
	return slices.Contains([]string{"BRA", "JMP", "CALL", "EXIT", "RET", "BRX", "JMX"}, in.opcode)
}

// strengths are the modifiers for the scope of an access or fence. .STRONG precedes that of a
// strong access: .SYS alone is what sm_70 and sm_75 write for a weak one.
var strengths = map[string]strength{"CTA": cta, "SM": cta, "GPU": gpu, "SYS": system}

func (in *instruction) strength() strength {
	switch {
	case in.has("MMIO"):
		return mmio
	case in.opcode != "MEMBAR" && !in.has("STRONG"):
		return weak
	}
	for _, m := range in.mods {
		if s, ok := strengths[m]; ok {
			return s
		}
	}
	return weak
}

// widths are the modifiers for the bits of an access, which has 32 by default.
var widths = map[string]int{"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128}

func (in *instruction) width() int {
	for _, m := range in.mods {
		if n, ok := widths[m]; ok {
			return n
		}
	}
	return 32
}

// functions are the modifiers for the operation of atomics and reductions. POPC.INC adds the number
// of threads that execute it together; CAST is half of a loop.
var functions = map[string]string{
	"ADD": "ADD", "MIN": "MIN", "MAX": "MAX", "INC": "INC", "DEC": "DEC", "AND": "AND", "OR": "OR", "XOR": "XOR",
	"EXCH": "EXCH", "CAS": "CAS", "CAST": "CAST", "POPC": "ADD",
}

func (in *instruction) function() string {
	for _, m := range in.mods {
		if f, ok := functions[m]; ok {
			return f
		}
	}
	return ""
}

// operation returns a memory operation without its address and dependencies.
func (in *instruction) operation() operation {
	o := operation{text: in.text}
	switch a, ok := accesses[in.opcode]; {
	case ok:
		o.kind, o.space, o.bits = a.kind, a.space, in.width()
		if a.kind == atomic || a.kind == reduction {
			o.function = in.function()
		}
		if o.space != inShared {
			o.strength = in.strength()
		}
	case in.opcode == "MEMBAR":
		o.kind, o.strength, o.function = fence, in.strength(), "ALL"
		if in.has("SC") {
			o.function = "SC"
		}
	case in.opcode == "CCTL":
		o.kind = invalidation
	case in.isIssue():
		o.kind, o.function = asynchronous, in.issue()
	default:
		o.kind = barrier
		_, o.function, _ = strings.Cut(in.opcode, "UCGABAR_")
	}
	return o
}

// access appends a memory operation to the path.
func (w *walker) access(in *instruction, guard deps) {
	eval := w.evaluator()
	o := in.operation()
	o.index, o.ctrl = w.pc, w.ctrl|guard
	writes, reads := in.split()
	for _, operand := range reads {
		if strings.Contains(operand, "[") && !bankOperand.MatchString(operand) {
			address := eval.address(operand, o.space != inShared)
			if o.addr |= address.from; o.kind != asynchronous {
				o.place = w.locate(address, o.space)
			}
		} else if o.kind != fence && o.kind != barrier {
			o.data |= eval.both(operand, o.bits)
		}
	}
	n := len(w.path.ops)
	o.waits = w.issue.operation(in.control, n)
	w.path.add(o)
	w.idle = map[int]int{}
	for i, name := range writes {
		if predicateName.MatchString(name) {
			if name != "PT" {
				w.preds[name] = question(fmt.Sprintf("%s after %d", name, n), 1<<n)
			}
			continue
		}
		for half := range in.registers() {
			w.regs[following(name, half)] = w.read(n, fmt.Sprintf("/%d.%d", i, half)).with(guard)
		}
	}
}

// both returns what a source with the given bits was computed from.
func (e *evaluator) both(o string, bits int) deps {
	from := e.operand(o).from
	if m := sourceOperand.FindStringSubmatch(o); m != nil {
		for n := 1; n < bits/32; n++ {
			from |= e.get(following(m[2], n)).from
		}
	}
	return from
}

// address returns the value of an address: desc[UR4][R2.64+UR6+0x8]. If it has 64 bits, the
// dependencies of its upper half count, too.
func (e *evaluator) address(o string, wide bool) (sum value) {
	_, o, _ = strings.Cut(strings.TrimSuffix(o, "]"), "[")
	if _, inner, described := strings.Cut(o, "]["); described {
		o = inner
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(o, "+-", "+ -"), "+") {
		part = strings.TrimSpace(part)
		scale := uint32(1)
		for suffix, n := range map[string]uint32{".X4": 4, ".X8": 8, ".X16": 16} {
			if rest, ok := strings.CutSuffix(part, suffix); ok {
				part, scale = rest, n
			}
		}
		sum = sum.plus(e.operand(part), scale)
		if m := sourceOperand.FindStringSubmatch(part); m != nil && wide {
			sum.from |= e.get(following(m[2], 1)).from
		}
	}
	return sum
}
