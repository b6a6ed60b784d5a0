package play

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/wire"
)

// mostListed bounds the executions of a kind that are kept.
const mostListed = 100

// listing is the list of candidate executions of a test that the page shows.
type listing struct {
	as                 *sim.Test // the test as the model judges it, perhaps translated
	of                 *sim.Test // the test as written
	candidates         []*listed // in the order of the list
	allowed, forbidden int
	limit              error
	stats              enumerate.Stats
	reason             string // why there are no candidates, or ""
	err                error
}

// listed is a candidate in the list, with the names of the axioms that reject it.
type listed struct {
	*sim.Candidate
	axioms   []string
	standing sim.Standing // of a rejected candidate
	// of the axioms, if an explanation has found them; nil if the model must be asked
	violations []cat.Violation
}

// find collects the candidate executions for a request.
func (e *Engine) find(r *request) (m *loadedModel, l *listing, err error) {
	if r.Model == nil {
		return nil, nil, fmt.Errorf("%s: no model given", r.Verb)
	}
	test, m := e.load(r.reading()), e.loadModel(*r.Model)
	if err := cmp.Or(test.err, m.err); err != nil {
		return nil, nil, err
	}
	key, err := json.Marshal([]any{r.Test, r.Model, r.State, r.timeout(), r.Unroll})
	if err != nil {
		return nil, nil, err
	}
	l = e.found.get(string(key), func() *listing {
		as, err := test.For(m.Target)
		if err != nil {
			return &listing{err: err}
		}
		l := newListing(as, test.Test, m.Model.Model, r)
		if l.err == nil && len(l.candidates) == 0 && r.State != "" {
			l.err = e.explain(l, r, m)
		}
		l.err = test.here(l.err)
		return l
	})
	return m, l, l.err
}

func newListing(as, of *sim.Test, m *cat.Model, r *request) *listing {
	l := &listing{as: as, of: of}
	var allowed, forbidden []*listed
	for c, err := range as.Candidates(within(r.share(1)), m, &l.stats) {
		switch {
		case err != nil:
		case r.State != "" && !slices.Contains(l.keys(c), r.State):
		case c.Verdict.Allowed():
			l.allowed++
			allowed, err = keep(allowed, c, m)
		default:
			l.forbidden++
			forbidden, err = keep(forbidden, c, m)
		}
		if sim.IsLimit(err) {
			l.limit = err
			break
		}
		if err != nil {
			l.err = err
			return l
		}
	}
	slices.SortStableFunc(forbidden, func(a, b *listed) int { return a.standing.Compare(b.standing) })
	l.candidates = slices.Concat(allowed, forbidden)
	if l.allowed == 0 && l.limit != nil {
		l.err = l.addWitness(m, r)
	}
	return l
}

// keep adds a candidate to a list that is not full yet.
func keep(list []*listed, c *sim.Candidate, m *cat.Model) ([]*listed, error) {
	if len(list) == mostListed {
		return list, nil
	}
	failed, err := m.Failures(c.Execution, c.Choices)
	names := []string{}
	for _, f := range failed {
		names = append(names, f.Name)
	}
	if err != nil || len(names) == 0 {
		return append(list, &listed{Candidate: c, axioms: names}), err
	}
	standing, err := c.Standing(m)
	return append(list, &listed{Candidate: c, axioms: distinct(names), standing: standing}), err
}

// explain lists the executions with which package sim explains why a model forbids a state. It
// finds some where the enumeration does not: in time, or without a coherence order of the model.
func (e *Engine) explain(l *listing, r *request, m *loadedModel) error {
	reading := r.reading()
	reading.state = r.State
	asking := e.load(reading)
	if asking.err != nil {
		return asking.err
	}
	as, err := asking.For(m.Target)
	if err != nil {
		return err
	}
	x, err := as.Explain(within(max(r.share(1), explainTime)), m.Model.Model)
	if err != nil {
		return err
	}
	for i := range x.Outcomes {
		for _, reason := range x.Outcomes[i].Decisive() {
			l.reject(x.Outcomes[i].State, reason)
		}
	}
	if len(l.candidates) == 0 {
		l.reason = absence(x, false)
	}
	return nil
}

