package report

import (
	"context"
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// Minimized is a test that was shrunk, with what was kept of the models' answers.
type Minimized struct {
	*probe.Minimized
	Original *sim.Test
	Kept     *probe.Kept
	Models   []string // names
}

// Minimize shrinks a test while the answers of models about it stay the same; with flags, the flags
// that they raise, too.
func Minimize(ctx context.Context, t *sim.Test, asked []*models.Model, c sim.Config, flags bool) (*Minimized, error) {
	small := &Minimized{Original: t}
	var cats []*cat.Model
	for _, m := range asked {
		cats, small.Models = append(cats, m.Model), append(small.Models, m.Name)
	}
	var err error
	if small.Kept, err = probe.Keep(ctx, t, c, flags, cats...); err != nil {
		return nil, err
	}
	small.Minimized, err = probe.Minimize(ctx, t.Test, c, small.Kept.By)
	return small, err
}

// Minimized prints what was dropped or weakened, and what stays.
func (t *Text) Minimized(m *Minimized) {
	for _, s := range m.Steps {
		t.printf("  %s\n", s)
	}
	size := fmt.Sprintf("%s → %d", Count(m.Before, "instruction"), m.After)
	if len(m.Steps) == 0 {
		size = Count(m.Before, "instruction") + ", nothing to drop"
	}
	t.printf("%s: %s, %s\n", m.Original.Name.Text, size, m.says())
}

// decided are verbs for the outcomes of a test under a model.
var decided = map[sim.Outcome]string{
	sim.Allowed:   "allowed",
	sim.Forbidden: "forbidden",
	sim.Undefined: "left undefined",
	sim.Unknown:   "not decided",
}

// says describes what stays: "forbidden by ptx-7.5, allowed by ptx".
func (m *Minimized) says() string {
	var words []string
	for i, o := range m.Kept.Outcomes {
		if i > 0 && o == m.Kept.Outcomes[i-1] {
			words[len(words)-1] += " and " + m.Models[i]
			continue
		}
		words = append(words, fmt.Sprintf("%s by %s", decided[o], m.Models[i]))
	}
	switch {
	case m.Kept.Weak:
		words = append(words, "forbidden by sequential consistency")
	case m.Kept.Impossible:
		words = append(words, "and no candidate execution has it")
	}
	return strings.Join(words, ", ")
}

// JSON returns the minimized test as an object.
func (m *Minimized) JSON() wire.Minimized {
	j := wire.Minimized{
		Test: m.Original.Name.Text, File: m.Original.File.Name, Outcomes: map[string]string{}, Weak: m.Kept.Weak,
		Steps:        append([]string{}, m.Steps...),
		Tried:        m.Tried,
		Instructions: wire.Sizes{Before: m.Before, After: m.After},
		Text:         m.Test.String(), Hash: m.Test.Hash(),
	}
	for i, o := range m.Kept.Outcomes {
		j.Outcomes[m.Models[i]] = o.String()
	}
	if m.Limit != nil {
		j.Incomplete = m.Limit.Error()
	}
	return j
}
