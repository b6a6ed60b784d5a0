package verify

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Place returns where an instruction comes from: "file:line:column" of the source, the innermost
// first if it was inlined; nothing if the module does not say.
func (r *Result) Place(in *kernel.Instr) (places []string) {
	for p := in.Place; p != nil && p.Line > 0; p = p.Inlined {
		name := r.Module.Sources[p.File]
		if name == "" {
			name = fmt.Sprint("file ", p.File)
		}
		places = append(places, fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column))
	}
	return places
}

// File returns the file that the answer is about.
func (r *Result) File() string {
	if r.Module.Compiled != "" {
		return r.Module.Compiled
	}
	return r.Module.Name
}

// Where returns a place for readers: that of the source, else the line of the PTX.
func (r *Result) Where(in *kernel.Instr) string {
	ptx := fmt.Sprintf("%s:%d", r.Module.Name, in.At.Pos().Line)
	if r.Module.Compiled != "" {
		ptx = fmt.Sprintf("line %d of its PTX", in.At.Pos().Line)
	}
	places := r.Place(in)
	if len(places) == 0 {
		return ptx
	}
	return strings.Join(places, ", inlined at ") + " (" + ptx + ")"
}

// text returns an instruction as the module has it, with its guard, and without others of its line.
func (r *Result) text(in *kernel.Instr) string {
	before, rest := in.At.File.Text[:in.At.Start], in.At.File.Text[in.At.Start:]
	if end := strings.IndexByte(rest, ';'); end >= 0 {
		rest = rest[:end+1]
	}
	return strings.Join(strings.Fields(before[strings.LastIndexAny(before, ";{\n")+1:]+rest), " ")
}

