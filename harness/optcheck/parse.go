package optcheck

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

// Listing is the machine code of a kernel and of the functions behind it.
type Listing struct {
	instrs []*instruction
	labels map[string]int // by label: the index of the instruction
	byAddr map[uint64]int
}

// instruction is an instruction of the machine code (CUDA Binary Utilities, "Instruction Set
// Reference"; operands are not documented).
type instruction struct {
	addr     uint64
	text     string
	guard    string // P0, or ""
	negated  bool   // the guard is @!P0
	opcode   string // LDG
	mods     []string
	operands []string
	control  control
}

// has reports whether an instruction has a modifier.
func (in *instruction) has(mod string) bool {
	for _, m := range in.mods {
		if m == mod {
			return true
		}
	}
	return false
}

var (
	codeLine = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/\s+([^;]*?)\s*;`)
	// of the instruction of the line before
	upperHalf    = regexp.MustCompile(`^\s*/\* 0x([0-9a-f]{16}) \*/\s*$`)
	labelLine    = regexp.MustCompile(`^([.$\w]+):\s*$`)
	functionLine = regexp.MustCompile(`^\s*Function\s*:\s*(\S+)`)
	sectionLine  = regexp.MustCompile(`^\s*\.section\s+\.text\.([^,\s]+)`)
)

// ParseListing finds a kernel in the output of nvdisasm -c -hex -ndf or cuobjdump -sass. The two
// differ in the lines before a kernel, and in the targets of branches: labels or addresses.
func ParseListing(text, kernel string) (*Listing, error) {
	l := &Listing{labels: map[string]int{}, byAddr: map[uint64]int{}}
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for _, begins := range []*regexp.Regexp{functionLine, sectionLine} {
			if m := begins.FindStringSubmatch(line); m != nil {
				inside = m[1] == kernel
			}
		}
		if !inside {
			continue
		}
		if m := labelLine.FindStringSubmatch(line); m != nil {
			l.labels[m[1]] = len(l.instrs)
		} else if m := codeLine.FindStringSubmatch(line); m != nil {
			if err := l.add(m[1], m[2]); err != nil {
				return nil, err
			}
		} else if m := upperHalf.FindStringSubmatch(line); m != nil && len(l.instrs) > 0 {
			l.instrs[len(l.instrs)-1].control = parseControl(m[1])
		}
	}
	if len(l.instrs) == 0 {
		return nil, fmt.Errorf("the disassembly has no code of a kernel %s", kernel)
	}
	return l, nil
}

func (l *Listing) add(addr, text string) error {
	n, err := strconv.ParseUint(addr, 16, 64)
	if err != nil {
		return fmt.Errorf("address %s of the disassembly: %w", addr, err)
	}
	in := &instruction{addr: n, text: text}
	rest := text
	if strings.HasPrefix(rest, "@") {
		var guard string
		guard, rest, _ = strings.Cut(rest[1:], " ")
		in.guard, in.negated = strings.CutPrefix(guard, "!")
	}
	opcode, operands, _ := strings.Cut(strings.TrimSpace(rest), " ")
	parts := strings.Split(opcode, ".")
	in.opcode, in.mods = parts[0], parts[1:]
	for o := range strings.SplitSeq(operands, ",") {
		if o = strings.TrimSpace(o); o != "" {
			in.operands = append(in.operands, o)
		}
	}
	l.byAddr[n] = len(l.instrs)
	l.instrs = append(l.instrs, in)
	return nil
}

// jumps are the instructions that jump; the value tells whether they return.
var jumps = map[string]bool{"BRA": false, "JMP": false, "CALL": true}

// target returns the index of the instruction that a branch or call jumps to.
func (l *Listing) target(in *instruction) (int, bool) {
	if len(in.operands) == 0 {
		return 0, false
	}
	name := in.operands[len(in.operands)-1]
	if label, ok := strings.CutPrefix(name, "`("); ok {
		i, found := l.labels[strings.TrimSuffix(label, ")")]
		return i, found && i < len(l.instrs)
	}
	addr, err := strconv.ParseUint(strings.TrimPrefix(name, "0x"), 16, 64)
	if err != nil {
		return 0, false
	}
	i, found := l.byAddr[addr]
	return i, found
}

// marker finds the instructions that trigger a profiler event: PMTRIG 1<<n is pmevent n.
func (l *Listing) marker(event int) (at []int) {
	for i, in := range l.instrs {
		if in.isMarker(event) {
			at = append(at, i)
		}
	}
	return at
}

func (in *instruction) isMarker(event int) bool { return in.events() == 1<<event }

// isSeparator reports whether an instruction triggers several events at once, which keeps accesses
// apart that a compiler would reorder (harness.Settings.Opaque).
func (in *instruction) isSeparator() bool { return bits.OnesCount64(in.events()) > 1 }

// events returns the profiler events that an instruction triggers.
func (in *instruction) events() uint64 {
	if in.opcode != "PMTRIG" || len(in.operands) == 0 {
		return 0
	}
	mask, err := strconv.ParseUint(in.operands[0], 0, 32)
	if err != nil {
		return 0
	}
	return mask
}
