package toolkit

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPlaces: the tools are found in the usual folders of the toolkit even if they are not on PATH.
// If $MUSTER_CUDA_BIN is set, only that folder is used.
func TestPlaces(t *testing.T) {
	program := func(folder string) string {
		file := filepath.Join(folder, "ptxas")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	onPath, named, home, other := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	set := func(variables ...string) {
		t.Helper()
		for _, name := range []string{"PATH", BinVariable, "CUDA_HOME", "CUDA_PATH"} {
			t.Setenv(name, "")
		}
		for i := 0; i < len(variables); i += 2 {
			t.Setenv(variables[i], variables[i+1])
		}
	}
	program(onPath)
	program(named)
	inHome, inOther := program(filepath.Join(home, "bin")), program(filepath.Join(other, "bin"))
	for _, c := range []struct {
		variables []string
		want      string
	}{
		{[]string{"PATH", onPath, "CUDA_HOME", home}, filepath.Join(onPath, "ptxas")},
		{[]string{"PATH", onPath, BinVariable, named}, filepath.Join(named, "ptxas")},
		{[]string{"CUDA_HOME", home, "CUDA_PATH", other}, inHome},
		{[]string{"CUDA_PATH", other}, inOther},
		{[]string{"CUDA_HOME", t.TempDir(), "CUDA_PATH", other}, inOther},
		{[]string{"CUDA_PATH", other, BinVariable, t.TempDir()}, ""},
	} {
		set(c.variables...)
		if got := Find("ptxas"); got != c.want {
			t.Errorf("%v: %q, want %q", c.variables, got, c.want)
		}
	}
	if !slices.Contains(places, struct{ variable, folder string }{"", "/usr/local/cuda/bin"}) {
		t.Error("the toolkit is not looked for where it is installed")
	}
}
