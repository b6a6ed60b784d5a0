package viz

import "strings"

// Kind is the sort of a relation. It decides how an edge looks.
type Kind uint8

// The kinds.
const (
	Po Kind = iota
	Rf
	Co
	Fr
	Fence
	Sync
	Addr
	Data
	Ctrl
	Rmw
	Other
)

// look is how the edges of a kind are drawn. Dashes tell the kinds apart without
// colour; the two colours have a contrast of at least 4.5:1 to the background of
// their theme (WCAG 2.1, 1.4.3).
type look struct {
	name        string
	meaning     string // for the legend
	light, dark string
	dash        string // stroke-dasharray; "" for a solid line
	dot         string // the nearest line style that Graphviz has
	width       float64
}

var looks = [...]look{
	Po:    {"po", "program order", "#5f6873", "#a3adb8", "", "solid", 1.4},
	Rf:    {"rf", "reads from", "#b8202f", "#ff8d8a", "", "solid", 2},
	Co:    {"co", "coherence", "#1a5fb4", "#82b6ff", "8 4", "dashed", 1.9},
	Fr:    {"fr", "from-read", "#9a5000", "#f2ae55", "9 3 2 3", "dashed", 1.9},
	Fence: {"fence", "fence", "#1b7436", "#6bd186", "6 2", "solid", 2},
	Sync:  {"sync", "synchronization", "#1b7436", "#6bd186", "14 3", "dashed", 1.9},
	Addr:  {"addr", "address dependency", "#6f3fc4", "#c3a3ff", "2 3", "dotted", 1.9},
	Data:  {"data", "data dependency", "#6f3fc4", "#c3a3ff", "4 3", "dotted", 1.9},
	Ctrl:  {"ctrl", "control dependency", "#6f3fc4", "#c3a3ff", "2 3 6 3", "dotted", 1.9},
	Rmw:   {"rmw", "atomic", "#0b6f80", "#5fd0e0", "1.5 2.5", "dotted", 2.2},
	Other: {"other", "other", "#a0286f", "#f793c8", "12 3 2 3 2 3", "dashed", 1.9},
}

func (k Kind) String() string { return looks[k].name }

// kindOf has the kinds of the relations that models know by a fixed name.
var kindOf = map[string]Kind{
	"po": Po, "po-loc": Po,
	"rf": Rf, "rfe": Rf, "rfi": Rf,
	"co": Co, "coe": Co, "coi": Co,
	"fr": Fr, "fre": Fr, "fri": Fr,
	"addr": Addr, "data": Data, "ctrl": Ctrl, "rmw": Rmw,
	"sw": Sync, "fence-sc": Sync, "sync_fence": Sync, "awaited": Sync, "syncbar": Sync,
}

// KindOf is the kind of the relation of that name; Other if the name says nothing.
func KindOf(label string) Kind {
	if k, ok := kindOf[label]; ok {
		return k
	}
	if isFence(label) {
		return Fence
	}
	return Other
}

// isFence reports that an instruction set gives this name to the pairs of accesses
// that a fence separates.
func isFence(name string) bool {
	return isMembar(name) || strings.HasPrefix(name, "fence.")
}

func isMembar(name string) bool { return strings.HasPrefix(name, "membar.") }
