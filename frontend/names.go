package frontend

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
)

// PlaceNames returns the sets and relations that tell where threads and memory of a machine are,
// for a language that has no other names for them: a relation for each level, with its name, and a
// set for each region, with its name in upper case at the start. The level "node" has the relation
// node, of events of threads in one node; the region "local" has the set Local.
func PlaceNames(m *litmus.Machine) (names []event.Name) {
	wider := ""
	for i, l := range m.Levels {
		names = append(names, together(l.Name, wider, fmt.Sprintf("events of threads in one %s", l.Name), litmus.Level(i)))
		wider = l.Name
	}
	for i, r := range m.Regions {
		names = append(names, region(strings.ToUpper(r.Name[:1])+r.Name[1:], fmt.Sprintf("accesses of %s memory", r.Name), litmus.Region(i)))
	}
	return names
}
