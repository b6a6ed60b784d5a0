package litmus

// Format is what the header of a test stands for. A front end has one for each header of its tests;
// this package reads and writes what tests of all front ends have in common.
type Format struct {
	Arch    string   // the first word of the test: "PTX"
	Others  []string // what may stand in its place, as in the tests of other tools
	Model   string   // the shipped model that judges the tests unless another is asked for
	Layout  Layout   // of the program
	Machine Machine  // where threads and memory can be
	// Constants are the names of integers in initial states and conditions, such as NULL; no location has such a name.
	Constants map[string]int64
	// Octal says that integers with a leading zero are octal, as in C: 010 is 8.
	Octal bool
	// BareAddress says that the name of a location with which a condition compares a register is its address, as for herd:
	// 0:r=x. Otherwise it is an error, as other tools take it for what the location holds.
	BareAddress bool
	// Unplaced says that tests may leave open where their threads run: each is then a CTA of its own.
	Unplaced bool
}

// Layout is how tests write their programs: Columns or Functions.
type Layout interface {
	read(*parser)
	write(*printer)
}

// Columns is the layout of assembly: a table with a column for each thread and an instruction in each
// cell (Thread.Cells).
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
