package litmus

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNewOutcome(t *testing.T) {
	tests := []struct {
		values    map[string]string
		want, err string
	}{
		{nil, "", ""},
		{map[string]string{"[x]": "2", "1:r10": "-1", "1:r2": "y+4", "0:r9": "0x10"}, "0:r9=16; 1:r2=y+4; 1:r10=-1; [x]=2;", ""},
		{map[string]string{"x": "1", "a[1]": "0", "P0:r1": "x"}, "0:r1=x; a[1]=0; [x]=1;", ""},
		{map[string]string{"0:": "1"}, "", `expected a register or location such as 0:r1, [x] or a[0], found "0:"`},
		{map[string]string{"0:r1": "a b"}, "", `expected what 0:r1 holds, an integer or an address, found "a b"`},
		{map[string]string{"0:r1": ""}, "", `expected what 0:r1 holds, an integer or an address, found ""`},
		{map[string]string{"x": "1", "[x]": "1"}, "", "[x] has two values"},
	}
	for _, tt := range tests {
		got, err := NewOutcome(tt.values)
		switch {
		case tt.err == "" && (err != nil || got.String() != tt.want):
			t.Errorf("%v: got %s, error %v, want %s", tt.values, got, err, tt.want)
		case tt.err != "" && (err == nil || err.Error() != tt.err):
			t.Errorf("%v: error %v, want %s", tt.values, err, tt.err)
		}
	}
}

// TestNewOutcomeReadsLogs takes the states of random records apart and puts them together.
func TestNewOutcomeReadsLogs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, o := range recordGen.Draw(t, "record").States {
			values := map[string]string{}
			for _, b := range o.Values {
				values[b.Name] = b.Value.String()
			}
			if len(values) < len(o.Values) {
				continue // a name twice
			}
			again, err := NewOutcome(values)
			if err != nil || again.String() != o.String() {
				t.Fatalf("%s: got %s, error %v", o, again, err)
			}
		}
	})
}
