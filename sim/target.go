package sim

import (
	"github.com/muster-gpu/muster/internal/translate"
	"github.com/muster-gpu/muster/src"
)

// For is the test as a model judges it: one in CUDA C++ is translated if the target of the model
// (models.Info) is the language of a machine, and any other stays as it is. The error says what has no
// translation.
func (t *Test) For(target string) (*Test, error) {
	if !translate.Needed(t.Test, target) {
		return t, nil
	}
	text, err := translate.To(t.Test, target, "")
	if err != nil {
		return nil, err
	}
	c := t.config
	c.State = "" // the condition is that already
	return Load(src.NewFile(t.File.Name, text), c)
}