// reject lists the execution that an axiom rejects, or adds the axiom if the execution is listed.
func (l *listing) reject(end litmus.State, r *sim.Reason) {
	i := slices.IndexFunc(l.candidates, func(c *listed) bool {
		return c.Execution == r.Execution && len(c.violations) > 0
	})
	if i < 0 {
		i = len(l.candidates)
		l.forbidden++
		candidate := &sim.Candidate{
			Witness: r.Witness,
			Verdict: &cat.Verdict{Rejected: r.Check},
			Ends:    []litmus.State{end},
		}
		l.candidates = append(l.candidates, &listed{Candidate: candidate, standing: r.Standing})
	}
	c := l.candidates[i]
	c.axioms = append(c.axioms, r.Name)
	c.violations = append(c.violations, r.Violation)
}

// distinct numbers repeated names, such as those of the failures of one check in a forall: the page
// distinguishes the axioms of an execution by their names.
func distinct(names []string) []string {
	times := map[string]int{}
	for i, name := range names {
		for times[names[i]] > 0 {
			times[name]++
			names[i] = fmt.Sprintf("%s %d", name, times[name])
		}
		times[names[i]]++
	}
	return names
}

// addWitness adds an allowed execution that the fast engine has found, for an enumeration that ran
// out of time before it found one.
func (l *listing) addWitness(m *cat.Model, r *request) error {
	result, err := l.as.Run(within(extraTime), m)
	if err != nil {
		return err
	}
	for i := range result.States {
		s := &result.States[i]
		if r.State == "" || r.State == l.key(s.State()) {
			c := &sim.Candidate{Witness: *s.Witness(), Verdict: &cat.Verdict{}, Ends: []litmus.State{s.State()}}
			l.candidates = slices.Insert(l.candidates, 0, &listed{Candidate: c, axioms: []string{}})
			l.allowed = 1
			break
		}
	}
	return nil
}

// key returns the key of a final state.
func (l *listing) key(s litmus.State) string { return l.as.Original(s).Format(l.of.Observables()) }

// keys returns the keys of the states in which a candidate can end.
func (l *listing) keys(c *sim.Candidate) []string {
	all := make([]string, len(c.Ends))
	for i, s := range c.Ends {
		all[i] = l.key(s)
	}
	return all
}

// executions lists candidate executions.
func (e *Engine) executions(r *request) (any, error) {
	_, l, err := e.find(r)
	if err != nil {
		return nil, err
	}
	answer := &wire.Executions{
		Executions: []wire.Listing{}, Allowed: l.allowed, Forbidden: l.forbidden,
		Incomplete: incomplete(l.as, l.limit, &l.stats), Reason: l.reason,
	}
	for i, c := range l.candidates {
		answer.Executions = append(answer.Executions, wire.Listing{
			Index: i, Allowed: c.Verdict.Allowed(), States: l.keys(c.Candidate), Axioms: c.axioms,
			Flags: append([]string{}, c.Verdict.Flags...), Hangs: c.Hangs(),
		})
	}
	return answer, nil
}

// violationsOf returns how the execution violates the axioms that reject it. The caller may change
// the result.
func (c *listed) violationsOf(m *cat.Model) ([]cat.Violation, error) {
	if c.violations != nil {
		return slices.Clone(c.violations), nil
	}
	return m.Violations(c.Execution, c.Choices)
}

