package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// LoadAll loads models by reference: NAME, or NAME:VARIANT,VARIANT with variants for this model
// only. It is an error if a model does not mention one of its own variants, or if no model mentions
// one of c.Variants.
func LoadAll(refs []string, c Config) ([]*Model, error) {
	var all []*Model
	for _, ref := range refs {
		name, own := splitRef(ref)
		reading := c
		reading.Variants = append(slices.Clone(c.Variants), own...)
		m, err := Load(name, reading)
		if err != nil {
			return nil, err
		}
		if err := CheckVariants(own, m); err != nil {
			return nil, err
		}
		if len(own) > 0 {
			m.Name += ":" + strings.Join(own, ",")
		}
		all = append(all, m)
	}
	return all, CheckVariants(c.Variants, all...)
}

// Ref splits a reference into the name and c with the reference's variants added.
func Ref(ref string, c Config) (name string, reading Config) {
	name, own := splitRef(ref)
	c.Variants = append(slices.Clone(c.Variants), own...)
	return name, c
}

// splitRef splits a reference. A path may contain a colon.
func splitRef(ref string) (name string, variants []string) {
	i := strings.LastIndexByte(ref, ':')
	if onDisk(ref) || i < 0 || i == len(ref)-1 {
		return ref, nil
	}
	return ref[:i], strings.Split(ref[i+1:], ",")
}

// CheckVariants returns an error if no model mentions one of the variants. Otherwise a misspelt
// variant would have no effect, silently.
func CheckVariants(variants []string, ms ...*Model) error {
	var known, asks []string
	for _, m := range ms {
		has := m.Variants()
		known = append(known, has...)
		asks = append(asks, fmt.Sprintf("%s has %s", m.Name, nonEmpty(strings.Join(has, ", "), "none")))
	}
	for _, v := range variants {
		if slices.Contains(known, v) {
			continue
		}
		hint := strings.Join(asks, "; ")
		if near := src.DidYouMean(v, known); near != "" {
			hint = near + " " + hint
		}
		return fmt.Errorf("unknown variant %q: %s", v, hint)
	}
	return nil
}

func nonEmpty(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
