package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Kept is the answers of models about a test, which a smaller test must preserve: the outcome under
// each model and, where all models agree, that the outcome is not trivial (see contrasts).
type Kept struct {
	Models   []*cat.Model
	Outcomes []sim.Outcome // by model
	// Weak says that all models allow the outcome, and sequential consistency does not.
	Weak bool
	// Impossible says that all models forbid the outcome because no candidate execution has it.
	Impossible bool

	answers  []answer
	contrast *cat.Model // a model that says the opposite; nil if none does, or if the models differ
	flags    bool
	quick    sim.Config
}

// answer is what one model says of a test.
type answer struct {
	outcome          sim.Outcome
	bounded          bool // the outcome was not found, but only up to the unroll bound
	undefined, flags []string
}

// Keep runs a test, which was loaded with c, under models. With flags, the flags that they raise
// must be preserved, too. The want in c should be sim.States, because sim.Verdict omits undefined
// behaviour and hangs. Keep returns a limit (sim.IsLimit) if the answer of some model is cut short;
// an answer that only the unroll bound leaves open stays open.
func Keep(ctx context.Context, t *sim.Test, c sim.Config, flags bool, models ...*cat.Model) (*Kept, error) {
	k := &Kept{Models: models, flags: flags, quick: c}
	k.quick.Want = sim.Verdict
	for _, m := range models {
		r, err := t.Run(ctx, m)
		if err != nil {
			return nil, err
		}
		if hitLimit(r) {
			return nil, fmt.Errorf("%s: incomplete: %w", t.Name.Text, r.Limit)
		}
		k.answers = append(k.answers, answerOf(r))
		k.Outcomes = append(k.Outcomes, r.Outcome())
	}
	if slices.ContainsFunc(k.Outcomes, func(o sim.Outcome) bool { return o != k.Outcomes[0] }) {
		return k, nil
	}
	if err := k.findContrast(ctx, t); err != nil {
		return nil, err
	}
	k.Weak = k.contrast != nil && k.Outcomes[0] == sim.Allowed
	k.Impossible = k.contrast == nil && k.Outcomes[0] == sim.Forbidden
	return k, nil
}

// hitLimit reports whether the outcome is unknown because of a limit other than the unroll bound.
func hitLimit(r *sim.Result) bool {
	return r.Outcome() == sim.Unknown && r.Limit != nil && !sim.IsBound(r.Limit)
}

func answerOf(r *sim.Result) answer {
	return answer{r.Outcome(), r.Outcome() == sim.Unknown && r.Limit != nil, r.Undefined, r.Flags}
}

// findContrast finds the first contrast that says the opposite about the outcome.
func (k *Kept) findContrast(ctx context.Context, t *sim.Test) error {
	all, err := contrasts()
	if err != nil {
		return err
	}
	for _, m := range all[k.Outcomes[0] == sim.Allowed] {
		opposed, err := k.opposes(ctx, m, t)
		if err != nil {
			return err
		}
		if opposed {
			k.contrast = m
			return nil
		}
	}
	return nil
}

// opposes reports whether a model says the opposite of the models of k, up to the unroll bound.
func (k *Kept) opposes(ctx context.Context, m *cat.Model, t *sim.Test) (bool, error) {
	quick, err := sim.Load(t.File, k.quick)
	if err != nil {
		return false, err
	}
	r, err := quick.Run(ctx, m)
	if err != nil {
		return false, err
	}
	return !hitLimit(r) && (r.Outcome() == sim.Allowed) != (k.Outcomes[0] == sim.Allowed), nil
}

// By reports whether the models say of t what they said of k's test. It is a Property. A program
// without a meaning, such as one that reads outside an array, does not preserve anything.
func (k *Kept) By(ctx context.Context, t *sim.Test) (bool, error) {
	for i, m := range k.Models {
		r, err := t.Run(ctx, m)
		if err != nil || hitLimit(r) || !k.answers[i].keptBy(answerOf(r), k.flags) {
			return false, nil
		}
	}
	if k.contrast == nil {
		return true, nil
	}
	opposed, err := k.opposes(ctx, k.contrast, t)
	return opposed && err == nil, nil
}

// ownFlags are the flags that muster itself raises: a smaller test must not begin to hang, nor to
// have values out of thin air.
var ownFlags = []string{sim.HangFlag, sim.ThinAirFlag}

// keptBy reports whether the answer b for a smaller test is the same, and no less certain.
func (a answer) keptBy(b answer, flags bool) bool {
	fresh := func(flag string) bool { return slices.Contains(b.flags, flag) && !slices.Contains(a.flags, flag) }
	same := b.outcome == a.outcome || a.bounded && b.outcome == sim.Forbidden
	return same && (a.bounded || !b.bounded) && slices.Equal(a.undefined, b.undefined) &&
		!slices.ContainsFunc(ownFlags, fresh) && (!flags || slices.Equal(a.flags, b.flags))
}

// consistency is sequential consistency, with barriers.
const consistency = `"SC"
acyclic po | rf | co | fr | (po; syncbar; po) as sc
empty rmw & (fre; coe) as atomicity
`

// basics are the axioms that nearly all models have.
var basics = []string{
	"acyclic po-loc | rf | co | fr as coherence\n",
	"acyclic rf | addr | data | ctrl | rmw as no-thin-air\n",
	"empty rmw & (fre; coe) as atomicity\n",
}

// contrasts are models that may say the opposite about an outcome that is allowed (true) or
// forbidden (false), the best contrast first. An allowed outcome is interesting if sequential
// consistency forbids it. A forbidden one should be allowed by the basics; else the smaller test
// might be one that is forbidden because a thread reads its own writes. If one of the basics
// forbids it, the others should not; in any case some candidate execution should have the outcome.
var contrasts = sync.OnceValues(func() (map[bool][]*cat.Model, error) {
	texts := map[bool][]string{true: {consistency}, false: {strings.Join(basics, "")}}
	for i := range basics {
		others := slices.Delete(slices.Clone(basics), i, i+1)
		texts[false] = append(texts[false], strings.Join(others, ""))
	}
	texts[false] = append(texts[false], "(* no axiom *)\n")
	all := map[bool][]*cat.Model{}
	for allowed, list := range texts {
		for _, text := range list {
			m, err := cat.Load(src.NewFile("contrast.cat", text), cat.Config{})
			if err != nil {
				return nil, err
			}
			all[allowed] = append(all[allowed], m)
		}
	}
	return all, nil
})
