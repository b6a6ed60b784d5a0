package rig

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
)

func TestSettle(t *testing.T) {
	usual := harness.Few()
	more := usual
	more.CTAs = 7
	paper, err := harness.ParseIncantations([]string{"stress"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name         string
		incantations []string
		file, text   string
		want         harness.Settings
	}{
		{"neither", nil, "", "", usual},
		{"incantations", []string{"stress"}, "", "", paper.Settings()},
		{"a file changes what it names", nil, "-", `{"ctas": 7}`, more},
	} {
		r := Rig{Name: "interpreter"}
		if err := r.Settle(test.incantations, test.file, strings.NewReader(test.text)); err != nil || r.Settings.Settings != test.want {
			t.Errorf("%s: %+v, %v", test.name, r.Settings, err)
		}
	}
}

func TestSettleRefuses(t *testing.T) {
	for _, text := range []string{`{"ctaz": 7}`, `{`, ``} {
		r := Rig{Name: "interpreter"}
		if err := r.Settle(nil, "-", strings.NewReader(text)); err == nil {
			t.Errorf("%q is taken for settings", text)
		}
	}
	if err := (&Rig{Name: "interpreter", Instances: -1}).Open(); err == nil {
		t.Error("a negative number of instances is taken")
	}
}
