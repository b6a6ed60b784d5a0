package muster

import (
	"runtime/debug"
	"testing"
)

func TestBuilt(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, tt := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{revision}, " (0123456789ab)"},
		{[]debug.BuildSetting{revision, changed}, " (0123456789ab, changed)"},
		{[]debug.BuildSetting{changed}, ""},
	} {
		if got := built(tt.settings); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.settings, got, tt.want)
		}
	}
}
