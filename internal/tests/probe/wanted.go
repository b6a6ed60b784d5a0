package probe

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Wanted is a description, from flags, of a search for tests on which two models differ.
type Wanted struct {
	ISA     string    // a name of gen.ISAs; "" for what the models mention
	Words   gen.Words // likewise
	Size    string    // of cycles: MAX or MIN..MAX
	Threads string    // N or MIN..MAX
	Marks   int       // Distinction.Marks
	Most    int       // Distinction.Enough
}

// Search returns the search that is described.
func (w *Wanted) Search(a, b *models.Model, config sim.Config, workers int) (*Distinction, error) {
	if w.Marks < 0 || w.Most < 0 {
		return nil, fmt.Errorf("--marks and --max must not be negative")
	}
	if w.ISA != "" && gen.ISAs[w.ISA] == nil {
		return nil, fmt.Errorf("--isa is one of %s, not %q", strings.Join(gen.ISANames(), ", "), w.ISA)
	}
	d, err := NewDistinction(gen.ISAs[w.ISA], w.Words, a, b, config, workers)
	if err != nil {
		return nil, err
	}
	d.Enough, d.Marks = w.Most, w.Marks
	if d.Cycles.Threads, err = gen.ParseRange("--threads", w.Threads); err != nil {
		return nil, err
	}
	d.Cycles.Size, err = gen.ParseRange("--size", w.Size)
	if !strings.Contains(w.Size, "..") {
		d.Cycles.Size.Min = 1 // the smallest tests come first
	}
	return d, err
}
