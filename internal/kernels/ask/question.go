package ask

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// Kind is the subject of a question.
type Kind uint8

// The kinds of question.
const (
	Race       Kind = iota
	Divergence      // threads of a block do not reach the same barriers
	Assertion       // an annotation does not hold
)

// Sentence returns the kind as a part of a sentence.
func (k Kind) Sentence() string {
	return [...]string{"a race", "a barrier divergence", "an assertion that fails"}[k]
}

// Question asks whether something can go wrong, for one thread or two.
type Question struct {
	Name     string
	Kind     Kind
	What     string       // of an assertion: which; of a race: what is known beyond the level of barriers
	Thread   *Thread      // the other thread; nil if the question is about one
	First    *trace.Point // where the first thread is
	Other    *trace.Point // where the other thread is; nil if it is anywhere
	Missing  bool         // the other thread is not where Other says
	Own      bool         // the second access is a copy of the first thread, for which it has not waited
	Contract bool         // it is about what a contract says
	Warp     bool         // it is about threads of a warp; the other may have ended
	Accesses [2]*trace.Access
	More     []*term.Term      // conditions beside that the threads are where they are
	Unless   func() *term.Term // one more condition, which takes long to ask about; may be nil

	tries tries
}

// tries are the attempts to answer a question.
type tries struct {
	deferrable bool       // if a first try does not answer it, it is asked again after all others
	deferred   bool       // it is being asked again
	bare       sat.Result // the answer of the first try, without facts
}

// places returns the two instructions that the question is about.
func (x *Question) places() (places [2]*kernel.Instr) {
	places[0] = x.First.Instr
	if x.Other != nil {
		places[1] = x.Other.Instr
	}
	return places
}

// There returns where the other thread is: of an assertion about another thread, at the same place.
// It is nil if the question is about one thread, or if the other thread of a divergence may be
// anywhere.
func (x *Question) There() *trace.Point {
	switch {
	case x.Thread == nil:
		return nil
	case x.Other == nil && x.Kind == Assertion:
		return x.First
	}
	return x.Other
}

// Finding is a question whose answer is yes, and a model that shows it.
type Finding struct {
	Question *Question
	Model    *term.Model
	Extern   string // a function without a body whose result it depends on, or ""
	// Unmodelled is an opcode with an unmodelled result that the finding depends on, or "".
	Unmodelled string
}

// Obstacle is a reason for an undecided verdict.
type Obstacle struct {
	Instr *kernel.Instr // where; nil if it is the kernel as a whole
	Why   string
	Help  string // what would help; "" if nothing is known to
}

// Tally counts what was done.
type Tally struct {
	Pairs      int // of accesses that could be a race by their arrays and kinds
	Simple     int // questions that simplification has answered
	Questions  int // questions for the solver
	Invariants int // that were found and proved of loops which were cut
}

// PairName names a question about two instructions.
func PairName(what string, first, other *trace.Access) string {
	return fmt.Sprintf("%s-%d-%d", what, first.Instr.At.Pos().Line, other.Instr.At.Pos().Line)
}