// WriteText writes the answer for readers.
func (r *Result) WriteText(w io.Writer) error {
	t := &text{Result: r}
	verdict := strings.ToUpper(r.Verdict.String())
	if len(r.Alarms) > 0 {
		verdict = strings.ToUpper(r.Alarms[0].Kind.String())
	}
	t.line("%s: %s (%s): %s", r.File(), r.Kernel.Declaration(), r.Launch, verdict)
	for _, a := range r.Alarms {
		t.alarm(a)
	}
	for _, o := range r.Open {
		if o.Instr == nil {
			t.line("  undecided: %s", o.Why)
		} else {
			t.line("  undecided: %s\n    at %s: %s", o.Why, r.Where(o.Instr), r.text(o.Instr))
		}
		if o.Help != "" {
			t.line("    what would help: %s", o.Help)
		}
	}
	for _, a := range r.Assumptions {
		t.line("  assuming: %s", a)
	}
	for _, n := range r.Notes {
		t.line("  note: %s", n)
	}
	s := r.Stats
	t.line("  %d accesses, %d barriers, %d pairs; %d questions, %d of them for the solver, %d conflicts",
		s.Accesses, s.Barriers, s.Pairs, s.Simple+s.Questions, s.Questions, s.Conflicts)
	if s.Invariants > 0 {
		t.line("  %d invariants of loops were guessed and proved", s.Invariants)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

type text struct {
	*Result
	strings.Builder
}

func (t *text) line(format string, args ...any) { fmt.Fprintf(&t.Builder, format+"\n", args...) }

func (t *text) alarm(a *Alarm) {
	title := a.Kind.String()
	if a.What != "" && a.Kind != Race {
		title += ": " + a.What
	}
	if a.Launch != t.Launch {
		title += fmt.Sprintf(" (%s)", a.Launch)
	}
	t.line("  %s", title)
	for i, p := range a.Points {
		t.line("    %-8s %s  by thread %v of block %v", t.does(a, i), t.Where(p.Instr), p.Thread, p.Block)
		t.line("             %s", t.text(p.Instr))
	}
	if a.Kind == Race {
		x, y := a.Points[0].Access, a.Points[1].Access
		between := "no barrier is between"
		if a.What != "" {
			between = a.What
		}
		t.line("    both touch %s, bytes %d to %d and %d to %d; %s", x.Array,
			x.Offset, x.Offset+int64(x.Size)-1, y.Offset, y.Offset+int64(y.Size)-1, between)
		t.line("    %s", t.moral(a))
	}
	if a.Kind == Divergence && a.What != "" {
		t.line("    %s", a.What)
	}
	for _, p := range a.Params {
		t.line("    with %s = %d", p.name(), p.Bits)
	}
	t.reads(a)
	if a.Hinges != "" {
		t.line("    it hinges on what %s returns, which has no body here", a.Hinges)
	}
	if a.Replay != "" {
		t.line("    %s", a.Replay)
	}
	if a.Litmus != "" {
		t.line("    litmus test: %s", a.Litmus)
	}
}

// reads writes what the threads of an alarm read. If one value comes from many places of an array,
// it is in one line.
func (t *text) reads(a *Alarm) {
	var order []string
	from := map[string][]int64{}
	for _, r := range a.Reads {
		says := fmt.Sprintf("thread %v reads %d from %s", a.Points[r.Of].Thread, r.Bits, r.Array)
		if from[says] == nil {
			order = append(order, says)
		}
		if !slices.Contains(from[says], r.Offset) { // a loop reads it again
			from[says] = append(from[says], r.Offset)
		}
	}
	for _, says := range order {
		t.line("    %s at %s", says, places(from[says]))
	}
}

// places lists offsets in bytes: the first few, and their number.
func places(offsets []int64) string {
	const few = 4
	if len(offsets) == 1 {
		return fmt.Sprintf("byte %d", offsets[0])
	}
	var all []string
	for _, o := range offsets[:min(few, len(offsets))] {
		all = append(all, strconv.FormatInt(o, 10))
	}
	text := "bytes " + strings.Join(all, ", ")
	if len(offsets) > few {
		text += fmt.Sprintf(", … (%d places)", len(offsets))
	}
	return text
}

// does returns the action of a thread at a point of an alarm.
func (t *text) does(a *Alarm, i int) string {
	p := a.Points[i]
	switch {
	case p.Access != nil && p.Access.Kind == Store:
		return fmt.Sprintf("write %d", p.Access.Value)
	case p.Access != nil:
		return p.Access.Kind.String()
	case a.Kind == Divergence && a.What != "":
		return "reached" // both: a.What is what is wrong
	case a.Kind == Divergence:
		return [...]string{"reached", "missed"}[i]
	case i == 0:
		return "fails"
	}
	return "other"
}

// moral returns why the accesses of a race are not morally strong (PTX ISA, "Morally Strong
// Operations").
func (t *text) moral(a *Alarm) string {
	x, y := a.Points[0].Access, a.Points[1].Access
	switch narrow := min(x.Strong, y.Strong); {
	case max(x.Strong, y.Strong) == isa.NoScope:
		return "not morally strong: both accesses are weak"
	case narrow == isa.NoScope:
		return "not morally strong: one access is weak"
	case narrow < t.apart(a):
		return "not morally strong: the scope of one does not reach the other block"
	case x.Unit != y.Unit && (x.Size > x.Unit || y.Size > y.Unit):
		return fmt.Sprintf("not morally strong: they overlap in part, operations of %s and of %s", x.operations(), y.operations())
	case x.Unit != y.Unit || (x.Offset-y.Offset)%int64(x.Unit) != 0:
		return "not morally strong: they overlap in part"
	}
	return "a race as far as barriers order accesses"
}

// apart returns the narrowest scope that includes the two threads of an alarm.
func (t *text) apart(a *Alarm) isa.Scope {
	x, y := a.Points[0].Block, a.Points[1].Block
	if x == y {
		return isa.ScopeCTA
	}
	for i, n := range t.Kernel.Launch.Cluster {
		if n <= 0 || x[i]/uint64(n) != y[i]/uint64(n) {
			return isa.ScopeGPU
		}
	}
	return isa.ScopeCluster
}

// operations lists the memory operations of an access: "2 × 2 bytes" for one of .f16x2.
func (a *Access) operations() string {
	if a.Size == a.Unit {
		return fmt.Sprintf("%d bytes", a.Size)
	}
	return fmt.Sprintf("%d × %d bytes", a.Size/a.Unit, a.Unit)
}

func (v Value) name() string {
	if v.Offset > 0 {
		return fmt.Sprintf("%s+%d", v.Name, v.Offset)
	}
	return v.Name
}

func (a Array) String() string {
	if a.Param {
		return fmt.Sprintf("what %s points to (.%s)", a.Name, spaceName(a.Space))
	}
	return fmt.Sprintf("%s (.%s)", kernel.SourceName(a.Name), spaceName(a.Space))
}

func spaceName(s isa.Space) string {
	return [...]string{"generic", "global", "shared", "local", "const", "param"}[s]
}
