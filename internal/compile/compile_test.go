package compile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/compile"
)

// tool puts a program in a folder: a script of the shell that copies its input to its output, and adds a
// line with its name. It calls no other program.
func tool(t *testing.T, folder, name string) {
	t.Helper()
	script := "#!/bin/sh\nfor w in \"$@\"; do case $w in -o) next=1;; *) [ \"$next\" ] && out=$w || last=$w; [ \"$next\" ] && next=; esac; done\n" +
		"{ while read -r line; do echo \"$line\"; done < \"$last\"; echo '// " + name + "'; } > \"$out\"\n"
	if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestFile(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "k.cu")
	if err := os.WriteFile(source, []byte("source\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	for _, name := range []string{"clang", "opt", "llc"} {
		tool(t, folder, name)
	}
	r, err := compile.File(t.Context(), source, "-I", "include")
	if err != nil {
		t.Fatal(err)
	}
	if want := "source\n// clang\n// opt\n// llc\n"; r.PTX != want {
		t.Errorf("PTX is %q, want %q", r.PTX, want)
	}
	if len(r.Commands) != 3 || !strings.Contains(r.Commands[0], "-I include") || !strings.Contains(r.Commands[0], "-O0") {
		t.Errorf("commands are %q", r.Commands)
	}
}

// TestVersions: programs of one version are taken where those without a number are not all there.
func TestVersions(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "k.cl")
	if err := os.WriteFile(source, []byte("source\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	for _, name := range []string{"clang-19", "opt-19", "clang-17", "opt-17", "llc-17", "clang-15", "opt-15", "llc-15", "opt", "llc"} {
		tool(t, folder, name)
	}
	r, err := compile.File(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if want := "source\n// clang-17\n// opt-17\n// llc-17\n"; r.PTX != want {
		t.Errorf("PTX is %q, want %q", r.PTX, want)
	}
	if len(r.Commands) != 3 || !strings.HasPrefix(r.Commands[1], "opt-17 -S -passes=") {
		t.Errorf("commands are %q", r.Commands)
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for file, want := range map[string]string{
		"k.cu": "nvcc -ptx", "k.cl": "nvptx64-nvidia-nvcl", "k.c": "not a kernel",
	} {
		if _, err := compile.File(t.Context(), file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", file, err, want)
		}
	}
}

// TestPlaces: an atomic is where the kernel calls it, not where a header has its body; no file is called by the folder that is gone afterwards.
func TestPlaces(t *testing.T) {
	source := filepath.Join(t.TempDir(), "k.cl")
	compiled := func(text string) (*compile.Result, error) {
		if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return compile.File(t.Context(), source)
	}
	for _, tool := range []string{"clang", "opt", "llc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no ", tool, ": nothing is compiled (apt-get install clang llvm)")
		}
	}
	r, err := compiled("kernel void count(global int *n) {\n  atomic_inc(n);\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.PTX, "atom.") || strings.Contains(r.PTX, "opencl.h\"") || strings.Contains(r.PTX, "muster-compile-") {
		t.Errorf("the atomic is elsewhere:\n%s", r.PTX)
	}
	if _, err := compiled("kernel void count(global int *n) { atomic_inc(n, 1, 2); }\n"); err == nil || strings.Contains(err.Error(), "muster-compile-") {
		t.Errorf("what is wrong is said with a folder that is gone: %v", err)
	}
}
