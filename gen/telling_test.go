package gen

import "testing"

// TestTellingWords: each part of a vocabulary can be parsed.
func TestTellingWords(t *testing.T) {
	for name, isa := range ISAs {
		if vocabularies[isa] == nil {
			t.Errorf("%s has no vocabulary that tells models apart", name)
		}
	}
	for isa, needs := range vocabularies {
		for _, n := range needs {
			if err := (&Generator{ISA: isa}).Add(n.words); err != nil {
				t.Errorf("%s: %v", isa.Name, err)
			}
		}
	}
}
