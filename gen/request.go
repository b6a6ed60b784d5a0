package gen

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Request describes which tests to generate: those of cycles, of a preset, or of all cycles over a
// vocabulary.
type Request struct {
	Cycles        []string // patterns; nil for a preset or a vocabulary
	Preset        string   // "" for a vocabulary
	ISA           string
	Words         Words
	Size, Threads string // N or MIN..MAX
	Events        int    // bound on the events of a thread; 0 for none
}

// PresetNames lists the names of the presets.
func PresetNames() []string {
	var names []string
	for _, p := range Presets {
		names = append(names, p.Name)
	}
	return names
}

// ISANames lists the kinds of tests, sorted.
func ISANames() []string { return slices.Sorted(maps.Keys(ISAs)) }

// Source returns the requested cycles. An error in a pattern is reported and does not affect the
// other patterns.
func (r *Request) Source(ctx context.Context, report func(error)) (iter.Seq[*Cycle], error) {
	if r.Preset != "" {
		p := FindPreset(r.Preset)
		if p == nil {
			return nil, fmt.Errorf("no preset %s; there are %s", r.Preset, strings.Join(PresetNames(), ", "))
		}
		return p.Cycles(ctx), nil
	}
	isa := ISAs[r.ISA]
	if isa == nil {
		return nil, fmt.Errorf("--isa is one of %s, not %q", strings.Join(ISANames(), ", "), r.ISA)
	}
	generator := &Generator{ISA: isa, Events: r.Events}
	words := r.Words
	if r.Cycles != nil {
		words.Edges = ""
	}
	if err := generator.Add(words); err != nil {
		return nil, err
	}
	if r.Cycles != nil {
		return r.patterns(ctx, generator, report), nil
	}
	var err error
	if generator.Size, err = ParseRange("--size", r.Size); err != nil {
		return nil, err
	}
	generator.Threads, err = ParseRange("--threads", r.Threads)
	return generator.Cycles(ctx), err
}

// patterns returns the cycles of the patterns.
func (r *Request) patterns(ctx context.Context, open *Generator, report func(error)) iter.Seq[*Cycle] {
	return func(yield func(*Cycle) bool) {
		for _, text := range r.Cycles {
			p, err := Parse(src.NewFile("--cycle", text), open.ISA)
			if err == nil {
				err = p.Cycles(ctx, open.Levels, open.Shared, yield)
			}
			if err != nil {
				report(err)
			}
		}
	}
}

// ParseRange parses N or MIN..MAX; what names the text in the error.
func ParseRange(what, text string) (Range, error) {
	low, high, two := strings.Cut(text, "..")
	if !two {
		high = low
	}
	least, err := strconv.Atoi(low)
	most, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || least < 1 || most < least || most > MaxSize {
		return Range{}, fmt.Errorf("%s is a number from 1 to %d, or a range such as 4..6, not %q", what, MaxSize, text)
	}
	return Range{Min: least, Max: most}, nil
}
