package web

import (
	"path"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
)

// shelf is corpus.json: the shipped tests in the format of the page (web/app/shelf.js). They are
// not part of the engine, which would become larger.
type shelf struct {
	Models []string `json:"models"` // that have expected verdicts
	// the expected verdicts, each once: hundreds of tests share them
	Verdicts []expectation             `json:"verdicts"`
	Devices  map[string]observe.Device `json:"devices"` // by the names that counts use
	Tests    shelved                   `json:"tests"`
}

// shelved is the shipped tests with what is known about them, column by column: similar values are
// adjacent and compress better.
type shelved struct {
	Name   []string `json:"name"`
	Folder []string `json:"folder"`
	Arch   []string `json:"arch"`
	Kind   []string `json:"kind"`  // of the condition
	Model  []string `json:"model"` // the default
	Text   []string `json:"text"`  // includes the doc string
	// Expected is what the models must say, in the order of shelf.Models: the number of the
	// verdict, from 1; 0 where nothing is expected.
	Expected [][]int         `json:"expected"`
	Counts   [][]observe.Run `json:"counts"` // how often chips showed the outcome
}

// shelve lists the tests of a corpus with what is known about them.
func shelve(c *corpus.Corpus, known *corpus.Tables) (*shelf, error) {
	s := &shelf{Devices: map[string]observe.Device{}}
	for _, info := range models.List() {
		s.Models = append(s.Models, info.Name)
	}
	counts := map[string][]observe.Run{}
	for _, r := range known.Runs {
		s.Devices[r.Device] = known.Device(r.Device)
		counts[r.Test] = append(counts[r.Test], r)
	}
	numbers := map[expectation]int{}
	for _, file := range c.Files {
		f, err := c.Open(file)
		if err != nil {
			return nil, err
		}
		t, err := frontends.Shipped().Parse(f)
		if err != nil {
			return nil, err
		}
		s.Tests.add(t, path.Dir(file))
		s.Tests.Expected = append(s.Tests.Expected, s.expected(t.Name.Text, known, numbers))
		s.Tests.Counts = append(s.Tests.Counts, counts[t.Name.Text])
	}
	return s, nil
}

// expectation is a verdict with its reason, which many tests share.
type expectation struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
}

// expected returns what the models must say of a test; numbers maps verdicts to their numbers.
func (s *shelf) expected(test string, known *corpus.Tables, numbers map[expectation]int) []int {
	all := make([]int, len(s.Models))
	for i, model := range s.Models {
		e, ok := known.Expected(test, model)
		if !ok {
			continue
		}
		must := expectation{e.Verdict, e.Reason}
		if numbers[must] == 0 {
			s.Verdicts = append(s.Verdicts, must)
			numbers[must] = len(s.Verdicts)
		}
		all[i] = numbers[must]
	}
	return all
}

// add adds the data of a test.
func (s *shelved) add(t *litmus.Test, folder string) {
	s.Name = append(s.Name, t.Name.Text)
	s.Folder = append(s.Folder, folder)
	s.Arch = append(s.Arch, t.Arch)
	s.Kind = append(s.Kind, t.Cond.Quant.Kind().String())
	s.Model = append(s.Model, t.Format.Model)
	s.Text = append(s.Text, t.File.Text)
}
