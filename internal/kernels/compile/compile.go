// Package compile compiles CUDA and OpenCL kernels to PTX with installed compilers. Its flags keep
// the accesses of the source, which optimizations may remove, merge or move.
package compile

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/toolkit"
)

// Result is PTX and the commands that compiled it.
type Result struct {
	PTX      string
	Commands []string
}

// step is a command. in and out stand for its files, headers/X for a file of headers, and TARGET
// for the architecture.
type step []string

// The compilers.
const (
	Clang = "clang"
	NVCC  = "nvcc"
)

// recipe is a way to compile a language to PTX.
type recipe struct {
	extension, compiler string
	steps               []step                    // each reads the output of the previous one
	fits                func(flags []string) bool // reports whether it may be used; nil: always
}

// passes promote variables to registers and inline calls, and optimize nothing else.
const passes = "-passes=always-inline,inline,globaldce,function(sroa,mem2reg,infer-address-spaces)"

// headers are files that clang includes before a kernel: the threads, barriers and atomics of its
// language. They need neither a library for PTX nor CUDA.
//
//go:embed opencl cuda annotations.h
var headers embed.FS

// sameHeaders are the headers of CUDA that add nothing to cuda_runtime.h.
var sameHeaders = strings.Fields(
	`cuda_runtime_api.h device_launch_parameters.h device_functions.h device_atomic_functions.h
	vector_types.h vector_functions.h driver_types.h math_functions.h math_constants.h
	sm_20_atomic_functions.h sm_60_atomic_functions.h cuda_profiler_api.h`)

// recipes are tried in order; the first whose programs are all installed is used.
var recipes = []recipe{
	{
		".cu", Clang,
		llvm("-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=TARGET", "-gline-tables-only",
			"-fdebug-compilation-dir", ".", "-include", "headers/annotations.h"), hasCUDA,
	},
	{
		".cu", NVCC,
		[]step{{
			NVCC, "-ptx", "-lineinfo", "-extended-lambda", "-expt-relaxed-constexpr", "-Xcicc", "-O1",
			"-arch=TARGET", "in", "-o", "out",
		}},
		nil,
	},
	{
		".cu", Clang,
		llvm("-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=TARGET", "-gline-tables-only",
			"-fdebug-compilation-dir", ".", "-nocudainc", "-nocudalib", "-isystem", "headers/cuda", "-include",
			"headers/cuda/cuda_runtime.h"), nil,
	},
	{
		".cl", Clang,
		llvm("-x", "cl", "-target", "nvptx64-nvidia-nvcl", "-gline-tables-only", "-fdebug-compilation-dir", ".",
			"-Xclang", "-finclude-default-header", "-include", "headers/opencl/opencl.h"), nil,
	},
}

// llvm returns the steps of a recipe with LLVM's programs.
func llvm(language ...string) []step {
	front := append(step{Clang}, language...)
	return []step{
		append(front, "-O0", "-Xclang", "-disable-O0-optnone", "-S", "-emit-llvm", "in", "-o", "out"),
		{"opt", "-S", passes, "in", "-o", "out"},
		{"llc", "-O1", "-mcpu=TARGET", "in", "-o", "out"},
	}
}

// hasCUDA reports whether clang will find CUDA's headers, or flags say that it needs none.
func hasCUDA(flags []string) bool {
	for _, f := range flags {
		if f == "-nocudainc" || strings.HasPrefix(f, "--cuda-path") {
			return true
		}
	}
	_, err := os.Stat("/usr/local/cuda/include/cuda_runtime.h") // where clang looks, too
	return err == nil
}

// newer matches features of OpenCL C 2.0 and later; clang assumes 1.2 unless told otherwise.
var newer = regexp.MustCompile(
	`\batomic_(u?int|u?long|float|double|flag|size_t|u?intptr_t|ptrdiff_t)\b|\bmemory_(order|scope)_\w|\bwork_group_(all|any|broadcast|reduce|scan)`)

// standard adds the flag for a newer OpenCL C if the file needs it and the flags select no version.
func standard(file string, flags []string) []string {
	said := slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-cl-std") })
	if filepath.Ext(file) != ".cl" || said {
		return flags
	}
	if text, err := os.ReadFile(file); err != nil || !newer.Match(text) { // clang reports a missing file
		return flags
	}
	return append([]string{"-cl-std=CL2.0"}, flags...)
}

// ErrNoSource is the error for a file without the extension of a source.
var ErrNoSource = errors.New("not a kernel in CUDA (.cu) or OpenCL (.cl)")

// File compiles a file. The flags are added to the first command.
func File(ctx context.Context, file string, flags ...string) (*Result, error) {
	return By(ctx, "", file, flags...)
}

// By compiles a file as File does, with the given compiler; "" is any.
func By(ctx context.Context, compiler, file string, flags ...string) (*Result, error) {
	flags = standard(file, flags)
	var missing []string
	known := false
	for _, r := range recipes {
		if filepath.Ext(file) != r.extension || compiler != "" && compiler != r.compiler {
			continue
		}
		known = true
		if r.fits != nil && !r.fits(flags) {
			continue
		}
		version, tool := r.installed()
		if tool != "" {
			missing = append(missing, tool)
			continue
		}
		return r.run(ctx, file, version, flags)
	}
	if !known {
		return nil, fmt.Errorf("%s: %w", file, ErrNoSource)
	}
	return nil, fmt.Errorf("%s is not compiled: there is no %s here; where there is, make PTX with\n%s",
		file, strings.Join(missing, " and no "), Recipes(file))
}

