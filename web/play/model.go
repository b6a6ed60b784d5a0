package play

import (
	"errors"

	"github.com/muster-gpu/muster/internal/frontends"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Languages is the answer to languages: the shipped models, and the words of tests and models.
type Languages struct {
	Models []models.Info `json:"models"`
	Words  Words         `json:"words"`
}

// Words are what an editor can propose.
type Words struct {
	PTX         []string          `json:"ptx"`
	Sets        []string          `json:"sets"`
	Relations   []string          `json:"relations"`
	Definitions map[string]string `json:"definitions"`
}

func (e *Engine) languages(*Request) (any, error) {
	v := sim.Vocabulary()
	return &Languages{models.List(), Words{words(), v.Sets, v.Rels, meanings}}, nil
}

// ModelText is the answer to model.
type ModelText struct {
	models.Info
	Files []ModelFile `json:"files"` // the model first, then what it includes
}

// ModelFile is a file of a model.
type ModelFile struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Edited bool   `json:"edited"`
}

// model tells the files of a model. What is wrong with them is said when it runs.
func (e *Engine) model(r *Request) (any, error) {
	if r.Model == nil {
		return nil, errors.New("model: which?")
	}
	m := e.loadModel(*r.Model)
	answer := &ModelText{Info: m.info(*r.Model), Files: []ModelFile{}}
	for _, f := range m.files {
		_, edited := r.Model.Edits[f.Name]
		answer.Files = append(answer.Files, ModelFile{f.Name, f.Text, edited})
	}
	return answer, nil
}

// words are those that an editor may complete in the programs of tests.
func words() []string {
	var all []string
	for _, f := range frontends.All() {
		all = append(all, f.Words()...)
	}
	return all
}
