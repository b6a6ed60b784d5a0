package gen

import "testing"

// TestTellingWords: each part of a vocabulary can be read.
func TestTellingWords(t *testing.T) {
	for isa, needs := range vocabularies {
		for _, n := range needs {
			if err := (&Generator{ISA: isa}).Add(n.words); err != nil {
				t.Errorf("%s: %v", isa.Name, err)
			}
		}
	}
}
