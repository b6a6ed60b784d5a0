package web

import (
	"path"

	"github.com/muster-gpu/muster/corpus"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
)

// shelf is corpus.json: the shipped tests as the page gets them (web/app/shelf.js). They are
// not part of the engine, which would be the larger for it.
type shelf struct {
	Models  []string   `json:"models"`  // that verdicts are expected of
	Reasons []string   `json:"reasons"` // of expected verdicts, each once: hundreds of tests share them
	Tests   []*shelved `json:"tests"`
}

// shelved is a shipped test with what is known of it.
type shelved struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Arch   string `json:"arch"`
	Family string `json:"family"`
	Kind   string `json:"kind"`  // of its condition
	Model  string `json:"model"` // its default
	Text   string `json:"text"`  // which has the doc string
	// Expected is what the models must say, in the order of shelf.Models: the number of the
	// reason, from 1 on, negative if the outcome is forbidden; 0 where nothing is expected.
	Expected []int   `json:"expected"`
	Counts   []count `json:"counts,omitempty"`
}

// count is how often a chip showed the outcome that a test asks about.
type count struct {
	observe.Run
	Chip         string `json:"chip"`
	Architecture string `json:"architecture"`
	Vendor       string `json:"vendor"`
	Year         int    `json:"year"`
}

// shelve lists the tests of a corpus with what is known of them.
func shelve(c *corpus.Corpus, known *corpus.Tables) (*shelf, error) {
	s := &shelf{}
	for _, info := range models.List() {
		s.Models = append(s.Models, info.Name)
	}
	byName := map[string]*shelved{}
	reasons := map[string]int{}
	for _, file := range c.Files {
		f, err := c.Open(file)
		if err != nil {
			return nil, err
		}
		t, err := litmus.Parse(f)
		if err != nil {
			return nil, err
		}
		test := newShelved(t, path.Dir(file))
		test.Expected = s.expected(test.Name, known, reasons)
		s.Tests = append(s.Tests, test)
		byName[test.Name] = test
	}
	for _, r := range known.Runs {
		if test := byName[r.Test]; test != nil {
			d := known.Device(r.Device)
			test.Counts = append(test.Counts, count{r, d.Chip, d.Architecture, d.Vendor, d.Year})
		}
	}
	return s, nil
}

// expected looks up what the models must say of a test; numbers has the numbers of reasons.
func (s *shelf) expected(test string, known *corpus.Tables, numbers map[string]int) []int {
	all := make([]int, len(s.Models))
	for i, model := range s.Models {
		e, ok := known.Expected(test, model)
		if !ok {
			continue
		}
		if numbers[e.Reason] == 0 {
			s.Reasons = append(s.Reasons, e.Reason)
			numbers[e.Reason] = len(s.Reasons)
		}
		all[i] = numbers[e.Reason]
		if !e.Allowed {
			all[i] = -all[i]
		}
	}
	return all
}

func newShelved(t *litmus.Test, folder string) *shelved {
	return &shelved{
		Name: t.Name.Text, Folder: folder, Arch: t.Arch, Family: observe.Family(t.Name.Text),
		Kind: t.Cond.Quant.Kind().String(), Model: models.Default(t.Arch), Text: t.File.Text,
	}
}
