package wire

// Request asks the engine of the playground for something. Fields that the verb does not need are empty.
type Request struct {
	Verb    string     `json:"verb"`
	Tests   []Named    `json:"tests"`  // for verdicts
	Test    string     `json:"test"`   // the text of a test
	Model   *ModelRef  `json:"model"`  // for verbs about one model
	Models  []ModelRef `json:"models"` // for run
	Places  []Place    `json:"places"`
	Timeout int        `json:"timeout"` // in milliseconds, for all of the answer; 0 for the usual
	Unroll  int        `json:"unroll"`  // how many rounds of a loop are followed; 0 for the usual

	// For executions and draw:
	State string `json:"state"` // as logs write it; "" for any
	Drawing
}

// ModelRef names a model: a shipped one, perhaps with other texts for some of its files, or one
// whose text is given.
type ModelRef struct {
	Name  string            `json:"name"`
	Edits map[string]string `json:"edits"` // by file, such as tso.cat
}

// Named is a test of many.
type Named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Place is where a thread is.
type Place struct {
	Device  int `json:"device"`
	Kernel  int `json:"kernel"`
	Cluster int `json:"cluster"`
	CTA     int `json:"cta"`
	Warp    int `json:"warp"`
}

// Drawing says what to draw of an execution, and how.
type Drawing struct {
	Index  int      `json:"index"`  // in the list of executions
	Axiom  string   `json:"axiom"`  // whose violation is highlighted; "" for the first
	Show   []string `json:"show"`   // relations to add
	Hide   []string `json:"hide"`   // relations to leave out
	Format string   `json:"format"` // svg, dot or txt
	Theme  string   `json:"theme"`  // auto, light or dark
	Prefix string   `json:"prefix"` // of the ids in an SVG
}

// Error is the answer to a request that makes no sense.
type Error struct {
	Error string `json:"error"`
}

// Languages is the answer to languages: the shipped models, and the words of tests and models.
type Languages struct {
	Models []Model `json:"models"`
	Words  Words   `json:"words"`
}

// Words are what an editor can propose: in the programs of tests in PTX and in C, and in models.
type Words struct {
	PTX         []string          `json:"ptx"`
	C           []string          `json:"c"`
	Sets        []string          `json:"sets"`
	Relations   []string          `json:"relations"`
	Definitions map[string]string `json:"definitions"`
}

// ModelText is the answer to model.
type ModelText struct {
	Model
	Files []ModelFile `json:"files"` // the model first, then what it includes
}

// ModelFile is a file of a model.
type ModelFile struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Edited bool   `json:"edited"`
}

// Placed is the answer to place: the test with its threads elsewhere.
type Placed struct {
	Text string `json:"text"`
}

// Ran is the answer to run: what models say of a test.
type Ran struct {
	Diagnostics []Diagnostic  `json:"diagnostics"`
	Test        *TestInfo     `json:"test,omitempty"` // nil if the text is no test
	Answers     []ModelAnswer `json:"answers"`
	States      []Row         `json:"states"`    // if there are very many, the most telling of them
	All         int           `json:"all"`       // how many final states there are
	Differing   int           `json:"differing"` // on how many of them the models differ
	// Incomplete is what cut the search for states that no model allows short; "" if nothing did.
	Incomplete string `json:"incomplete,omitempty"`
}

// Diagnostic is something that is wrong with a test or a model.
type Diagnostic struct {
	Of       string `json:"of"`    // "test", "model", or "general" for what has its place in neither
	Model    int    `json:"model"` // which model of the request
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Range
}

