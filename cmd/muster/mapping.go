package main

import (
	"context"
	"fmt"

	"github.com/muster-gpu/muster/sim"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/language/translate"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/probe"
)

// mappingModels are the models that compare --mapping asks by default.
var mappingModels = []string{"rc11-scoped", "ptx"}

// compareMapping checks, on tests and their translations, whether the mapping is sound.
func (c *comparison) compareMapping(ctx context.Context, args []string) error {
	if len(c.flags.refs) == 0 {
		c.flags.refs = mappingModels
	}
	s, err := c.flags.simulator(c.app, sim.States)
	if err != nil {
		return err
	}
	if len(s.Models) != 2 || s.Models[1].Target == "" {
		return fmt.Errorf(
			"--mapping takes two models: one of the language, and one of the machine, such as -m %s -m %s",
			mappingModels[0], mappingModels[1])
	}
	m := &probe.Mapping{Source: s.Models[0], Target: s.Models[1], Editions: translate.Editions()}
	found := report.NewSoundness(m)
	tests, total := c.app.finder().CountedOr(args...)
	bar := c.app.console.Progress("comparing", total)
	err = batch.Ask(ctx, s, tests, m.Ask, func(t *probe.Mapped, err error) {
		bar.Next()
		c.addMapped(found, t, err)
	})
	bar.Done()
	switch {
	case err != nil:
		return err
	case c.json:
		c.app.printJSON(found.TotalsJSON())
	default:
		c.app.text().Soundness(found)
	}
	return nil
}

// addMapped records the answers of the models about a test and its translations.
func (c *comparison) addMapped(found *report.Soundness, t *probe.Mapped, err error) {
	if err != nil {
		c.app.report(err)
		return
	}
	kind := found.Add(t)
	if kind != "" && c.json {
		c.app.printJSON(found.MappedJSON(t, kind))
	}
	switch kind {
	case report.Unsound:
		c.app.status(exitContradicted)
	case report.Open:
		c.app.status(exitLimit)
	}
}
