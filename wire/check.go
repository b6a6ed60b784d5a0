package wire

// Checked is what check says of a test.
type Checked struct {
	Type string `json:"type"` // "test"
	Result
	Expected      string   `json:"expected,omitempty"`
	ExpectedFlags []string `json:"expectedFlags,omitempty"`
	Reason        string   `json:"reason,omitempty"`
	AsExpected    bool     `json:"asExpected"`
}

// Count is a hardware count of a table, against the model of its test.
type Count struct {
	Type     string `json:"type"` // "count"
	Model    string `json:"model"`
	Test     string `json:"test"`
	Device   string `json:"device"`
	Runs     int    `json:"runs"`
	Observed *int   `json:"observed"` // nil if the test could not be run
	Source   string `json:"source"`
	Setting  string `json:"setting,omitempty"`
	Note     string `json:"note,omitempty"`
	Standing string `json:"standing"`
	Why      string `json:"why,omitempty"`
	Vendor   string `json:"vendor,omitempty"`
	Outcome  string `json:"outcome"`
}

// CheckTotals is the last line of check.
type CheckTotals struct {
	Type       string         `json:"type"` // "totals"
	Tests      int            `json:"tests"`
	Unexpected int            `json:"unexpected"`
	Counts     map[string]int `json:"counts"`
}

// Outcome is a final state that the model allows or that was seen.
type Outcome struct {
	Type   string            `json:"type"` // "outcome"
	Test   string            `json:"test"`
	Hash   string            `json:"hash"`
	Model  string            `json:"model"`
	Values map[string]string `json:"values,omitempty"`
	// instead of values: what tables count, and what the model forbids and nobody saw
	Condition string   `json:"condition,omitempty"`
	AskedFor  bool     `json:"askedFor"`
	Outcome   string   `json:"outcome"`
	Seen      int64    `json:"seen"`
	Instances int64    `json:"instances"`
	Upper     float64  `json:"upper"`
	Devices   []Cell   `json:"devices"`
	Reasons   []Reason `json:"reasons,omitempty"`
}

// Cell is how often a device showed an outcome.
type Cell struct {
	Device    string `json:"device"`
	Count     int64  `json:"count"`
	Instances int64  `json:"instances"`

	Launches *Launches `json:"launches,omitempty"` // nil if some record does not say

	Standing string `json:"standing"`
	Why      string `json:"why,omitempty"`
}

// Launches is in how many launches an outcome was seen, of how many.
type Launches struct {
	Seen int64 `json:"seen"`
	Of   int64 `json:"of"`
}

// Void is runs that do not count, because the machine code is not the test.
type Void struct {
	Type   string `json:"type"` // "void"
	Test   string `json:"test"`
	Device string `json:"device"`
	Runs   int    `json:"runs"`
	Why    string `json:"why,omitempty"`
}

// Device is a device and its totals.
type Device struct {
	Type  string `json:"type"` // "device"
	Label string `json:"device"`

	Name         string `json:"name"`
	Vendor       string `json:"vendor,omitempty"`
	Architecture string `json:"architecture,omitempty"`
	Chip         string `json:"chip,omitempty"`
	Year         int    `json:"year,omitempty"`

	ComputeCapability string `json:"computeCapability,omitempty"`
	Driver            string `json:"driver,omitempty"`
	UUID              string `json:"uuid,omitempty"`

	Tests     int            `json:"tests"`
	Runs      int            `json:"runs"`
	NotRun    int            `json:"notRun"`
	Unchecked int            `json:"unchecked"`
	Void      int            `json:"void"`
	Instances int64          `json:"instances"`
	Outcomes  int            `json:"outcomes"`
	Standings map[string]int `json:"standings"`
}

// Family is what the model allows in tests of one shape, and what was seen of it.
type Family struct {
	Type        string  `json:"type"` // "family"
	Family      string  `json:"family"`
	Tests       int     `json:"tests"`
	Allowed     int     `json:"allowed"`
	Unseen      int     `json:"unseen"`
	Asked       int     `json:"asked"`
	AskedUnseen int     `json:"askedUnseen"`
	Instances   int64   `json:"instances,omitempty"`
	Upper       float64 `json:"upper,omitempty"`
	// Outcomes that conditions ask for, the model forbids and no chip has shown:
	Refused          int     `json:"refused,omitempty"`
	RefusedInstances int64   `json:"refusedInstances,omitempty"` // the fewest that one was looked for in
	RefusedUpper     float64 `json:"refusedUpper,omitempty"`     // the upper bound of the rate of that one
}

// ObservedTotals is the last line of check --observations.
type ObservedTotals struct {
	Type    string `json:"type"` // "totals"
	Tests   int    `json:"tests"`
	Devices int    `json:"devices"`
	Unsound int    `json:"unsound"`
	Unseen  int    `json:"unseen"`
	Void    int    `json:"void"`
}

// Contrasted is how often each of two lots of observations has seen an outcome.
type Contrasted struct {
	Type         string            `json:"type"` // "contrast"
	Test         string            `json:"test"`
	Hash         string            `json:"hash,omitempty"`
	Values       map[string]string `json:"values,omitempty"`
	Condition    string            `json:"condition,omitempty"`
	AskedFor     bool              `json:"askedFor"`
	Verdict      string            `json:"verdict"`
	Observations Rate              `json:"observations"`
	Against      Rate              `json:"against"`
}

// Rate is how often something was seen, and the interval of its rate.
type Rate struct {
	Seen      int64   `json:"seen"`
	Instances int64   `json:"instances"`
	Lower     float64 `json:"lower"`
	Upper     float64 `json:"upper"`

	Launches *Launches `json:"launches,omitempty"` // nil if some record does not say
}

// Absent is a test of which one of them has no run that counts.
type Absent struct {
	Type string `json:"type"` // "absent"
	Test string `json:"test"`
	From string `json:"from"` // "observations" or "against"
	Why  string `json:"why,omitempty"`
}

// Otherwise is something about how the runs were made that differs.
type Otherwise struct {
	Type         string   `json:"type"` // "otherwise"
	What         string   `json:"what"`
	Observations []string `json:"observations"`
	Against      []string `json:"against"`
}

// ContrastTotals is the last line of check --against.
type ContrastTotals struct {
	Type      string `json:"type"` // "totals"
	Tests     int    `json:"tests"`
	Alone     int    `json:"alone"`
	TooFew    int    `json:"tooFew"`
	RatesPart int    `json:"ratesPart"`
	Alike     int    `json:"alike"`
}