// Range is a part of a text, as pages count: in units of UTF-16, from 0 on.
type Range struct {
	File string `json:"file"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Line int    `json:"line"` // from 1 on, as people count
	Col  int    `json:"col"`
}

// TestInfo is what a page shows of a test.
type TestInfo struct {
	Name         string   `json:"name"`
	Arch         string   `json:"arch"`
	Kind         string   `json:"kind"`
	Condition    string   `json:"condition"`
	Threads      []string `json:"threads"`
	DefaultModel string   `json:"defaultModel"`
	Places       []Place  `json:"places"` // of the threads
	Levels       []string `json:"levels"` // at which the test can place them, widest first
}

// ModelAnswer is what one model says.
type ModelAnswer struct {
	Model       string   `json:"model"`
	Usable      bool     `json:"usable"` // false if the model has errors, or fails on the test
	Verdict     string   `json:"verdict,omitempty"`
	Outcome     string   `json:"outcome,omitempty"`
	Observation string   `json:"observation,omitempty"`
	Positive    int      `json:"positive"`
	Negative    int      `json:"negative"`
	States      int      `json:"states"` // that it allows
	Having      int      `json:"having"` // of them, those with the proposition of the condition
	Flags       []string `json:"flags"`
	Undefined   []string `json:"undefined"`
	Vacuous     bool     `json:"vacuous,omitempty"` // a forall over no final state
	Incomplete  string   `json:"incomplete,omitempty"`
	// why the outcome is forbidden, where no row of the table is about it
	Reason string `json:"reason,omitempty"`
}

// Row is a final state that some candidate execution ends in, in a table of states and models.
type Row struct {
	Key       string  `json:"key"`
	Values    []Value `json:"values"`
	Satisfies bool    `json:"satisfies"` // the proposition of the condition
	Counts    []*int  `json:"counts"`    // allowed executions for each model; nil if that is not known
}

// Value is what a variable of the test ends with.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Verdicts is the answer to verdicts.
type Verdicts struct {
	Verdicts []TestVerdict `json:"verdicts"`
}

// TestVerdict is what a model says of one of many tests.
type TestVerdict struct {
	Test        string `json:"test"` // its name
	Model       string `json:"model"`
	Outcome     string `json:"outcome,omitempty"`
	Observation string `json:"observation,omitempty"`
	Incomplete  string `json:"incomplete,omitempty"`
	Error       string `json:"error,omitempty"`
}

// Executions is the answer to executions.
type Executions struct {
	Executions []Listing `json:"executions"` // the allowed ones first, then those that tell most of what is forbidden
	Allowed    int       `json:"allowed"`    // how many there are; the list has the first of them
	Forbidden  int       `json:"forbidden"`
	Incomplete string    `json:"incomplete,omitempty"`
	Reason     string    `json:"reason,omitempty"` // why there are none
}

// Listing is a candidate execution in a list.
type Listing struct {
	Index   int      `json:"index"` // by which draw knows it
	Allowed bool     `json:"allowed"`
	States  []string `json:"states"` // the keys of those that it can end in
	Axioms  []string `json:"axioms"` // that reject it
	Flags   []string `json:"flags"`
	Hangs   bool     `json:"hangs"`
}

// Drawn is the answer to draw.
type Drawn struct {
	Picture    string      `json:"picture"`
	Allowed    bool        `json:"allowed"`
	States     []string    `json:"states"`
	Sentence   string      `json:"sentence"`
	Violations []Violation `json:"violations"`
	Axiom      string      `json:"axiom,omitempty"` // whose violation is highlighted
	Relations  []Relation  `json:"relations"`
}

// Violation is why an axiom rejects an execution.
type Violation struct {
	Axiom    string   `json:"axiom"`
	Text     string   `json:"text"`
	Cycle    bool     `json:"cycle"`
	Path     string   `json:"path"`
	Sentence string   `json:"sentence"`
	Steps    []Step   `json:"steps"`
	Events   []string `json:"events"`
	Range
}

// Relation is a relation that the picture of an execution has or could have.
type Relation struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"` // how it is drawn
	Drawn      bool   `json:"drawn"`
	Definition string `json:"definition,omitempty"`
	File       string `json:"file,omitempty"` // where the model defines it
	Line       int    `json:"line,omitempty"`
}
