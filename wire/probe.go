package wire

// Difference is a test on which models differ or may differ.
type Difference struct {
	Type     string            `json:"type"` // "difference" or "open"
	Test     string            `json:"test"`
	File     string            `json:"file"`
	Outcomes map[string]string `json:"outcomes"`         // by model
	States   map[string]int    `json:"states,omitempty"` // with --states: the number of states, by model
}

// CompareTotals is the last line of compare.
type CompareTotals struct {
	Type   string         `json:"type"` // "totals"
	Tests  int            `json:"tests"`
	Differ int            `json:"differ"`
	Open   int            `json:"open"` // the tests on which they may differ, since some outcome is unknown
	Only   map[string]int `json:"only"` // by model, the number of tests whose outcome it alone allows
}

// LogDifference is a test for which two logs have different results, or which only one of them has
// (compare A.log B.log).
type LogDifference struct {
	Type    string     `json:"type"` // "difference"
	Test    string     `json:"test"`
	Hash    string     `json:"hash,omitempty"`  // if a log has several tests of this name
	Model   string     `json:"model,omitempty"` // if a log has several models
	A       *LogRecord `json:"a,omitempty"`
	B       *LogRecord `json:"b,omitempty"`
	Changed bool       `json:"changed,omitempty"` // the tests of this name differ
}

// LogRecord is the result of a log for a test.
type LogRecord struct {
	Verdict     string              `json:"verdict"`
	Observation string              `json:"observation"`
	Only        []map[string]string `json:"only"` // the states that the other log does not have
}

// LogTotals is the last line of compare A.log B.log.
type LogTotals struct {
	Type   string `json:"type"` // "totals"
	Differ int    `json:"differ"`
	A      LogEnd `json:"a"`
	B      LogEnd `json:"b"`
}

// LogEnd is a log and the number of its records.
type LogEnd struct {
	File    string `json:"file"`
	Records int    `json:"records"`
}

// Mapped is a test whose translation allows, or may allow, what the model of its source forbids
// (compare --mapping).
type Mapped struct {
	Type         string            `json:"type"` // "unsound" or "open"
	Test         string            `json:"test"`
	File         string            `json:"file"`
	Source       string            `json:"source"`       // the outcome under the model of the source
	Translations map[string]string `json:"translations"` // the outcome of the translation, by edition of the mapping
}

// MappingTotals is the last line of compare --mapping.
type MappingTotals struct {
	Type  string `json:"type"` // "totals"
	Tests int    `json:"tests"`
	// the tests with races, for which a mapping has to preserve nothing
	Undefined int            `json:"undefined"`
	Open      int            `json:"open"`
	Unsound   map[string]int `json:"unsound"` // by edition
}

// Generated is a test that gen has generated.
type Generated struct {
	Name  string `json:"name"`
	Arch  string `json:"arch"`
	Cycle string `json:"cycle"`
	Hash  string `json:"hash"`
	Text  string `json:"text"`
}

// Distinguished is a minimal test on which two models differ.
type Distinguished struct {
	Type        string   `json:"type"` // "difference"
	Test        string   `json:"test"`
	AllowedBy   string   `json:"allowedBy"`
	ForbiddenBy string   `json:"forbiddenBy"`
	Undefined   bool     `json:"undefined,omitempty"` // AllowedBy leaves the behaviour undefined
	Cycle       string   `json:"cycle"`
	Size        int      `json:"size"`
	Steps       []string `json:"steps,omitempty"`
	Explanation []string `json:"explanation"`
	Text        string   `json:"text"`
	Hash        string   `json:"hash"`
}

// DistinguishTotals is the last line of distinguish.
type DistinguishTotals struct {
	Type    string  `json:"type"` // "totals"
	Tried   int     `json:"tried"`
	Size    int     `json:"size"`
	Marks   int     `json:"marks"`
	Unknown int     `json:"unknown"`
	Seconds float64 `json:"seconds"`

	Incomplete string `json:"incomplete,omitempty"`
}

// Minimized is a test that has been minimized.
type Minimized struct {
	Test         string            `json:"test"`
	File         string            `json:"file"`
	Outcomes     map[string]string `json:"outcomes"` // by model
	Weak         bool              `json:"weak"`
	Steps        []string          `json:"steps"`
	Tried        int               `json:"tried"`
	Instructions Sizes             `json:"instructions"`
	Text         string            `json:"text"`
	Hash         string            `json:"hash"`
	Incomplete   string            `json:"incomplete,omitempty"`
}

// Sizes is a size before and after.
type Sizes struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// Mutant is a change of a model, and the tests that detect it.
type Mutant struct {
	Type       string   `json:"type"` // "mutant"
	Part       string   `json:"part"`
	Name       string   `json:"name,omitempty"`
	What       string   `json:"what"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Column     int      `json:"column"`
	Text       string   `json:"text"`
	Standing   string   `json:"standing"`
	Tests      int      `json:"tests"`
	Examples   []string `json:"examples"`
	Unknown    int      `json:"unknown"`
	Why        string   `json:"why,omitempty"`
	Suggestion string   `json:"suggestion,omitempty"`
}

// CoverTotals is the last line of cover.
type CoverTotals struct {
	Type      string         `json:"type"` // "totals"
	Model     string         `json:"model"`
	Tests     int            `json:"tests"`
	Mutants   int            `json:"mutants"`
	Standings map[string]int `json:"standings"`
	IllTyped  int            `json:"illTyped"`
}
