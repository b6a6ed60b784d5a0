package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/muster-gpu/muster"
)

// TestVersion: --version says the version that CHANGELOG.md has (docs/changelog_test.go).
func TestVersion(t *testing.T) {
	status, out, _ := command("--version")
	if status != exitOK || !strings.HasPrefix(out, "muster version "+muster.Version) {
		t.Errorf("exit status %d, %q", status, out)
	}
}

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
