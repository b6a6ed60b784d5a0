package wire

// Model describes a model.
type Model struct {
	Name   string `json:"name"`             // what -m takes
	Title  string `json:"title,omitempty"`  // one line
	Source string `json:"source,omitempty"` // where the model comes from
	Covers string `json:"covers,omitempty"` // the programs that it covers
	Chips  string `json:"chips,omitempty"`  // the vendor whose chips it models; "" for any
	Tests  string `json:"tests,omitempty"`  // the headers of the tests that it is for; "" for those of PTX
	// the language to which tests in C are translated before it judges them, or ""
	Target string `json:"target,omitempty"`
}

// Summary is what a model defines, checks and uses.
type Summary struct {
	Model
	Definitions []Definition `json:"definitions"`
	Checks      []Check      `json:"checks"`
	Flags       []Check      `json:"flags"`
	Choices     []string     `json:"choices"` // names bound by with
	Base        []BaseName   `json:"base"`    // base names used, sorted
	// names that no test defines and that are empty, sorted
	Absent []string   `json:"absent,omitempty"`
	Strata [][]string `json:"strata"`
}

// Definition is a name that a model defines at its top level.
type Definition struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Line int    `json:"line"`
	File string `json:"file"`
}

// Check is a check of a model.
type Check struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Line int    `json:"line"`
	File string `json:"file"`
}

// BaseName is a name that executions define.
type BaseName struct {
	Name    string `json:"name"`
	Dynamic bool   `json:"dynamic"` // depends on rf, co or values
}

// Test describes a shipped test.
type Test struct {
	Arch   string `json:"arch"`
	Doc    string `json:"doc"`
	Name   string `json:"name"`
	Source string `json:"source"`

	// The properties for `--filter`:

	Family       string   `json:"family"`
	Threads      int      `json:"threads"`
	Size         int      `json:"size"`         // instructions, of all threads
	Instructions []string `json:"instructions"` // each once
	Scopes       []string `json:"scopes"`       // that instructions name
}

// GPU is a GPU that the CUDA driver shows, as hw devices prints it.
type GPU struct {
	Index int
	Name  string
	UUID  string

	Major, Minor int // compute capability
	Memory       uint64

	SMs                  int
	WarpSize             int
	MaxThreadsPerBlock   int
	MaxThreadsPerSM      int
	MaxBlocksPerSM       int
	MaxGridX             int
	SharedPerBlock       int
	SharedPerBlockOptIn  int
	SharedPerSM          int
	L2                   int
	ClusterLaunch        bool
	KernelTimeoutEnabled bool
}
