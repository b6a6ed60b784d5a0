package compile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/compile"
)

// tool puts a program in a folder: a shell script that copies its input to its output and adds a
// line with its name. It calls no other program.
func tool(t *testing.T, folder, name string) {
	t.Helper()
	script := "#!/bin/sh\nfor w in \"$@\"; do case $w in -o) next=1;; *) [ \"$next\" ] && out=$w || last=$w; [ " +
		"\"$next\" ] && next=; esac; done\n" +
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
	r, err := compile.By(t.Context(), compile.Clang, source, "-I", "include")
	if err != nil {
		t.Fatal(err)
	}
	if want := "source\n// clang\n// opt\n// llc\n"; r.PTX != want {
		t.Errorf("PTX is %q, want %q", r.PTX, want)
	}
	if len(r.Commands) != 3 || !strings.Contains(r.Commands[0], "-I include") ||
		!strings.Contains(r.Commands[0], "-O0") {
		t.Errorf("commands are %q", r.Commands)
	}
}

// TestVersions: programs with a version suffix are used if those without are incomplete.
func TestVersions(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "k.cl")
	if err := os.WriteFile(source, []byte("source\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	for _, name := range []string{
		"clang-19", "opt-19", "clang-17", "opt-17", "llc-17", "clang-15", "opt-15", "llc-15",
		"opt", "llc",
	} {
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

// nvcc puts an nvcc into a folder that lists some architectures, and writes its arguments as PTX.
func nvcc(t *testing.T, folder, list string) {
	t.Helper()
	script := "#!/bin/sh\nif [ \"$1\" = --list-gpu-arch ]; then " + list + "; exit; fi\n" +
		"said=\"$*\"; while [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done\necho \"// $said\" > \"$out\"\n"
	if err := os.WriteFile(filepath.Join(folder, "nvcc"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestArchitectures: nvcc compiles for the newest architecture that it and muster know, unless
// flags name one.
func TestArchitectures(t *testing.T) {
	source := filepath.Join(t.TempDir(), "k.cu")
	if err := os.WriteFile(source, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cuda13 := "echo compute_75; echo compute_80; echo compute_90; echo compute_121; echo compute_107"
	for _, test := range []struct {
		list  string
		flags []string
		want  string
	}{
		{cuda13, nil, "-arch=sm_90"},
		{"echo compute_50; echo compute_60; echo compute_70; echo compute_75", nil, "-arch=sm_75"},
		{"echo compute_100; echo compute_120", nil, "-arch=sm_100"},
		{"echo nonsense", nil, "-arch=sm_70"},
		{"exit 1", nil, "-arch=sm_70"},
		{cuda13, []string{"-arch=sm_80"}, "-arch=sm_80"},
		{cuda13, []string{"-arch", "sm_80"}, "-arch sm_80"},
		{cuda13, []string{"--gpu-architecture=sm_100a"}, "--gpu-architecture=sm_100a"},
		{cuda13, []string{"-gencode", "arch=compute_90a,code=sm_90a"}, "-gencode arch=compute_90a,code=sm_90a"},
		{cuda13, []string{"--generate-code=arch=compute_80,code=sm_80"}, "--generate-code=arch=compute_80,code=sm_80"},
		{cuda13, []string{"-DARCH=3", "-I", "arch"}, "-arch=sm_90"},
	} {
		folder := t.TempDir()
		t.Setenv("MUSTER_CUDA_BIN", folder)
		nvcc(t, folder, test.list)
		r, err := compile.By(t.Context(), compile.NVCC, source, test.flags...)
		if err != nil {
			t.Error(err)
			continue
		}
		if words := " " + strings.TrimSpace(r.PTX) + " "; !strings.Contains(words, " "+test.want+" ") ||
			strings.Count(words, "sm_") > strings.Count(test.want, "sm_") {
			t.Errorf("%s, %q: the command is %s", test.list, test.flags, r.PTX)
		}
	}
}

// TestTargetsOfClang: flags that name an architecture set it for clang and for llc.
func TestTargetsOfClang(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "k.cu")
	if err := os.WriteFile(source, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	for _, name := range []string{"clang", "opt", "llc"} {
		tool(t, folder, name)
	}
	for flag, want := range map[string]string{
		"-DX": "sm_70", "--cuda-gpu-arch=sm_90": "sm_90",
		"--offload-arch=sm_80": "sm_80",
	} {
		r, err := compile.By(t.Context(), compile.Clang, source, flag)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Commands[0], "="+want) || strings.Count(r.Commands[0], "sm_") != 1 ||
			!strings.Contains(r.Commands[2], "-mcpu="+want) {
			t.Errorf("%s: the commands are %q", flag, r.Commands)
		}
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("MUSTER_CUDA_BIN", t.TempDir())
	for file, want := range map[string]string{
		"k.cu": "nvcc -ptx", "k.cl": "nvptx64-nvidia-nvcl", "k.c": "not a kernel",
	} {
		if _, err := compile.File(t.Context(), file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", file, err, want)
		}
	}
}

// TestPlaces: an atomic's position is its call in the kernel, not its body in a header; no position
// names the temporary folder.
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
	if !strings.Contains(r.PTX, "atom.") || strings.Contains(r.PTX, "opencl.h\"") ||
		strings.Contains(r.PTX, "muster-compile-") {
		t.Errorf("the atomic is elsewhere:\n%s", r.PTX)
	}
	if _, err := compiled("kernel void count(global int *n) { atomic_inc(n, 1, 2); }\n"); err == nil ||
		strings.Contains(err.Error(), "muster-compile-") {
		t.Errorf("what is wrong is said with a folder that is gone: %v", err)
	}
}
