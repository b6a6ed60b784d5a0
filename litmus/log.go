package litmus

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/muster-gpu/muster/src"
)

// Record is the record of one test in a log: the final states that a model allows, as herd prints
// them, or that hardware showed, as litmus7 counts them.
type Record struct {
	Test        string
	Kind        Kind
	States      []Outcome
	Histogram   bool // the states are counted and marked: litmus7's form
	VerdictOnly bool // the states and counts are not known: it is written without them
	Uncounted   bool // counts are not known: each state counts once
	Verdict     Verdict
	Loop        bool     // some execution was cut at the unroll bound
	Positive    int64    // executions or runs that satisfy the proposition of the condition
	Negative    int64    // the number of executions that do not
	Flags       []string // raised by the model
	Condition   string   // as Cond.String writes it
	Observation Observation
	Time        time.Duration
	Untimed     bool     // it is written without its time
	Hash        string   // Test.Hash, or that of the tool that wrote the log; may be empty
	At          src.Span // in the log; nowhere for a record that was not read
}

// Kind is the kind of a test's question.
type Kind uint8

// The kinds.
const (
	Allowed   Kind = iota // exists
	Required              // forall
	Forbidden             // ~exists
)

func (k Kind) String() string { return kinds[k] }

var kinds = []string{"Allowed", "Required", "Forbidden"}

// Kind returns the kind of the tests whose condition begins so.
func (q Quantifier) Kind() Kind {
	return [...]Kind{Exists: Allowed, NotExists: Forbidden, Forall: Required, Final: Allowed}[q]
}

// Holds reports whether a condition holds if positive executions satisfy its proposition and
// negative executions do not.
func (q Quantifier) Holds(positive, negative int64) bool {
	switch q {
	case NotExists:
		return positive == 0
	case Forall:
		return negative == 0
	}
	return positive > 0
}

// Verdict says whether the condition holds.
type Verdict uint8

// The verdicts.
const (
	OK Verdict = iota
	No
	Undef // it could not be decided
)

func (v Verdict) String() string { return verdicts[v] }

var verdicts = []string{"Ok", "No", "Undef"}

// Observation says whether all, some, or none of the executions satisfy the proposition of the
// condition.
type Observation uint8

// The observations.
const (
	Never Observation = iota
	Sometimes
	Always
	Undecided // a limit cut the answer short; a log has no such line
)

func (o Observation) String() string { return observations[o] }

var observations = [...]string{"Never", "Sometimes", "Always", "Unknown"}

// Observe returns how often a proposition holds, given how many executions satisfy it and how many
// do not.
func Observe(positive, negative int64) Observation {
	switch {
	case positive == 0:
		return Never
	case negative == 0:
		return Always
	}
	return Sometimes
}

// Outcome is a final state in a log. It carries names, so that outcomes of different
// tools can be compared.
type Outcome struct {
	Values []Binding // in the order of Test.Observables

	// For histograms:
	Count     int64
	Satisfies bool // the proposition of the condition
}

// Binding is a value of a register or location in an Outcome.
type Binding struct {
	Name  string // as Ref.String writes it: 0:r1, [x] or a[0]
	Value Value
}

// Outcome returns the state as logs show it. names are the names of its values (Names).
func (s State) Outcome(names []string) Outcome {
	return Outcome{Values: s.Bind(make([]Binding, 0, len(names)), names)}
}

// Bind appends the values of the state with their names.
func (s State) Bind(to []Binding, names []string) []Binding {
	for i, name := range names {
		to = append(to, Binding{name, s[i]})
	}
	return to
}

// String returns the line of a log, without count and mark. Outcomes with the same values
// have the same string, wherever they come from.
func (o Outcome) String() string { return string(o.append(nil)) }

func (o Outcome) append(b []byte) []byte {
	for i, v := range o.Values {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, v.Name...)
		b = append(b, '=')
		b = v.Value.append(b)
		b = append(b, ';')
	}
	return b
}

// Compare orders outcomes by their values, ignoring counts.
func (o Outcome) Compare(p Outcome) int {
	return slices.CompareFunc(o.Values, p.Values, func(a, b Binding) int {
		return cmp.Or(compareNames(a.Name, b.Name), a.Value.Compare(b.Value))
	})
}

