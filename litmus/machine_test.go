package litmus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

// own is the format of tests for a machine that is no GPU: boards of chips of cores, and two
// memories. Format bare has no places at all.
var (
	own = &Format{Arch: "OWN", Layout: Columns{}, Machine: Machine{
		Levels: []LevelInfo{
			{Name: "board", Header: "board"}, {Name: "chip", Words: []string{"die"}, Optional: true}, {Name: "core", Header: "core", Own: true},
		},
		System:  []string{"rack"},
		Regions: []RegionInfo{{Name: "far"}, {Name: "near", Words: []string{"local"}}},
	}}
	bare = &Format{Arch: "BARE", Layout: Columns{}}
)

func parseOwn(text string) (*Test, error) {
	return Parse(src.NewFile("own.litmus", text), []*Format{own, bare})
}

// TestMachine: trees, headers and maps of memory are in the words of a machine, and levels that
// they leave out are filled in as it says.
func TestMachine(t *testing.T) {
	for _, tt := range []struct {
		header, tree string
		want         []Place // board, chip, core
		printed      string
	}{
		{"P0|P1", "(board (chip (core P0) (core P1)))", []Place{{0, 0, 0}, {0, 0, 1}}, "(board (chip (core P0) (core P1)))"},
		{"P0|P1", "rack(BOARD(die P0) (die P1))", []Place{{0, 0, 0}, {0, 1, 1}}, "(board (chip P0) (chip P1))"},
		{"P0|P1", "(core P0) (core P1)", []Place{{0, 0, 0}, {0, 1, 1}}, "(core P0) (core P1)"},
		{"P0|P1", "(board P0) (board P1)", []Place{{0, 0, 0}, {1, 1, 1}}, "(board P0) (board P1)"},
		{"P0@core 0,board 0 | P1@core 0,board 0", "", []Place{{0, 0, 0}, {0, 0, 0}}, ""},
		{"P0@core 0,board 0 | P1@core 0,board 1", "", []Place{{0, 0, 0}, {1, 1, 1}}, ""},
	} {
		test, err := parseOwn("OWN x\n{x=1;}\n" + tt.header + " ;\n" + tt.tree + "\nx: local\nforall (true)")
		if err != nil {
			t.Errorf("%s %s: %v", tt.header, tt.tree, err)
			continue
		}
		if diff := cmp.Diff(tt.want, test.Places()); diff != "" {
			t.Errorf("%s %s (-want +got)\n%s", tt.header, tt.tree, diff)
		}
		if text := test.String(); !strings.Contains(text, tt.printed) || !strings.Contains(text, "x: near\n") {
			t.Errorf("%s %s is printed as\n%s", tt.header, tt.tree, text)
		}
		again, err := parseOwn(test.Moved(test.Places()))
		if err != nil || !cmp.Equal(again.Places(), tt.want) {
			t.Errorf("%s %s: not where it was moved: %v", tt.header, tt.tree, err)
		}
	}
}

// TestMachineErrors: errors, too, speak of the machine of the test.
func TestMachineErrors(t *testing.T) {
	for text, want := range map[string]string{
		"OWN x\n{}\nP0|P1 ;\nforall (true)":                             "ScopeTree (board (chip (core P0) (core P1))); or say it behind the names of the threads, P0@core 0,board 0",
		"OWN x\n{}\nP0|P1 ;\n(board P0 P1)\nx: shared\nforall (true)":   "unknown region shared: expected near or far",
		"OWN x\n{}\nP0|P1 ;\n(cta P0 P1)\nforall (true)":                "unknown level cta",
		"OWN x\n{}\nP0|P1 ;\n(core (chip P0) (core P1))\nforall (true)": "levels are board, chip, core",
		"OWN x\n{}\nP0@cta 0 | P1@core 0 ;\nforall (true)":              "expected core or board and a number, found cta",
		"OWN x\n{}\nP0@core 0 | P1@core 0,board 0 ;\nforall (true)":     "either all threads have a board",
		"BARE x\n{}\nP0|P1 ;\n(core P0) (core P1)\nforall (true)":       "unknown level core",
		"BARE x\n{}\nP0|P1 ;\nx: shared\nforall (true)":                 "this row has 1 column",
		"BARE x\n{}\nP0@core 0 | P1 ;\nforall (true)":                   "the header of BARE tests does not say where threads run",
	} {
		if _, err := parseOwn(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestBare: a language may place nothing.
func TestBare(t *testing.T) {
	test, err := parseOwn("BARE x\n{x=0;}\nP0|P1 ;\nforall (true)")
	if err != nil || !cmp.Equal(test.Places(), []Place{{}, {}}) || test.Levels() != nil {
		t.Errorf("%v, %v", test.Places(), err)
	}
}
