package observedreport

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"strconv"
	"strings"

	_ "embed"

	"github.com/muster-gpu/muster/internal/tests/batch"

	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

// Page is a report as one self-contained HTML file.
type Page struct {
	*Report
	Muster   string              // the version
	Examples map[string]*Example // a picture for each family, if there is one
}

// Example is an execution of a test of a family.
type Example struct {
	Caption string
	Picture *viz.Graph
}

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
)

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":    func() template.CSS { return template.CSS(pageStyle) },
	"number":   number,
	"rate":     rate,
	"plural":   plural,
	"standing": func(d *Device, word string) int { return d.Standings[standings[word]] },
	"mark":     func(c Cell) string { return marks[c.Standing] },
	"class":    func(c Cell) string { return classes[c.Standing] },
	"says":     func(o *Outcome) string { return o.Says.Verb() },
	"reasons":  reasons,
	"minus":    func(a, b int) int { return a - b },
	"percent":  func() string { return fmt.Sprintf("%g%%", 100*observe.Confidence) },
}).Parse(pageText))

var (
	// standings are the words of standings for the template.
	standings = map[string]observe.Standing{
		"sound": observe.Sound, "outside": observe.Outside, "unsound": observe.Unsound, "unknown": observe.Unknown,
	}
	// marks follow a count, and classes give it a colour.
	marks   = map[observe.Standing]string{observe.Unsound: " UNSOUND", observe.Outside: " ~", observe.Unknown: " ?"}
	classes = map[observe.Standing]string{observe.Unsound: "unsound", observe.Outside: "outside"}
)

// HTML writes the page.
func (p *Page) HTML(w io.Writer) error {
	buffered := bufio.NewWriter(w)
	return cmp.Or(page.Execute(buffered, &view{Page: p}), buffered.Flush())
}

// mostPictures bounds the outcomes that have a picture on the page (docs/observations.md): each
// takes some ten kilobytes.
const mostPictures = 200

// WritePage writes the report, as a page by the given version of muster, to a file; it does nothing
// if the name is "". Unsound outcomes must have been explained.
func (r *Report) WritePage(ctx context.Context, s *batch.Simulator, name, muster string) error {
	if name == "" {
		return nil
	}
	examples, err := r.Examples(ctx, s)
	if err != nil {
		return err
	}
	for i, out := range r.Unsound() {
		if out.Explanation == nil || i == mostPictures {
			break // the search was ended
		}
		if out.Picture, err = out.Graph(); err != nil {
			return err
		}
	}
	p := &Page{Report: r, Muster: muster, Examples: examples}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(p.HTML(f), f.Close())
}

// view is a page with the counters that the template needs.
type view struct {
	*Page
	pictures int
}

// Draw returns a picture as SVG. Ids within a page must differ.
func (v *view) Draw(g *viz.Graph) (template.HTML, error) {
	v.pictures++
	var b bytes.Buffer
	err := g.SVG(&b, viz.Style{IDPrefix: fmt.Sprintf("p%d-", v.pictures)})
	return template.HTML(b.String()), err
}

// verdict is the statement about a model.
type verdict struct{ Class, Word, Text string }

// Verdicts says for each model whether it is sound for what was seen.
func (v *view) Verdicts() []verdict {
	var all []verdict
	for _, m := range v.Models {
		n := v.Tally(m)
		unsound, open := n[observe.Unsound], n[observe.Unknown]
		seen := unsound + open + n[observe.Sound]
		outcomes := plural(seen, "outcome") + " that chips showed"
		says := verdict{"good", "Sound", fmt.Sprintf("%s allows the %s, where it covers them.", m.Name, outcomes)}
		switch {
		case unsound > 0:
			says = verdict{"bad", "UNSOUND", fmt.Sprintf("%s forbids %s of the %s.", m.Name, number(unsound), outcomes)}
		case open > 0:
			says = verdict{
				"open", "Unknown",
				fmt.Sprintf("A limit left open what %s says of %s of the %s.", m.Name, number(open), outcomes),
			}
		case seen == 0:
			says = verdict{"open", "Nothing", m.Name + " covers nothing that chips showed."}
		}
		all = append(all, says)
	}
	return all
}

// Runs returns the number of runs that count.
func (v *view) Runs() int { return v.sum(func(d *Device) int64 { return int64(d.Runs) }) }

// Instances returns the number of their instances.
func (v *view) Instances() int { return v.sum(func(d *Device) int64 { return d.Instances }) }

// Unchecked returns how many of the runs that count have unchecked machine code.
func (v *view) Unchecked() int { return v.sum(func(d *Device) int64 { return int64(d.Unchecked) }) }

func (v *view) sum(of func(*Device) int64) int {
	var sum int64
	for _, d := range v.Devices {
		sum += of(d)
	}
	return int(sum)
}

// reason is an axiom that rules out an outcome.
type reason struct{ Axiom, Rejects, Where, Text, Steps string }

// reasons lists why the model forbids an outcome.
func reasons(o *Outcome) []reason {
	var all []reason
	for _, s := range o.Explanation.Outcomes {
		for _, r := range s.Reasons {
			line := reason{
				Axiom: r.Name, Where: fmt.Sprintf("%s:%d", r.At.File.Name, r.At.Pos().Line),
				Text: r.Axiom(), Steps: sim.Steps(r.Execution, &r.Violation),
			}
			if r.Rejects < s.Candidates {
				line.Rejects = fmt.Sprintf("rejects %d of %d candidate executions", r.Rejects, s.Candidates)
			}
			all = append(all, line)
		}
	}
	return all
}

// number formats a count with a thin space between thousands.
func number(n any) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return digits
}

// rate formats a probability.
func rate(p float64) string {
	digits, exponent, ok := strings.Cut(strconv.FormatFloat(p, 'g', 2, 64), "e")
	if !ok {
		return digits
	}
	n, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%s·10%s", digits, superscript.Replace(strconv.Itoa(n)))
}

var superscript = strings.NewReplacer(
	"-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// plural formats a count of things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return number(n) + " " + thing
}
