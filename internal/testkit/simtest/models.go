package simtest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// RapidTB is a testing.TB that passes failures on to rapid, which shrinks the failing program.
type RapidTB struct {
	testing.TB
	Rt *rapid.T
}

func (t RapidTB) Helper()                           {}
func (t RapidTB) Fatal(args ...any)                 { t.Rt.Fatal(args...) }
func (t RapidTB) Fatalf(format string, args ...any) { t.Rt.Fatalf(format, args...) }

// DrawnModels counts random models: all, those without type errors, those that compile.
type DrawnModels struct{ All, Typed, Compiled int }

// comparison demands that engines agree on a test under a model.
type comparison func(t testing.TB, text string, config sim.Config, name string, m *cat.Model)

// OnRandomModel draws a model and a test and compares engines on them. Models with type errors are
// skipped.
func (n *DrawnModels) OnRandomModel(rt *rapid.T, compare comparison) {
	model, variants := draw.Model(rt)
	text := ""
	switch rapid.SampledFrom([]string{"small", "small", "small", "small", "scoped", "program"}).Draw(rt, "test") {
	case "small":
		text = draw.Small(rt)
	case "scoped":
		text = draw.Scoped(rt)
	default:
		text = draw.Program(rt).String()
	}
	n.All++
	m, err := cat.Load(src.NewFile("random.cat", model), cat.Config{Variants: variants})
	if err != nil {
		rt.Fatalf("%v\n%s", err, model)
	}
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		return
	}
	n.Typed++
	if _, err := m.Compile(sim.Vocabulary()); err == nil {
		n.Compiled++
	}
	config := AtRandom()
	compare(RapidTB{Rt: rt}, text, config, fmt.Sprintf("the model\n%s(variants %v)\n", model, variants), m)
}
