package wire

// Checked is the result of check about a test.
type Checked struct {
	Type string `json:"type"` // "test"
	Result
	Expected      string   `json:"expected,omitempty"`
	ExpectedFlags []string `json:"expectedFlags,omitempty"`
	Reason        string   `json:"reason,omitempty"`
	AsExpected    bool     `json:"asExpected"`
}

// Count is a hardware count of a table, compared with the model of its test.
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
	// instead of values: the condition, for counts of tables, and for outcomes that the model
	// forbids and no chip showed
	Condition string   `json:"condition,omitempty"`
	AskedFor  bool     `json:"askedFor"`
	Outcome   string   `json:"outcome"`
	Seen      int64    `json:"seen"`
	Instances int64    `json:"instances"`
	Upper     float64  `json:"upper"`
	Devices   []Cell   `json:"devices"`
	Reasons   []Reason `json:"reasons,omitempty"`
}

// Cell is the count of an outcome on one device.
type Cell struct {
	Device    string `json:"device"`
	Count     int64  `json:"count"`
	Instances int64  `json:"instances"`

	Launches *Launches `json:"launches,omitempty"` // nil if some record does not have them

	Standing string `json:"standing"`
	Why      string `json:"why,omitempty"`
}

// Launches is the number of launches in which an outcome was seen, and of all launches.
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

// Family sums up, for the tests of one shape, what the model allows and what was seen.
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
	Refused int `json:"refused,omitempty"`
	// the fewest instances in which one was looked for
	RefusedInstances int64 `json:"refusedInstances,omitempty"`
	// the upper bound of the rate of that outcome
	RefusedUpper float64 `json:"refusedUpper,omitempty"`
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

// Contrasted is the count of an outcome in each of two sets of observations.
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

// Rate is a count, with a confidence interval of the rate.
type Rate struct {
	Seen      int64   `json:"seen"`
	Instances int64   `json:"instances"`
	Lower     float64 `json:"lower"`
	Upper     float64 `json:"upper"`

	Launches *Launches `json:"launches,omitempty"` // nil if some record does not have them
}

// Absent is a test for which one set of observations has no run that counts.
type Absent struct {
	Type string `json:"type"` // "absent"
	Test string `json:"test"`
	From string `json:"from"` // "observations" or "against"
	Why  string `json:"why,omitempty"`
}

// Otherwise is a difference in how the runs were made.
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