// draw draws one of the executions that find lists.
func (e *Engine) draw(r *request) (any, error) {
	m, l, err := e.find(r)
	if err != nil {
		return nil, err
	}
	write, ok := picture.Formats[cmp.Or(r.Format, "svg")]
	if !ok {
		return nil, fmt.Errorf("draw: there is no format %q", r.Format)
	}
	theme, ok := picture.Themes[cmp.Or(r.Theme, "auto")]
	if !ok {
		return nil, fmt.Errorf("draw: there is no theme %q", r.Theme)
	}
	if r.Index < 0 || r.Index >= len(l.candidates) {
		return nil, fmt.Errorf("draw: there is no execution %d: the list has %d", r.Index, len(l.candidates))
	}
	c := l.candidates[r.Index].Candidate
	violations, err := l.candidates[r.Index].violationsOf(m.Model.Model)
	if err != nil {
		return nil, err
	}
	d := &wire.Drawn{Allowed: c.Verdict.Allowed(), States: l.keys(c), Violations: []wire.Violation{}}
	axioms := make([]string, len(violations))
	for i, v := range violations {
		axioms[i] = v.Name
	}
	for i, name := range distinct(axioms) {
		violations[i].Name = name
		d.Violations = append(d.Violations, newViolation(&c.Witness, &violations[i]))
	}
	chosen := max(0, slices.Index(axioms, r.Axiom))
	opts := picture.About(l.of.Name.Text, l.as)
	opts.Hide = slices.Clone(r.Hide)
	if len(violations) > 0 {
		d.Axiom = violations[chosen].Name
		opts.Highlight = picture.Evidence(&violations[chosen])
	}
	d.Sentence = sentence(c, d, chosen)
	for _, o := range l.as.Orders(c.Execution) {
		d.Sentence += fmt.Sprintf(" %s.", o)
	}
	g, err := e.graph(r, m, &c.Witness, opts)
	if err != nil {
		return nil, err
	}
	d.Relations = relations(g, m, r)
	var b bytes.Buffer
	if err := write(g, &b, viz.Style{Theme: theme, IDPrefix: r.Prefix}); err != nil {
		return nil, err
	}
	d.Picture = b.String()
	return d, nil
}

// mostLines bounds a picture with requested relations: sys of 60 events would be 1800 lines, and
// take minutes.
const mostLines = 150

// graph draws what the model shows and the relations that the request asks for. A requested name is
// shown by a statement after those of the model, so that it may be any name that the model binds.
func (e *Engine) graph(r *request, m *loadedModel, w *sim.Witness, opts viz.Options) (*viz.Graph, error) {
	show := slices.DeleteFunc(slices.Clone(r.Show), func(name string) bool { return !m.canShow(name) })
	if len(show) > 0 {
		m = e.loadModel(*r.Model, show...)
		if m.err != nil {
			return nil, m.err
		}
	}
	g, err := picture.Of(m.Model.Model, w, opts)
	if err == nil && len(show) > 0 && g.Lines() > mostLines {
		err = fmt.Errorf("with %s, the picture would have %d lines, more than the %d that can be told apart",
			strings.Join(show, ", "), g.Lines(), mostLines)
	}
	return g, err
}

func newViolation(w *sim.Witness, v *cat.Violation) wire.Violation {
	names := w.Names()
	told := wire.Violation{
		Axiom: v.Name, Text: v.At.Text(), Range: rangeOf(v.At), Cycle: v.Cycle(),
		Path: sim.Steps(w.Execution, v), Sentence: sim.Story(w.Execution, v), Steps: []wire.Step{}, Events: []string{},
	}
	for _, s := range v.Steps {
		told.Steps = append(told.Steps,
			wire.Step{From: names[s.From], To: names[s.To], Label: s.Label, Inverse: s.Inverse})
	}
	for _, e := range v.Events {
		told.Events = append(told.Events, names[e])
	}
	return told
}

// sentence describes an execution, and why it is forbidden if it is.
func sentence(c *sim.Candidate, d *wire.Drawn, chosen int) string {
	switch {
	case len(d.Violations) > 0:
		return fmt.Sprintf("Forbidden by %s: %s.", d.Axiom, d.Violations[chosen].Sentence)
	case c.Hangs():
		return fmt.Sprintf("Allowed, and it never ends: %s.", sim.Hanging(c.Execution))
	}
	return fmt.Sprintf("Allowed: %s.", sim.Communication(c.Execution))
}