// WriteTo writes the record, and an empty line to end it: as litmus7 does if it has
// a histogram, else as herd does. States are sorted.
func (r *Record) WriteTo(w io.Writer) (int64, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	line(b, "Test", r.Test, r.Kind.String())
	switch {
	case r.Histogram:
		r.writeHistogram(b)
	case r.VerdictOnly:
		line(b, r.Verdict.String())
		line(b, "Condition", r.Condition)
		r.writeTime(b)
		r.writeHash(b)
		b.WriteByte('\n')
	default:
		r.writeStates(b)
	}
	return b.WriteTo(w)
}

// buffers have memory for records from the time before.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// line writes words as a line.
func line(b *bytes.Buffer, words ...string) {
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	b.WriteByte('\n')
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// writeStates writes all but the first line, as herd does.
func (r *Record) writeStates(b *bytes.Buffer) {
	line(b, "States", strconv.Itoa(len(r.States)))
	for _, s := range r.sorted() {
		b.Write(append(s.append(b.AvailableBuffer()), '\n'))
	}
	r.writeVerdict(b, "")
	line(b, "Condition", r.Condition)
	r.writeObservation(b)
	r.writeHash(b)
	b.WriteByte('\n')
}

// writeHistogram writes all but the first line, as litmus7 does.
func (r *Record) writeHistogram(b *bytes.Buffer) {
	fmt.Fprintf(b, "Histogram (%d states)\n", len(r.States))
	for _, s := range r.sorted() {
		mark := ':'
		if s.Satisfies {
			mark = '*'
		}
		fmt.Fprintf(b, "%-6d%c>%s\n", s.Count, mark, s)
	}
	r.writeVerdict(b, ",")
	not := "NOT "
	if r.Verdict == OK {
		not = ""
	}
	fmt.Fprintf(b, "Condition %s is %svalidated\n", r.Condition, not)
	r.writeHash(b)
	r.writeObservation(b)
	b.WriteByte('\n')
}

func (r *Record) sorted() []Outcome {
	if slices.IsSortedFunc(r.States, Outcome.Compare) {
		return r.States
	}
	return slices.SortedStableFunc(slices.Values(r.States), Outcome.Compare)
}

// notCounted is the line of a record whose counts are not known.
const notCounted = "Not counted: each state counts once"

// writeVerdict writes from the verdict to the flags. What stands between the two counts differs.
func (r *Record) writeVerdict(b *bytes.Buffer, between string) {
	if r.Loop {
		b.WriteString("Loop ")
	}
	line(b, r.Verdict.String())
	line(b, "Witnesses")
	line(b, "Positive:", decimal(r.Positive)+between, "Negative:", decimal(r.Negative))
	if r.Positive == math.MaxInt64 || r.Negative == math.MaxInt64 {
		fmt.Fprintf(b, "Counts end at %d: there are at least so many\n", int64(math.MaxInt64))
	}
	if r.Uncounted {
		b.WriteString(notCounted + "\n")
	}
	for _, f := range r.Flags {
		line(b, "Flag", f)
	}
}

func (r *Record) writeObservation(b *bytes.Buffer) {
	if r.Observation != Undecided {
		line(b, "Observation", r.Test, r.Observation.String(), decimal(r.Positive), decimal(r.Negative))
	}
	r.writeTime(b)
}

func (r *Record) writeTime(b *bytes.Buffer) {
	if r.Untimed {
		return
	}
	line(b, "Time", r.Test, strconv.FormatFloat(r.Time.Seconds(), 'f', 2, 64))
}

func (r *Record) writeHash(b *bytes.Buffer) {
	if r.Hash != "" {
		line(b, "Hash="+r.Hash)
	}
}

// SetWords sets kind, verdict and observation of a record from their words, as String writes them.
func (r *Record) SetWords(kind, verdict, observation string) error {
	for _, w := range []struct {
		what, word string
		words      []string
		set        func(int)
	}{
		{"kind", kind, kinds, func(i int) { r.Kind = Kind(i) }},
		{"verdict", verdict, verdicts, func(i int) { r.Verdict = Verdict(i) }},
		{"observation", observation, observations[:], func(i int) { r.Observation = Observation(i) }},
	} {
		i := slices.Index(w.words, w.word)
		if i < 0 {
			return fmt.Errorf("unknown %s %q: expected %s", w.what, w.word, strings.Join(w.words, ", "))
		}
		w.set(i)
	}
	return nil
}
