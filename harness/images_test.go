package harness_test

import (
	"regexp"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// TestImagesStay: ptxas takes a texture for memory that is never written, and a surface for memory
// that is not shared, and so moves their accesses past others. In kernels they stay in place.
func TestImagesStay(t *testing.T) {
	tools := optcheck.FindTools()
	if err := (optcheck.Checker{Tools: tools}).Missing(); err != nil {
		t.Skip(err, "; where accesses to images are is not checked")
	}
	for name, want := range map[string]string{ // between the markers of the role that loads from an image
		"CoWR+generic-texture": `PMTRIG 0x1 ;(?s:[^P]|P[^M])*STG(?s:.)*TLD(?s:.)*PMTRIG 0x2 ;`,
		"MP+surfaces+rel+acq":  `PMTRIG 0x4 ;(?s:[^P]|P[^M])*LDG(?s:.)*SULD(?s:.)*PMTRIG 0x8 ;`,
	} {
		text, err := litmustests.FS.ReadFile("ptx/" + name + ".litmus")
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan(t, parse(t, string(text)), harness.SM90)
		if err != nil {
			t.Fatal(err)
		}
		cubin, err := tools.Assemble(t.Context(), p.Kernels(), harness.SM90, 3)
		if err != nil {
			t.Fatal(err)
		}
		listing, err := tools.Disassemble(t.Context(), cubin)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(want).MatchString(listing) {
			t.Errorf("%s: the accesses are in another order", name)
		}
	}
}
