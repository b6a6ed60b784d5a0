package litmus

// Format is the meaning of the header of a test. A front end has one for each header of its tests;
// this package reads and writes what tests of all front ends have in common.
type Format struct {
	Arch    string   // the first word of the test: "PTX"
	Others  []string // what may stand in its place, as in the tests of other tools
	Model   string   // the shipped model that judges the tests unless another is asked for
	Layout  Layout   // of the program
	Machine Machine  // where threads and memory can be
	// Constants are the names of integers in initial states and conditions, such as NULL. No
	// location has such a name.
	Constants map[string]int64
	// Octal reports whether integers with a leading zero are octal, as in C: 010 is 8.
	Octal bool
	// BareAddress reports whether the name of a location stands for its address where a condition
	// compares it with a register, as for herd: 0:r=x. If not, it is an error, because other tools
	// take the name for the contents of the location.
	BareAddress bool
	// Unplaced reports whether tests may leave the places of their threads open. Each thread is
	// then in a CTA of its own.
	Unplaced bool
}

// Layout is the layout of programs: Columns or Functions.
type Layout interface {
	read(*parser)
	write(*printer)
}

// Columns is the layout of assembly: a table with a column for each thread and an instruction in
// each cell (Thread.Cells).
type Columns struct{}

// Functions is the layout of C: a function for each thread, "P0 (int *x) { … }" (Thread.Params,
// Thread.Body).
type Functions struct{}

// formNames lists the headers of formats as an error message does.
func formNames(formats []*Format) string {
	forms := make([]string, len(formats))
	for i, f := range formats {
		forms[i] = f.Arch + " NAME"
	}
	return alternatives(forms)
}
