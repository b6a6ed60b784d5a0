package viz

import "github.com/muster-gpu/muster/vocab"

// look is how the edges of a family are drawn. Dashes distinguish the families without colour. The
// two colours have a contrast of at least 4.5:1 with the background of their theme (WCAG 2.1,
// 1.4.3).
type look struct {
	meaning     string // for the legend
	light, dark string
	dash        string // stroke-dasharray; "" for a solid line
	dot         string // the nearest line style of Graphviz
	width       float64
}

var looks = [...]look{
	vocab.ProgramOrder: {"program order", "#5f6873", "#a3adb8", "", "solid", 1.4},
	vocab.ReadsFrom:    {"reads from", "#b8202f", "#ff8d8a", "", "solid", 2},
	vocab.Coherence:    {"coherence", "#1a5fb4", "#82b6ff", "8 4", "dashed", 1.9},
	vocab.FromRead:     {"from-read", "#9a5000", "#f2ae55", "9 3 2 3", "dashed", 1.9},
	vocab.Fence:        {"fence", "#1b7436", "#6bd186", "6 2", "solid", 2},
	vocab.Sync:         {"synchronization", "#1b7436", "#6bd186", "14 3", "dashed", 1.9},
	vocab.Addr:         {"address dependency", "#6f3fc4", "#c3a3ff", "2 3", "dotted", 1.9},
	vocab.Data:         {"data dependency", "#6f3fc4", "#c3a3ff", "4 3", "dotted", 1.9},
	vocab.Ctrl:         {"control dependency", "#6f3fc4", "#c3a3ff", "2 3 6 3", "dotted", 1.9},
	vocab.Rmw:          {"atomic", "#0b6f80", "#5fd0e0", "1.5 2.5", "dotted", 2.2},
	vocab.Async:        {"asynchronous operation", "#7a5c00", "#d9c04f", "10 2 2 2", "dashed", 1.9},
	vocab.Other:        {"other", "#a0286f", "#f793c8", "12 3 2 3 2 3", "dashed", 1.9},
}
