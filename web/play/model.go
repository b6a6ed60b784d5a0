package play

import (
	"errors"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

func (e *Engine) languages(*request) (any, error) {
	v := sim.Vocabulary()
	answer := &wire.Languages{
		Words: wire.Words{
			PTX:         words(litmus.Columns{}),
			C:           words(litmus.Functions{}),
			Sets:        v.Sets(),
			Relations:   v.Rels(),
			Definitions: map[string]string{},
		},
	}
	for _, n := range v.Names() {
		if n.Meaning != "" {
			answer.Words.Definitions[n.Name] = n.Meaning
		}
	}
	for _, info := range models.List() {
		answer.Models = append(answer.Models, wire.Model(info))
	}
	return answer, nil
}

// model returns the files of a model. Errors in them are reported when it runs.
func (e *Engine) model(r *request) (any, error) {
	if r.Model == nil {
		return nil, errors.New("model: which?")
	}
	m := e.loadModel(*r.Model)
	answer := &wire.ModelText{Model: wire.Model(m.info(*r.Model)), Files: []wire.ModelFile{}}
	for _, f := range m.files {
		_, edited := r.Model.Edits[f.Name]
		answer.Files = append(answer.Files, wire.ModelFile{Name: f.Name, Text: f.Text, Edited: edited})
	}
	return answer, nil
}

// words returns the words that an editor may complete in programs of tests with a layout.
func words(layout litmus.Layout) []string {
	var all []string
	for _, f := range frontends.Shipped().Languages() {
		if f.Formats[0].Layout == layout {
			all = append(all, f.Words()...)
		}
	}
	return all
}
