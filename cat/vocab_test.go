package cat

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/vocab"
)

// NamesOf returns a vocabulary of the given names, with the records of those that tests for GPUs
// have. None is derived: candidates define each name themselves.
func NamesOf(sets, rels []string) *vocab.Vocabulary {
	known := event.NewVocabulary(frontend.GPUNames, nil, nil)
	var names []vocab.Name
	for _, name := range slices.Concat(sets, rels) {
		n := known.Get(name)
		n.Set, n.Derived = slices.Contains(sets, name), ""
		names = append(names, n)
	}
	return vocab.New(names...)
}
