package cat

import (
	"testing"

	"github.com/muster-gpu/muster/src"
)

// TestWhatModelsMayDo: a model may leave behaviour undefined, or choose an order, if evaluation can
// reach such a statement.
func TestWhatModelsMayDo(t *testing.T) {
	for _, c := range []struct {
		text               string
		undefined, chooses bool
	}{
		{"acyclic po | co", false, false},
		{"flag ~empty po as f", false, false},
		{"undefined_unless empty po as f", true, false},
		{"procedure p(r) =\n  undefined_unless empty r as f\nend\ncall p(po)", true, false},
		{"if \"strong\" undefined_unless empty po as f end", false, false},
		{"if not \"strong\" undefined_unless empty po as f end", true, false},
		{"with co from completions(loc & (W * W), co0)\nacyclic co", false, true},
		{"with o from completions(loc & (W * W), co0)\nacyclic o", false, false},
	} {
		m, err := Load(src.NewFile("t.cat", c.text), Config{})
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := m.MayLeaveUndefined(); got != c.undefined {
			t.Errorf("%q may leave behaviour undefined: %v", c.text, got)
		}
		if got := m.Chooses("co"); got != c.chooses {
			t.Errorf("%q chooses co: %v", c.text, got)
		}
	}
}
