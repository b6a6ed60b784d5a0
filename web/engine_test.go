package web

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
)

// TestBuildAnywhere builds the engine with many settings of the Go command that are meant for other
// work; each of them would make the build fail if it were used.
func TestBuildAnywhere(t *testing.T) {
	sample.Long(t)
	dir := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	settings := map[string]string{
		"GOWORK":      file("go.work", "go 1.26\n"),
		"GOENV":       file("env", "GOFLAGS=-mod=vendor\n"), // as go env -w writes it
		"GOFLAGS":     "-mod=vendor",
		"GO111MODULE": "off",
		"GOOS":        "plan9",
	}
	for name, value := range settings {
		t.Setenv(name, value)
	}
	if _, err := BuildEngine(t.Context(), func(string) {}); err != nil {
		t.Error(err)
	}
}

// TestCancelBuild: the error of a cancelled build says so, instead of reporting a killed process.
func TestCancelBuild(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := BuildEngine(ctx, func(string) {}); !errors.Is(err, why) {
		t.Errorf("got the error %v, want %v", err, why)
	}
}

// TestSources: a binary built with -trimpath does not mistake another folder for its sources.
func TestSources(t *testing.T) {
	t.Chdir("..")
	if _, err := sourcesOf("web/engine.go"); !errors.Is(err, errNoSources) {
		t.Errorf("got the error %v", err)
	}
	here, err := filepath.Abs("web")
	if err != nil {
		t.Fatal(err)
	}
	if folder, err := sourcesOf(filepath.Join(here, "engine.go")); err != nil || folder != here {
		t.Errorf("got %q, %v", folder, err)
	}
}

// TestInlined: every package in inlined exists, because the Go command silently ignores flags for
// unknown packages.
func TestInlined(t *testing.T) {
	for _, p := range inlined {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(p))); err != nil {
			t.Error(err)
		}
	}
}
