package observe

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// The log of cuda-litmus, the harness of Levine et al. (ASPLOS 2023), has counts of the weak
// behaviour of a test, and of all behaviours. Its tuning script prints a line for each test and
// setting,
//
//	Test mp-TB_0_1-RELAXED weak: 13, total: 65536, rate: 245.3 per second
//
// and a runner of a single test ends with the sums
//
//	Weak behavior rate: 245.3 per second
//	Total behaviors: 65536
//	Number of weak behaviors: 13
var (
	weakLine  = regexp.MustCompile(`^\s*Test \S+ weak:`)
	totalLine = regexp.MustCompile(`^\s*(?:Total|Number of weak) behaviors:`)
)

// weakLog reads such a log.
type weakLog struct {
	ledger *Ledger
	file   *src.File
	bad    src.Diagnostics
	total  *int64 // from a runner whose count of weak behaviours is still to come
}

// readWeakLog reads the lines with counts. Other lines, which are many, are skipped; a line that
// begins like one with counts but is malformed is an error.
func (l *Ledger) readWeakLog(f *src.File) error {
	r := &weakLog{ledger: l, file: f}
	start := 0
	for line := range strings.Lines(f.Text) {
		s := &lineScanner{f.Span(start, start+len(strings.TrimRight(line, "\r\n"))), 0}
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "Test "):
			r.bad.Add(r.test(s))
		case totalLine.MatchString(line):
			r.bad.Add(r.sum(s))
		}
		start += len(line)
	}
	if r.total != nil {
		r.bad.Errorf(f.Span(start, start), "this log ends before the number of weak behaviours").
			WithHint("expected a line such as: Number of weak behaviors: 13")
	}
	return r.bad.Err()
}

// test reads a line of the tuning script.
func (r *weakLog) test(s *lineScanner) error {
	if err := s.expect("Test"); err != nil {
		return err
	}
	name := s.word()
	weak, err := s.labelled("weak:")
	if err == nil {
		err = s.expect(",")
	}
	if err != nil {
		return err
	}
	total, err := s.labelled("total:")
	if err == nil && s.next != len(s.line.Text()) {
		err = s.expect(",") // the rate follows, which is redundant
	}
	if err != nil {
		return err
	}
	return r.add(name, weak, total, s.line)
}

// sum reads a line of the sums of a runner.
func (r *weakLog) sum(s *lineScanner) error {
	if s.expect("Total behaviors:") == nil {
		n, err := s.number()
		r.total = &n
		return err
	}
	weak, err := s.labelled("Number of weak behaviors:")
	switch {
	case err != nil:
		return err
	case r.total == nil:
		return src.Errorf(s.line, "this count is out of a number that the log does not say").
			WithHint("expected before it a line such as: Total behaviors: 65536")
	}
	total := *r.total
	r.total = nil
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(r.file.Name), filepath.Ext(r.file.Name)), "-runner")
	return r.add(name, weak, total, s.line)
}

func (r *weakLog) add(test string, weak, total int64, at src.Span) error {
	return r.ledger.Add(&Record{Test: test, Device: r.ledger.Anonymous, Instances: total, Asked: &weak, At: at})
}

// lineScanner scans a line, in which spaces may be missing or added.
type lineScanner struct {
	line src.Span
	next int
}

// blanks skips spaces.
func (s *lineScanner) blanks() string {
	text := s.line.Text()
	rest := strings.TrimLeft(text[s.next:], " \t")
	s.next = len(text) - len(rest)
	return rest
}

// here returns an error at the scanner's position.
func (s *lineScanner) here(want string) error {
	found := "the end of the line"
	if rest := s.blanks(); rest != "" {
		word, _, _ := strings.Cut(rest, " ")
		found = strconv.Quote(word)
	}
	return src.Errorf(s.line.Sub(s.next, max(s.next, len(s.line.Text()))), "expected %s, found %s", want, found).
		WithHint(
			"a line of cuda-litmus with the counts of a test: Test NAME weak: 13, total: 65536, rate: 245.3 per second")
}

// expect skips a text, which must be there.
func (s *lineScanner) expect(text string) error {
	if !strings.HasPrefix(s.blanks(), text) {
		return s.here(text)
	}
	s.next += len(text)
	return nil
}

// word returns the text up to the next space.
func (s *lineScanner) word() string {
	word, _, _ := strings.Cut(s.blanks(), " ")
	s.next += len(word)
	return word
}

// number reads a count.
func (s *lineScanner) number() (int64, error) {
	rest := s.blanks()
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, s.here("a count of 64 bits")
	}
	s.next += len(digits)
	return n, nil
}

// labelled reads a count behind its label.
func (s *lineScanner) labelled(label string) (int64, error) {
	if err := s.expect(label); err != nil {
		return 0, err
	}
	return s.number()
}
