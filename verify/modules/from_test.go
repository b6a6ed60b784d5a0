package modules_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/compile"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

const (
	folder = "../testdata/kernels"
	openCL = "../testdata/opencl"
)

// TestFromNVCC compiles the sources of the kernels with nvcc, which keeps fewer accesses: its
// findings are among those of the PTX beside the sources.
func TestFromNVCC(t *testing.T) {
	if missing := compile.Missing(compile.NVCC, ".cu"); missing != "" {
		t.Skip("sources are not compiled: ", missing)
	}
	sources, err := filepath.Glob(folder + "/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	config := verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{16, 1, 1}}, Budget: 500}
	for i, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if i%sample.Rounds(1, 8, 38) > 0 || strings.Contains(string(text), "__assert(") ||
			strings.Contains(string(text), "__requires(") {
			continue // names of annotations clash with CUDA's headers
		}
		made := modules.Input{Config: config, From: true, By: compile.NVCC, Flags: []string{"-I", folder}}
		got := made.Verify(t.Context(), source)
		kept := modules.Input{Config: config}
		want := kept.Verify(t.Context(), strings.TrimSuffix(source, filepath.Ext(source))+".ptx")
		if got.Err != nil || !slices.Equal(verdictsOf(got), verdictsOf(want)) {
			t.Errorf("%s: %q, %v, want %q", source, verdictsOf(got), got.Err, verdictsOf(want))
		}
	}
}

func verdictsOf(m modules.Verified) (all []string) {
	for _, r := range m.Results {
		all = append(all, r.Kernel.Name+" "+r.Verdict.String())
	}
	return all
}

// lostLoads are sources whose checked-in PTX has lost loads that --from keeps: they have the same
// alarms and more.
var lostLoads = []string{"reduction-warp-plain.cu"}

// TestFrom compiles the sources of the kernels, if there is a compiler: each kernel has the
// verdict, the alarms and the accesses of the PTX beside it.
func TestFrom(t *testing.T) {
	var sources []string
	for _, pattern := range []string{folder + "/*.cu", folder + "/*.cl", openCL + "/*.cl"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, found...)
	}
	config := verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{16, 1, 1}}, Budget: 500}
	for i, source := range sources {
		if i%sample.Rounds(1, 2, 32) > 0 {
			continue
		}
		flags := []string{"-I", folder, "-nocudainc", "-nocudalib"}
		switch {
		case filepath.Dir(source) == openCL:
			flags = nil
		case filepath.Ext(source) == ".cl":
			flags = []string{"-I", folder, "-cl-std=CL1.2"}
		}
		if missing := compile.Missing(compile.Clang, filepath.Ext(source)); missing != "" {
			t.Skip("sources are not compiled: ", missing)
		}
		made := modules.Input{Config: config, From: true, By: compile.Clang, Flags: flags}
		got := made.Verify(t.Context(), source)
		kept := modules.Input{Config: config}
		want := kept.Verify(t.Context(), strings.TrimSuffix(source, filepath.Ext(source))+".ptx")
		g, w := parts(got), parts(want)
		missing, lost := func(s string) bool { return !slices.Contains(g, s) }, slices.Contains(lostLoads,
			filepath.Base(source))
		if !lost && !slices.Equal(g, w) || slices.ContainsFunc(w, missing) {
			t.Errorf("%s: %q, %v, want %q, %v", source, g, got.Err, w, want.Err)
		}
		if len(got.Commands) < 3 {
			t.Errorf("%s: the commands are %q", source, got.Commands)
		}
	}
}

// said returns the results of the kernels of a module.
func said(m modules.Verified) (all []string) {
	for _, r := range m.Results {
		all = append(all, r.Kernel.Name+" "+r.Verdict.String()+strings.Join(alarms(r), ""))
	}
	return all
}

// parts returns the same with one entry for each alarm.
func parts(m modules.Verified) (all []string) {
	for _, r := range m.Results {
		all = append(all, r.Kernel.Name+" "+r.Verdict.String())
		for _, a := range alarms(r) {
			all = append(all, r.Kernel.Name+a)
		}
	}
	return all
}

// alarms returns the alarms of a kernel, with their positions.
func alarms(r *verify.Result) (all []string) {
	for _, a := range r.Alarms {
		s := " " + a.Kind.String()
		for _, p := range a.Points {
			for _, place := range r.Place(p.Instr) {
				s += " " + filepath.Base(place)
			}
		}
		all = append(all, s)
	}
	return all
}

// TestParamsOfSources: parameters of a compiled program can be named as in the source, or by
// position; unknown names are reported before anything is verified.
func TestParamsOfSources(t *testing.T) {
	eachCompiler(t, func(t *testing.T, compiler string) {
		file := filepath.Join(t.TempDir(), "k.cu")
		if err := os.WriteFile(file,
			[]byte(
				"__global__ void f(int *a, int w) {\n  int x = threadIdx.x, y = threadIdx.y;\n"+
					"  if (x < w) a[y * w + x] = 1;\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"w", "param_1", "_Z1fPii_param_1", "v"} {
			in := modules.Input{From: true, By: compiler, Config: verify.Config{
				Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{8, 8, 1}},
				Values: map[string]uint64{name: 8},
			}}
			_, err := in.Prepare(t.Context(), []string{file})
			if name == "v" {
				if want := "no parameter v: the modules have _Z1fPii_param_0, _Z1fPii_param_1, a, w"; err == nil ||
					err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
				continue
			}
			if m := in.Verify(t.Context(), file); err != nil || !slices.Equal(said(m), []string{"_Z1fPii verified"}) {
				t.Errorf("%s: %v, %v, %v", name, said(m), err, m.Err)
			}
		}
	})
}

// TestAboutSources: messages refer to the source as the user named it, and not to PTX that is in no
// file.
func TestAboutSources(t *testing.T) {
	eachCompiler(t, func(t *testing.T, compiler string) {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("k.cu", []byte("__global__ void f(int *a) {\n  a[0] = threadIdx.x;\n}\n"), 0o644); err !=
			nil {
			t.Fatal(err)
		}
		in := modules.Input{
			From:   true,
			By:     compiler,
			Config: verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{8, 1, 1}}},
		}
		at := map[string]string{compile.Clang: "k.cu:2:8", compile.NVCC: "k.cu:2:3"}[compiler]
		m := in.Verify(t.Context(), "k.cu")
		if m.Err != nil || len(m.Results) != 1 {
			t.Fatalf("%d results, %v", len(m.Results), m.Err)
		}
		var text strings.Builder
		if err := m.Results[0].WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(text.String(), "k.cu: f(int*) (grid 1, block 8): RACE") ||
			!strings.Contains(text.String(), "  "+at+" (line ") || strings.Contains(text.String(), "k.ptx") {
			t.Error(text.String())
		}
		if answer := m.Results[0].JSON(); answer.File != "k.cu" || answer.Alarms[0].Points[0].At.Source != at {
			t.Errorf("%+v", answer)
		}
	})
}
