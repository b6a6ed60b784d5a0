package observe

import (
	"cmp"
	"math"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Ledger merges records: the counts of all runs of a test on a chip are summed.
type Ledger struct {
	Devices []*Device // in order of first appearance
	Tests   []*Tested // likewise

	// Anonymous is the device of logs, which do not name any.
	Anonymous Device

	total   int64 // of all instances; no sum is larger
	devices map[deviceKey]*Device
	tests   map[string]*Tested
	known   []Device // that tables describe
}

// deviceKey distinguishes chips: two with one name may be in a machine.
type deviceKey struct{ name, uuid string }

// Tested holds the observations of one test, by chip.
type Tested struct {
	Name  string
	Hash  string   // "" if no record has it
	Text  string   // "" if no record has it
	At    src.Span // of the first record
	Shown []*Shown // by device, in the order of their first records
}

// Shown holds the observations of one test on one chip, summed over all runs.
type Shown struct {
	Device    *Device
	At        src.Span // of the first record
	Runs      int      // that are counted
	NotRun    int      // rows that say that the test could not be run
	Unchecked int      // of Runs, those without an optcheck verdict
	// runs that are not counted because their machine code does not do what the test says, by
	// reason
	Void map[string]int
	Ways map[Way]int // how the runs that are counted were made

	Instances int64            // in the histogram
	Histogram []litmus.Outcome // in order of first appearance
	// by state of Histogram: number of launches in which it was seen, as far as records tell
	Came     []int64
	Launched Launched // launches of the instances

	// From tables, which have a count of the condition's outcome instead of a histogram:
	AskedInstances, Asked int64

	index map[string]int // of the states of the histogram
}

// Way is how a run was made, as far as its record tells.
type Way struct{ Driver, Toolkit, Settings string }

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{devices: map[deviceKey]*Device{}, tests: map[string]*Tested{}}
}

// Add adds a record. The error, a *src.Diagnostic, says why it is refused.
func (l *Ledger) Add(r *Record) error {
	outcomes, sum, err := r.outcomes()
	if err != nil {
		return src.Errorf(r.At, "%v", err)
	}
	if r.Asked != nil && *r.Asked > r.Instances {
		return src.Errorf(r.At, "%s was seen %d times in %d runs", r.Test, *r.Asked, r.Instances)
	}
	n := max(sum, r.Instances)
	if n > math.MaxInt64-l.total {
		return src.Errorf(r.At, "the runs of all records add up to more than 64 bits hold")
	}
	l.total += n
	t := l.tested(r)
	s := t.shown(l.device(r.Device), r.At)
	switch {
	case r.Fault != "":
		s.NotRun++
		return nil
	case r.Optcheck.Verdict == Failed:
		s.Void[r.Optcheck.Why]++
		return nil
	case r.Asked == nil && sum == 0:
		s.NotRun++
		return nil
	case r.Asked != nil:
		s.AskedInstances += r.Instances
		s.Asked += *r.Asked
	}
	s.Runs++
	s.Ways[Way{r.Device.Driver, r.Toolkit, string(r.Settings)}]++
	if r.Optcheck.Verdict == NotChecked {
		s.Unchecked++
	}
	s.Instances += sum
	s.add(outcomes)
	s.launch(r, outcomes)
	return nil
}

// tested returns the test of a record, by its hash or else by its name.
func (l *Ledger) tested(r *Record) *Tested {
	key := "hash " + r.Hash
	if r.Hash == "" {
		key = "name " + r.Test
	}
	t := l.tests[key]
	if t == nil {
		t = &Tested{Name: r.Test, Hash: r.Hash, At: r.At}
		l.tests[key] = t
		l.Tests = append(l.Tests, t)
	}
	t.Text = cmp.Or(t.Text, r.Text)
	return t
}

func (l *Ledger) device(d Device) *Device {
	key := deviceKey{d.Name, d.UUID}
	if l.devices[key] == nil {
		for _, known := range l.known {
			d.complete(known)
		}
		l.devices[key] = &d
		l.Devices = append(l.Devices, &d)
	}
	return l.devices[key]
}

// Describe adds what a table of devices says to what records say; names match them.
func (l *Ledger) Describe(devices []Device) {
	l.known = append(l.known, devices...)
	for _, known := range devices {
		for _, d := range l.Devices {
			d.complete(known)
		}
	}
}

// complete fills in unknown properties of a device from one of the same name.
func (d *Device) complete(known Device) {
	if d.Name != known.Name {
		return
	}
	d.Vendor = cmp.Or(d.Vendor, known.Vendor)
	d.Architecture = cmp.Or(d.Architecture, known.Architecture)
	d.Chip = cmp.Or(d.Chip, known.Chip)
	d.Year = cmp.Or(d.Year, known.Year)
}

func (t *Tested) shown(d *Device, at src.Span) *Shown {
	for _, s := range t.Shown {
		if s.Device == d {
			return s
		}
	}
	s := &Shown{Device: d, At: at, Void: map[string]int{}, Ways: map[Way]int{}, index: map[string]int{}}
	t.Shown = append(t.Shown, s)
	return s
}

// add adds up histograms.
func (s *Shown) add(outcomes []litmus.Outcome) {
	for _, o := range outcomes {
		key := o.String()
		i, ok := s.index[key]
		if !ok {
			s.index[key] = len(s.Histogram)
			s.Histogram = append(s.Histogram, o)
			s.Came = append(s.Came, 0)
			continue
		}
		s.Histogram[i].Count += o.Count
	}
}
