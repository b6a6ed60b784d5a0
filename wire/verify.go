package wire

// Verification is the result of muster verify for a kernel.
type Verification struct {
	File   string `json:"file"`
	Kernel string `json:"kernel"` // its name in the module
	// its declaration in the source, if the module's name tells it: scan(int*)
	Declaration string            `json:"declaration"`
	Grid        [3]int            `json:"grid"` // -1 for any size
	Block       [3]int            `json:"block"`
	Verdict     string            `json:"verdict"` // verified, alarm or undecided
	Alarms      []Alarm           `json:"alarms,omitempty"`
	Undecided   []Undecided       `json:"undecided,omitempty"`
	Assumptions []string          `json:"assumptions,omitempty"`
	Notes       []string          `json:"notes,omitempty"`
	Statistics  VerificationStats `json:"statistics"`
	Seconds     float64           `json:"seconds"`
}

// Alarm is a launch in which a kernel has an error.
type Alarm struct {
	Kind   string       `json:"kind"` // race, barrier divergence or assertion
	What   string       `json:"what,omitempty"`
	Grid   [3]int       `json:"grid"`
	Block  [3]int       `json:"block"`
	Points []AlarmPoint `json:"points"`
	Params []AlarmParam `json:"params,omitempty"`
	Reads  []AlarmRead  `json:"reads,omitempty"`
	Replay string       `json:"replay,omitempty"` // what a launch of it has shown, or why it shows nothing
	Litmus string       `json:"litmus,omitempty"` // the file with its litmus test
}

// AlarmPoint is a thread at an instruction.
type AlarmPoint struct {
	Thread [3]uint64    `json:"thread"`
	Block  [3]uint64    `json:"block"`
	At     KernelPlace  `json:"at"`
	Access *AlarmAccess `json:"access,omitempty"`
}

// AlarmAccess is an access to memory.
type AlarmAccess struct {
	Kind   string  `json:"kind"` // read, write or atomic
	Array  string  `json:"array"`
	Space  string  `json:"space"`
	Offset int64   `json:"offset"` // bytes
	Size   int     `json:"size"`
	Value  *string `json:"value,omitempty"` // the value of a write
	Scope  string  `json:"scope,omitempty"` // of a strong access
}

// AlarmParam is the value of a parameter, or of a part of one.
type AlarmParam struct {
	Name   string `json:"name"`
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
	Value  string `json:"value"`
}

// AlarmRead is a value that a thread has read.
type AlarmRead struct {
	Point  int         `json:"point"` // which of the points the thread is at
	At     KernelPlace `json:"at"`
	Array  string      `json:"array"`
	Offset int64       `json:"offset"`
	Size   int         `json:"size"`
	Value  string      `json:"value"`
}

// KernelPlace is a place in a PTX module, and in the source that it was compiled from.
type KernelPlace struct {
	Line    int      `json:"line"` // line of the PTX
	Text    string   `json:"text"`
	Source  string   `json:"source,omitempty"`  // file:line:column
	Inlined []string `json:"inlined,omitempty"` // the places where that was inlined, the innermost first
	// the lines of the calls that led there, the outermost first
	Calls []int `json:"calls,omitempty"`
}

// Undecided is a reason why there is no verdict.
type Undecided struct {
	At   *KernelPlace `json:"at,omitempty"`
	Why  string       `json:"why"`
	Help string       `json:"help,omitempty"`
}

// VerificationStats are the statistics of a verification.
type VerificationStats struct {
	Accesses   int `json:"accesses"`
	Barriers   int `json:"barriers"`
	Pairs      int `json:"pairs"`
	Simple     int `json:"simple"`
	Questions  int `json:"questions"`
	Conflicts  int `json:"conflicts"`
	Invariants int `json:"invariants,omitempty"`
	Terms      int `json:"terms"`
}
