// Package assume lists the assumptions that verdicts about kernels may rest on, beyond the
// semantics of PTX, in the words in which verify prints them for PTX and sources alike.
//
//	Assumption  one of them: the text, and when a verdict rests on it
//	All         all of them, in the order of README.md
package assume

import "fmt"

// Assumption is something that a verdict may rest on.
type Assumption struct {
	says string // format, with verbs for its subject
	When string // when a verdict rests on it
}

// Of returns the text of the assumption about arrays, parameters or places.
func (a *Assumption) Of(about ...any) string { return fmt.Sprintf(a.says, about...) }

// Format returns the text of the assumption, with verbs of package fmt for its subject.
func (a *Assumption) Format() string { return a.says }

// About memory: its layout and contents.
var (
	DistinctArrays = &Assumption{
		"the pointers %v lead to arrays that overlap neither each other nor any variable",
		"the kernel accesses memory through pointers",
	}
	InBounds = &Assumption{"no access leaves its array", "the kernel accesses memory that threads share"}
	Aligned  = &Assumption{
		"the address of each access is a multiple of its size",
		"only misaligned accesses, which GPUs trap, would overlap",
	}
	NoOtherWriter = &Assumption{
		"nothing but the threads of the launch writes to %v while it runs",
		"it matters that two threads read one value there: for the way that they go, or for which memory they access",
	}
	UnwrittenShared = &Assumption{
		"shared memory that no thread has written, in %v, holds the same whenever it is read",
		"a thread may read shared memory before any thread writes to it, and where it goes depends on that",
	}
	ConstantInitial = &Assumption{"constant variables have their initial values", "the kernel reads such a variable"}
	Literals        = &Assumption{
		"literals are not written to",
		"the kernel reads a string or a number that the compiler keeps in memory",
	}
	FunctionTables = &Assumption{
		"tables of functions have their initial values",
		"the kernel calls a function of such a table",
	}
	PointersStay = &Assumption{
		"no store of numbers to an array in local memory, at an index that is not known, changes a pointer beside it",
		"code that no optimizer has seen keeps pointers beside arrays", // C++17, 6.10 [basic.lval]
	}
	Textures = &Assumption{"no thread writes to the memory of textures while the kernel runs", "the kernel reads textures"}
)

// About accesses that no barrier orders.
var (
	Volatile = &Assumption{
		"volatile accesses do not race with each other, as PTX has it; in C++ and OpenCL C they do (--races " +
			"barrier), so that a barrier may be missing between them",
		"a volatile access may meet another strong access of the same bytes with no barrier in between",
	}
	Strong = &Assumption{
		"relaxed, acquire and release accesses do not race with each other, as PTX has it (--races barrier), so that " +
			"a barrier may be missing between them",
		"such an access may meet another strong access of the same bytes with no barrier in between",
	}
	Atomics = &Assumption{
		"two atomics do not race, whatever their sizes and scopes (--races barrier)",
		"with --races barrier, atomics that PTX has race may meet with no barrier in between",
	}
	SameValue = &Assumption{
		"two stores of the same value to the same place do not race (--benign same-value)",
		"with --benign same-value, two stores may meet with no barrier in between",
	}
	OnlyDivergence = &Assumption{
		"races and assertions are not looked for (--only divergence)",
		"--only divergence is given",
	}
	OnlyBlock = &Assumption{
		"threads of different blocks are not looked at (--only block)",
		"--only block is given, and the grid may have several blocks",
	}
	Interleaved = &Assumption{
		"accesses take effect one after the other, in an order that all threads see",
		"--engine schedules is given: weak memory is not looked at",
	}
)

// About the launch, and how threads run.
var (
	Equals   = &Assumption{"%s = %d", "--param gives a value to a parameter that the kernel reads"}
	AtLeast  = &Assumption{"%s >= %d", "--param gives a bound"}
	Lockstep = &Assumption{
		"each %d threads that follow each other execute every instruction together",
		"--warps lockstep is given",
	}
	LargeSize = &Assumption{
		"blocks of %v threads can be launched: no GPU runs more than %d",
		"--large-blocks is given, and the block is that large",
	}
	Several = &Assumption{
		"a block that copies asynchronously has more than one thread",
		"threads of a block of any size copy together (async_work_group_copy)",
	}
	Origin = &Assumption{"the launch has no offset (get_global_offset)", "an OpenCL kernel asks for it"}
	Axes   = &Assumption{"the launch has %d dimensions (get_work_dim)", "an OpenCL kernel asks for it"}
	NoTrap = &Assumption{"no thread executes the trap of %s, which would end the launch", "a thread may come to trap"}
)

// About loops, counters and indices.
var (
	LoopsEnd  = &Assumption{"each loop ends, after fewer than 2^48 rounds", "the rounds of a loop are not known"}
	FewPassed = &Assumption{"fewer than 2^62 barriers are passed", "barriers are in a loop whose rounds are not known"}
	Counters  = &Assumption{
		"counters that atomics add to do not come round to a value that they have had",
		"threads have places of their own because a counter gives each another value",
	}
	NoOverflow = &Assumption{
		"no index overflows: %s (%s)",
		"--index-arithmetic nowrap is given, and the index may overflow",
	}
)

// About annotations for verify, and about what it cannot see.
var (
	Contract   = &Assumption{"%s %s (%s:%d)", "a contract requires or assumes it"}
	Lemma      = &Assumption{"lemma %s (%s:%d)", "a contract has a lemma"}
	Annotation = &Assumption{
		"an annotation assumes something (%s at %s)",
		"the kernel calls __requires, __assume, or a function of this kind",
	}
	Axiom    = &Assumption{"an annotation assumes something (%s)", "the module has axioms (__axiom)"}
	NoThread = &Assumption{
		"no thread of this launch is as an annotation assumes (%s)",
		"an axiom excludes all threads of the launch",
	}
	Unasserted = &Assumption{
		"annotations that assert something are not looked at (%s at %s; --annotations)",
		"--annotations leaves them out",
	}
	Extern = &Assumption{
		"%s has no body here: it is taken to touch no memory that threads share, and to wait for no thread",
		"--pure-externs is given, and the kernel calls such a function",
	}
	Solver = &Assumption{
		"the solver that was asked is right (--solver)",
		"--solver is given, and the built-in solver has left a question to it",
	}
)

// All lists the assumptions.
var All = []*Assumption{
	DistinctArrays, InBounds, Aligned, NoOtherWriter, UnwrittenShared, ConstantInitial, Literals, FunctionTables,
	PointersStay, Textures,
	Volatile, Strong, Atomics, SameValue, OnlyDivergence, OnlyBlock, Interleaved,
	Equals, AtLeast, Lockstep, LargeSize, Several, Origin, Axes, NoTrap,
	LoopsEnd, FewPassed, Counters, NoOverflow,
	Contract, Lemma, Annotation, Axiom, NoThread, Unasserted, Extern, Solver,
}