// Missing describes what a compiler lacks to compile files with an extension, and how to get it, or
// returns "".
func Missing(compiler, extension string) string {
	for _, r := range recipes {
		if r.compiler != compiler || r.extension != extension {
			continue
		}
		if _, tool := r.installed(); tool != "" {
			return fmt.Sprintf("no %s: %s", tool, ways[compiler])
		}
	}
	if _, err := exec.LookPath("g++"); err != nil && compiler == NVCC {
		return "no g++, which nvcc has read the source first: apt-get install g++"
	}
	return ""
}

// ways describe how to get the compilers.
var ways = map[string]string{
	Clang: "apt-get install clang llvm",
	NVCC: "`pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl` has it, " +
		"for PATH or $MUSTER_CUDA_BIN",
}

// Recipes returns the commands for a file, one a line, of each recipe in turn.
func Recipes(file string) string {
	var all strings.Builder
	for _, r := range recipes {
		if r.extension == filepath.Ext(file) {
			aim := baseline
			if r.compiler == NVCC {
				aim = fmt.Sprint("sm_", newestTarget)
			}
			for _, line := range r.commands(files{file, strings.TrimSuffix(filepath.Base(file), r.extension)}, "", aim,
				nil) {
				fmt.Fprintln(&all, "  "+strings.Join(line, " "))
			}
		}
	}
	return strings.TrimRight(all.String(), "\n")
}

// The versions of LLVM that are looked for, with Debian's program names: "clang-14".
const (
	newest = 40
	oldest = 13 // the first whose opt has the syntax of passes
)

// installed returns the suffix of the installed programs of the recipe: "", or that of the newest
// complete version. If no version is complete, it returns a program that is missing.
func (r recipe) installed() (version, missing string) {
	if missing = r.missing(""); missing == "" {
		return "", ""
	}
	for n := newest; n >= oldest; n-- {
		if version = fmt.Sprintf("-%d", n); r.missing(version) == "" {
			return version, ""
		}
	}
	return "", missing
}

// missing returns a program of the recipe that is not installed with a suffix, or "".
func (r recipe) missing(version string) string {
	for _, s := range r.steps {
		if r.path(s[0], version) == "" {
			return s[0]
		}
	}
	return ""
}

// path returns the path of a program of the recipe with a suffix, or "". Programs on PATH are
// returned by name.
func (r recipe) path(program, version string) string {
	name := program + version
	onPath, err := exec.LookPath(name)
	if r.compiler != NVCC {
		if err != nil {
			return ""
		}
		return name
	}
	found := toolkit.Find(name)
	if found != "" && found == onPath {
		return name
	}
	return found
}

// files are the input of a recipe, and the name of its output without an extension.
type files struct{ in, base string }

// commands returns the steps with their files, for an architecture. Flags that name an architecture
// replace that of the first step.
func (r recipe) commands(f files, version, aim string, flags []string) (all [][]string) {
	in := f.in
	named := namesTarget.MatchString(strings.Join(flags, " "))
	for i, s := range r.steps {
		out := fmt.Sprintf("%s.%d.ll", f.base, i+1)
		if i == len(r.steps)-1 {
			out = f.base + ".ptx"
		}
		line := []string{cmp.Or(r.path(s[0], version), s[0]+version)}
		if i == 0 {
			line = append(line, flags...)
		}
		for _, word := range s[1:] {
			header, isHeader := strings.CutPrefix(word, "headers/")
			switch {
			case word == "in":
				word = in
			case word == "out":
				word = out
			case isHeader:
				word = filepath.Join(filepath.Dir(f.base), header)
			case i == 0 && named && strings.Contains(word, target):
				continue
			}
			line = append(line, strings.Replace(word, target, aim, 1))
		}
		all = append(all, line)
		in = out
	}
	return all
}

func (r recipe) run(ctx context.Context, file, version string, flags []string) (*Result, error) {
	folder, err := os.MkdirTemp("", "muster-compile-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := writeHeaders(folder); err != nil {
		return nil, err
	}
	base := filepath.Join(folder, "kernel")
	result, relative := &Result{}, strings.NewReplacer(folder+string(filepath.Separator), "", folder, ".")
	for _, line := range r.commands(files{file, base}, version, r.aim(ctx, flags), flags) {
		command := relative.Replace(strings.Join(line, " "))
		result.Commands = append(result.Commands, command)
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", command, err, relative.Replace(string(bytes.TrimSpace(out))))
		}
		if err := errors.Join(whole(base+".1.ll"), kept(base+".2.ll")); err != nil {
			return nil, err
		}
	}
	text, err := os.ReadFile(base + ".ptx")
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(base + ".1.ll")
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // nvcc writes none
		return nil, err
	}
	result.PTX = turned(sized(relative.Replace(string(text)), string(program)))
	return result, nil
}

// writeHeaders writes the headers into a folder.
func writeHeaders(folder string) error {
	if err := os.CopyFS(folder, headers); err != nil {
		return err
	}
	for _, name := range sameHeaders {
		if err := os.WriteFile(filepath.Join(folder, "cuda", name), []byte("#include \"cuda_runtime.h\"\n"),
			0o644); err != nil {
			return err
		}
	}
	return nil
}
