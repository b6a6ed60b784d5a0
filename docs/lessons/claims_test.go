package lessons_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/muster-gpu/muster/docs/lessons"
	"github.com/muster-gpu/muster/litmus"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestClaims runs what the lessons say of models and tests.
func TestClaims(t *testing.T) {
	corpus := shipped(t)
	loaded := map[string]*models.Model{}
	for _, l := range lessons.List() {
		for _, c := range l.Claims {
			if loaded[c.Model] == nil {
				m, err := models.Load(c.Model, models.Config{})
				if err != nil {
					t.Fatalf("%s: %v", at(c.At), err)
				}
				loaded[c.Model] = m
			}
			test, ok := testOf(t, &l, corpus, c.Test)
			if !ok {
				t.Errorf("%s: neither this lesson nor the corpus has a test %s", at(c.At), c.Test)
				continue
			}
			checkClaim(t, c, test, loaded[c.Model])
		}
	}
}

func checkClaim(t *testing.T, c lessons.Claim, test *sim.Test, m *models.Model) {
	t.Helper()
	test, err := test.For(m.Target) // one in CUDA C++ is translated for a model of PTX
	if err != nil {
		t.Fatal(err)
	}
	r, err := test.Run(context.Background(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	if r.Incomplete() != "" {
		t.Errorf("%s: %s under %s: %s", at(c.At), c.Test, c.Model, r.Incomplete())
	}
	if got := verdict(r); got != c.Verdict {
		t.Errorf("%s: %s under %s is %s, not %s", at(c.At), c.Test, c.Model, got, c.Verdict)
	}
	if c.Axiom == "" {
		return
	}
	e, err := test.Explain(context.Background(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	var axioms []string
	for _, o := range e.Outcomes {
		for _, reason := range o.Reasons {
			axioms = append(axioms, reason.Name)
		}
	}
	if !slices.Contains(axioms, c.Axiom) {
		t.Errorf("%s: %s rejects %s by %v, not by %s", at(c.At), c.Model, c.Test, axioms, c.Axiom)
	}
}

// verdict is that of a result, as the page shows it.
func verdict(r *sim.Result) lessons.Verdict {
	if r.Outcome() == sim.Undefined {
		return lessons.Undefined
	}
	return lessons.Verdict(litmus.Observe(int64(r.Positive), int64(r.Negative)).String())
}

// at is a place as messages write it.
func at(s src.Span) string { return s.File.Name + ":" + strconv.Itoa(s.Pos().Line) }

// says is how the text of a claim's link says its verdict, if it says one in words.
var says = map[lessons.Verdict]*regexp.Regexp{
	lessons.Never:     regexp.MustCompile(`\b(forbid|forbade|cannot happen|rules? (it )?out|Never)`),
	lessons.Sometimes: happens,
	lessons.Always:    happens,
	lessons.Undefined: regexp.MustCompile(`\b(undefined|Undef)`),
}

var happens = regexp.MustCompile(`\b(allow|can happen|Sometimes|Always)`)

// TestSaid checks that the text of a link says what its fragment says.
func TestSaid(t *testing.T) {
	for _, l := range lessons.List() {
		for _, c := range l.Claims {
			others := slices.ContainsFunc(slices.Collect(maps.Values(says)), func(x *regexp.Regexp) bool {
				return x != says[c.Verdict] && x.MatchString(c.Said)
			})
			if others || !says[c.Verdict].MatchString(c.Said) {
				t.Errorf("%s: the link to %s under %s says %q, and its claim is %s", at(c.At), c.Test, c.Model, c.Said, c.Verdict)
			}
		}
		for _, c := range l.Counts {
			if digits := strings.ReplaceAll(c.Said, ",", ""); !regexp.MustCompile(`\b` + strconv.Itoa(c.Seen) + `\b`).MatchString(digits) {
				t.Errorf("%s: the link says %q, and its count is %d", at(c.At), c.Said, c.Seen)
			}
		}
	}
}

// TestCounts compares what lessons say of hardware with the record.
func TestCounts(t *testing.T) {
	record := map[lessons.Count]bool{}
	folder := "asplos15"
	name := folder + "/observations.csv"
	table, err := litmustests.FS.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := observe.ReadRuns(src.NewFile(name, string(table)))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if r.Observed != nil {
			setting := strings.ReplaceAll(r.Setting, " ", "-")
			record[lessons.Count{Folder: folder, Test: r.Test, Device: r.Device, Setting: setting, Seen: *r.Observed, Runs: r.Runs}] = true
		}
	}
	for _, l := range lessons.List() {
		for _, c := range l.Counts {
			row := c
			row.Said, row.At = "", src.Span{}
			if !record[row] {
				t.Errorf("%s: the record has no %d of %d for %s on %s %s", at(c.At), c.Seen, c.Runs, c.Test, c.Device, c.Setting)
			}
		}
	}
}

// verdictWord is a word that, said of a test, is a claim.
var verdictWord = regexp.MustCompile(`\b([Aa]llow(s|ed|ing)?|[Ff]orbid(s|den|ding)?|[Ff]orbade|can(not)? happen|Never|Sometimes|Always)\b`)

// TestClaimsAreLinks checks that no sentence speaks of verdicts without a claim that is tested.
// Questions may, and headings.
func TestClaimsAreLinks(t *testing.T) {
	for _, l := range lessons.List() {
		for _, s := range unclaimed([]byte(l.Text)) {
			t.Errorf("%s: this sentence has no claim: %s", l.Slug, s)
		}
	}
	const sample = "SC [forbids it](../../models/sc.cat#sb=Never). TSO does not. It allows\n`sb`. Is it allowed?\n\n- Models allow\n\n" +
		"# What is allowed\n\n| never | Never |\n|---|---|\n| a | [Never](../../models/sc.cat#sb=Never) |\n"
	if got, want := strings.Join(unclaimed([]byte(sample)), "; "), "It allows ·.; Models allow; Never"; got != want {
		t.Errorf("found %q, expected %q", got, want)
	}
}

const (
	claimMark = "¶" // for a link that is a claim
	codeMark  = "·" // for code
)

// unclaimed is the sentences of a text with a verdict and without a claim.
func unclaimed(source []byte) []string {
	var found []string
	document := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading:
			return ast.WalkSkipChildren, nil
		case ast.KindParagraph, ast.KindTextBlock, extast.KindTableCell:
			for _, s := range sentences(n, source) {
				if verdictWord.MatchString(s) && !strings.Contains(s, claimMark) && !strings.HasSuffix(s, "?") {
					found = append(found, s)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

var sentenceEnd = regexp.MustCompile(`([.?!:])\s+`)

// sentences is the text of a block, in pieces.
func sentences(block ast.Node, source []byte) []string {
	var b strings.Builder
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering && bytes.Contains(n.Destination, []byte(".cat#")) {
				b.WriteString(claimMark)
				return ast.WalkSkipChildren, nil
			}
		case *ast.CodeSpan:
			if entering {
				b.WriteString(codeMark)
			}
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Split(sentenceEnd.ReplaceAllString(b.String(), "$1\n"), "\n")
}

// TestExcerpts checks that what lessons show of models stands there: all lines of a block in one
// file of models, in their order.
func TestExcerpts(t *testing.T) {
	files, err := filepath.Glob("../../models/*.cat")
	if err != nil {
		t.Fatal(err)
	}
	var texts [][]string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Split(string(text), "\n"))
	}
	blocks := regexp.MustCompile("(?s)```cat\n(.*?)\n```")
	for _, l := range lessons.List() {
		for _, block := range blocks.FindAllStringSubmatch(l.Text, -1) {
			if !slices.ContainsFunc(texts, func(lines []string) bool { return stands(strings.Split(block[1], "\n"), lines) }) {
				t.Errorf("%s: no model has\n%s", l.Slug, block[1])
			}
		}
	}
}

// stands reports that lines contain an excerpt, perhaps with other lines between.
func stands(excerpt, lines []string) bool {
	for _, line := range lines {
		if len(excerpt) > 0 && line == excerpt[0] {
			excerpt = excerpt[1:]
		}
	}
	return len(excerpt) == 0
}
