package wire

// Request is a request to the engine of the playground. Fields that the verb does not need are
// empty.
type Request struct {
	Verb    string     `json:"verb"`
	Tests   []Named    `json:"tests"`  // for verdicts
	Test    string     `json:"test"`   // the text of a test
	Model   *ModelRef  `json:"model"`  // for verbs about one model
	Models  []ModelRef `json:"models"` // for run
	Places  []Place    `json:"places"`
	Timeout int        `json:"timeout"` // in milliseconds, for the whole answer; 0 for the default
	Unroll  int        `json:"unroll"`  // how many rounds of a loop are followed; 0 for the default

	// For executions and draw:
	State string `json:"state"` // in the format of logs; "" for any
	Drawing
}

// ModelRef names a model: a shipped one, perhaps with other texts for some of its files, or one
// whose text is given.
type ModelRef struct {
	Name  string            `json:"name"`
	Edits map[string]string `json:"edits"` // the new text by file name, such as tso.cat
}

// Named is one of several tests.
type Named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Place is the place of a thread.
type Place struct {
	Device  int `json:"device"`
	Kernel  int `json:"kernel"`
	Cluster int `json:"cluster"`
	CTA     int `json:"cta"`
	Warp    int `json:"warp"`
}

// Drawing says which execution to draw, and how.
type Drawing struct {
	Index  int      `json:"index"`  // in the list of executions
	Axiom  string   `json:"axiom"`  // the axiom whose violation is highlighted; "" for the first
	Show   []string `json:"show"`   // relations to add
	Hide   []string `json:"hide"`   // relations to leave out
	Format string   `json:"format"` // svg, dot or txt
	Theme  string   `json:"theme"`  // auto, light or dark
	Prefix string   `json:"prefix"` // prefix of the ids in an SVG
}

// Error is the answer to an invalid request.
type Error struct {
	Error string `json:"error"`
}

// Languages is the answer to languages: the shipped models, and the words of tests and models.
type Languages struct {
	Models []Model `json:"models"`
	Words  Words   `json:"words"`
}

// Words are the words that an editor can propose: in the programs of tests in PTX and in C, and in
// models.
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
	Files []ModelFile `json:"files"` // the model first, then the files it includes
}

// ModelFile is a file of a model.
type ModelFile struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Edited bool   `json:"edited"`
}

// Placed is the answer to place: the test with its threads in other places.
type Placed struct {
	Text string `json:"text"`
}

// Ran is the answer to run: the results of models for a test.
type Ran struct {
	Diagnostics []Diagnostic  `json:"diagnostics"`
	Test        *TestInfo     `json:"test,omitempty"` // nil if the text is not a test
	Answers     []ModelAnswer `json:"answers"`
	States      []Row         `json:"states"`    // if there are very many, the most informative of them
	All         int           `json:"all"`       // the number of final states
	Differing   int           `json:"differing"` // the number of states on which the models differ
	// Incomplete says which limit cut the search for states that no model allows short; "" if it is
	// complete.
	Incomplete string `json:"incomplete,omitempty"`
}

// Diagnostic is an error or a warning about a test or a model.
type Diagnostic struct {
	Of       string `json:"of"`    // "test", "model", or "general" for one that belongs to neither
	Model    int    `json:"model"` // the index of the model in the request
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Range
}

// Range is a range of a text in the units of pages: UTF-16 code units, from 0 on.
type Range struct {
	File string `json:"file"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Line int    `json:"line"` // from 1 on, as editors count
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
	Levels       []string `json:"levels"` // the levels at which the test can place them, widest first
}

// ModelAnswer is the result of one model.
type ModelAnswer struct {
	Model       string   `json:"model"`
	Usable      bool     `json:"usable"` // false if the model has errors, or fails on the test
	Verdict     string   `json:"verdict,omitempty"`
	Outcome     string   `json:"outcome,omitempty"`
	Observation string   `json:"observation,omitempty"`
	Positive    int      `json:"positive"`
	Negative    int      `json:"negative"`
	States      int      `json:"states"` // the number of states that it allows
	Having      int      `json:"having"` // how many of them satisfy the proposition of the condition
	Flags       []string `json:"flags"`
	Undefined   []string `json:"undefined"`
	Vacuous     bool     `json:"vacuous,omitempty"` // a forall without final states
	Incomplete  string   `json:"incomplete,omitempty"`
	// why the outcome is forbidden, if no row of the table shows that
	Reason string `json:"reason,omitempty"`
}

// Row is a final state that some candidate execution ends in, in a table of states and models.
type Row struct {
	Key       string  `json:"key"`
	Values    []Value `json:"values"`
	Satisfies bool    `json:"satisfies"` // whether it satisfies the proposition of the condition
	Counts    []*int  `json:"counts"`    // allowed executions for each model; nil if the number is unknown
}

// Value is the final value of a variable of the test.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Verdicts is the answer to verdicts.
type Verdicts struct {
	Verdicts []TestVerdict `json:"verdicts"`
}

// TestVerdict is the result of a model for one of several tests.
type TestVerdict struct {
	Test        string `json:"test"` // the name of the test
	Model       string `json:"model"`
	Outcome     string `json:"outcome,omitempty"`
	Observation string `json:"observation,omitempty"`
	Incomplete  string `json:"incomplete,omitempty"`
	Error       string `json:"error,omitempty"`
}

// Executions is the answer to executions.
type Executions struct {
	// the allowed ones first, then those that show best why others are forbidden
	Executions []Listing `json:"executions"`
	Allowed    int       `json:"allowed"` // the number of allowed ones; the list has the first of them
	Forbidden  int       `json:"forbidden"`
	Incomplete string    `json:"incomplete,omitempty"`
	Reason     string    `json:"reason,omitempty"` // why the list is empty
}

// Listing is a candidate execution in a list.
type Listing struct {
	Index   int      `json:"index"` // the index to pass to draw
	Allowed bool     `json:"allowed"`
	States  []string `json:"states"` // the keys of the states that it can end in
	Axioms  []string `json:"axioms"` // the axioms that reject it
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
	Axiom      string      `json:"axiom,omitempty"` // the axiom whose violation is highlighted
	Relations  []Relation  `json:"relations"`
}

// Violation shows why an axiom rejects an execution.
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
