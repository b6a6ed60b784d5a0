package check

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Otherwise is a property of the runs in which the sides of a Contrast differ.
type Otherwise struct {
	What  string
	Sides [2][]string // the values, sorted
}

// made is how runs were made: the values of the device, the driver and each setting, by name.
type made map[string]map[string]bool

func (m made) note(what, value string) {
	if m[what] == nil {
		m[what] = map[string]bool{}
	}
	if value != "" {
		m[what][value] = true
	}
}

// add adds the runs that count.
func (m made) add(a *about) {
	for _, s := range a.shown {
		if s.Runs == 0 {
			continue
		}
		m.note("device", s.Device.Name)
		m.note("uuid", s.Device.UUID)
		m.note("computeCapability", s.Device.ComputeCapability)
		for way := range s.Ways {
			m.note("driver", way.Driver)
			m.note("toolkit", way.Toolkit)
			var settings map[string]json.RawMessage
			_ = json.Unmarshal([]byte(way.Settings), &settings) // a record has an object, or none
			for name, value := range settings {
				m.note("settings."+name, string(value))
			}
		}
	}
}

// otherwise lists the properties whose values differ between the sides.
func otherwise(a, b made) (all []Otherwise) {
	for what := range a {
		b.note(what, "")
	}
	for what := range b {
		o := Otherwise{what, [2][]string{slices.Sorted(maps.Keys(a[what])), slices.Sorted(maps.Keys(b[what]))}}
		if !slices.Equal(o.Sides[0], o.Sides[1]) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(o, p Otherwise) int { return strings.Compare(o.What, p.What) })
	return all
}
