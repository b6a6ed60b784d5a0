package main

import (
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
