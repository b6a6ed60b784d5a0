// Package wire defines the JSON output of muster: the lines of --json, and the requests and answers
// of the playground. It only has types, for programs that read them; docs/json.md explains them.
//
//	run explain               Result Explanation
//	check                     Checked Count CheckTotals; of observations Outcome Void Device
//	                          Family ObservedTotals; of two sets of them Contrasted Absent
//	                          Otherwise ContrastTotals
//	compare                   Difference CompareTotals; Mapped MappingTotals
//	gen distinguish minimize  Generated Distinguished DistinguishTotals Minimized
//	cover                     Mutant CoverTotals
//	cat models tests          Summary Model Test
//	verify                    Verification
//	the playground            Request, and an answer for each verb (page.go)
//
// Fields are only ever added, never renamed. Where a verb prints objects of several types, the
// field Type tells them apart.
package wire

// Result is the result of a model for a test.
type Result struct {
	Test        string   `json:"test"`
	File        string   `json:"file"`
	Model       string   `json:"model"`
	Kind        string   `json:"kind"`
	Condition   string   `json:"condition"`
	Verdict     string   `json:"verdict"` // Ok, No or Undef
	Outcome     string   `json:"outcome"` // allowed, forbidden, undefined or unknown
	Observation string   `json:"observation"`
	Positive    int      `json:"positive"`
	Negative    int      `json:"negative"`
	Saturated   bool     `json:"saturated,omitempty"`
	Uncounted   bool     `json:"uncounted,omitempty"`
	States      []State  `json:"states"`
	Flags       []string `json:"flags"`
	Undefined   []string `json:"undefined,omitempty"`
	Vacuous     bool     `json:"vacuous,omitempty"` // a forall without final states
	Incomplete  string   `json:"incomplete,omitempty"`
	SlowBecause string   `json:"slowBecause,omitempty"`
	Stats       Stats    `json:"stats"`
	Seconds     float64  `json:"seconds"`
	Hash        string   `json:"hash"`
}

// State is a final state that a model allows.
type State struct {
	Values    map[string]string `json:"values"`
	Count     int               `json:"count"`
	Satisfies bool              `json:"satisfies"`
}

// Stats are the statistics of a simulation.
type Stats struct {
	Paths      int `json:"paths"`
	Candidates int `json:"candidates"`
	ThinAir    int `json:"thinAir"`
	Truncated  int `json:"truncated"`
}

// Explanation says why a model forbids what the condition of a test asks for.
type Explanation struct {
	Test       string      `json:"test"`
	File       string      `json:"file"`
	Model      string      `json:"model"`
	Condition  string      `json:"condition"`
	Outcomes   []Explained `json:"outcomes"`
	Absent     string      `json:"absent,omitempty"`
	Hang       string      `json:"hang,omitempty"`
	Undefined  []Flag      `json:"undefined,omitempty"`
	Vacuous    bool        `json:"vacuous,omitempty"` // a forall without final states
	Uncounted  bool        `json:"uncounted,omitempty"`
	Incomplete string      `json:"incomplete,omitempty"`
	// Alone says that only the allowed states were searched for.
	Alone bool `json:"alone,omitempty"`
	// SlowBecause says why every candidate was judged, if the user did not ask for it.
	SlowBecause string `json:"slowBecause,omitempty"`
}

// Explained is a final state that the condition asks for.
type Explained struct {
	Values     map[string]string `json:"values"`
	Candidates int               `json:"candidates"`
	Counted    bool              `json:"counted"`
	Consistent int               `json:"consistent"`
	Outcome    string            `json:"outcome"`
	Reasons    []Reason          `json:"reasons"`
	Flags      []Flag            `json:"flags,omitempty"`
	Orders     []string          `json:"orders,omitempty"` // of evaluation, in the allowed execution
}

// Flag is a flag that an execution raises, and the places it is about.
type Flag struct {
	Name   string   `json:"name"`
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Places []string `json:"places"`
}

// Reason is an axiom that forbids a state, and how it does so.
type Reason struct {
	Axiom      string   `json:"axiom"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Text       string   `json:"text"`
	Rejects    int      `json:"rejects"`
	Decisive   bool     `json:"decisive"`
	RejectedBy int      `json:"rejectedBy"`
	Path       string   `json:"path"`
	Steps      []Step   `json:"steps"`
	Events     []string `json:"events"`
	Sources    []Source `json:"sources,omitempty"`
	Orders     []string `json:"orders,omitempty"` // of evaluation, in the execution that it rejects
}

// Source is the line of the test that some events come from.
type Source struct {
	Events []string `json:"events"`
	Line   int      `json:"line"`
	Text   string   `json:"text"`
}

// Step is an edge between two events of a cycle or path.
type Step struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Label   string `json:"label"`
	Inverse bool   `json:"inverse,omitempty"`
}
