package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
	"github.com/muster-gpu/muster/harness/interp"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/internal/kernels/toolkit"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
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
		if err := r.Settle(test.incantations, test.file, strings.NewReader(test.text)); err != nil ||
			r.Settings.Settings != test.want {
			t.Errorf("%s: %+v, %v", test.name, r.Settings, err)
		}
	}
}

// TestInstances: in the paper's style a test is run as often as there, and else as often as is easy
// for the machine.
func TestInstances(t *testing.T) {
	for _, test := range []struct {
		machine      string
		incantations []string
		asked, want  int
	}{
		{"gpu", nil, 0, 1_000_000},
		{"gpu", []string{"stress", "sync"}, 0, 100_000},
		{"gpu", []string{"stress"}, 7, 7},
		{"weak", nil, 0, 1000},
		{"interpreter", []string{"none"}, 0, 10},
	} {
		r := &Rig{Name: test.machine, Instances: test.asked}
		if err := r.Settle(test.incantations, "", nil); err != nil {
			t.Fatal(err)
		}
		if test.machine == "gpu" {
			fakeDriver(t, r)
		} else if err := r.Open(); err != nil {
			t.Fatal(err)
		}
		if r.Instances != test.want {
			t.Errorf("%s, %v: %d instances, want %d", test.machine, test.incantations, r.Instances, test.want)
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

// fakeDriver opens a rig on the fake driver.
func fakeDriver(t *testing.T, r *Rig) {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("the fake driver needs Linux and gcc: install the package gcc of your distribution")
	}
	library := filepath.Join(t.TempDir(), "libcuda.so.1")
	source := filepath.Join("..", "cuda", "testdata", "fakecuda.c")
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-lm",
		"-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv(cuda.LibraryVariable, library)
	if err := r.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
}

// TestPrepare: several goroutines prepare a test, its machine code is kept, and the result of the
// check goes into the record.
func TestPrepare(t *testing.T) {
	plan := interCTA(t)
	r := &Rig{Name: "gpu", Cubins: filepath.Join(t.TempDir(), "cubins"), Opaque: true}
	if err := r.Settle(nil, "", nil); err != nil {
		t.Fatal(err)
	}
	t.Setenv(toolkit.BinVariable, "/nowhere")
	fakeDriver(t, r)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := r.Prepare(t.Context(), plan); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	opaque := plan.As(harness.Settings{Opaque: true})
	if _, err := os.Stat(filepath.Join(r.Cubins, opaque.CodeFile())); err != nil {
		t.Error(err)
	}
	check, err := r.check(t.Context(), plan)
	if err != nil || check.Verdict != observe.NotChecked || check.Why != optcheck.ErrNoDisassembler.Error() {
		t.Errorf("%+v, %v", check, err)
	}
	// If the code cannot be kept, no test is recorded.
	var lost *NotRecordedError
	if r.Cubins = "/nowhere"; !errors.As(r.Prepare(t.Context(), plan), &lost) {
		t.Error("what cannot be kept does not end the campaign")
	}
	if !strings.HasPrefix(r.toolkit(), "the compiler of the driver") || r.Ahead() < 1 {
		t.Errorf("%s, %d ahead", r.toolkit(), r.Ahead())
	}
}

// interCTA returns a test of two CTAs without fences.
func interCTA(t testing.TB) *harness.Plan {
	t.Helper()
	test, err := frontends.Shipped().Parse(
		src.NewFile("test",
			"PTX test\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x,1 | ld.weak "+
				"r1,x ;\nexists (P1:r1=1)\n"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := ptx.New(test, frontend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := harness.NewPlan(test, program, harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestKindsReachRuns: a test without settings of its own runs with those of its kind, and its
// record says so.
func TestKindsReachRuns(t *testing.T) {
	plan := interCTA(t)
	test, err := sim.Read(plan.Test, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		`{"ctas": 3}`: 3,
		`{"ctas": 3, "kinds": {"inter-CTA": {"ctas": 5}, "intra-CTA": {"ctas": 6}}}`:                                    5,
		`{"ctas": 3, "kinds": {"inter-CTA": {"ctas": 5}, "inter-CTA, no fence": {"ctas": 7}}}`:                          7,
		`{"ctas": 3, "kinds": {"inter-CTA, no fence": {"ctas": 7}}, "tests": {"test": {"ctas": 9}, "no": {"ctas": 1}}}`: 9,
	} {
		r := &Rig{Name: "interpreter", Instances: 1}
		if err := r.Settle(nil, "-", strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		record, err := r.NewRecord(test, plan, "")
		if err != nil || !strings.Contains(string(record.Settings), fmt.Sprintf(`"ctas":%d,`, want)) {
			t.Errorf("%s: %s, %v", text, record.Settings, err)
		}
	}
}

// TestAgain: only runs that were not compared for lack of a disassembler are repeated where there
// is one.
func TestAgain(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "nvdisasm"), []byte("#!/bin/sh\necho ok\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for where, can := range map[string]bool{bin: true, "/nowhere": false} {
		t.Setenv(toolkit.BinVariable, where)
		r := &Rig{Name: "gpu"}
		fakeDriver(t, r)
		for check, again := range map[observe.Optcheck]bool{
			// of an older muster
			{Verdict: observe.NotChecked}:                                                         true,
			{Verdict: observe.NotChecked, Why: optcheck.ErrNoDisassembler.Error()}:                true,
			{Verdict: observe.NotChecked, Why: "T0 has cp.async.ca: … is not compared with them"}: false,
			{Verdict: observe.Passed}:                                                             false,
			{Verdict: observe.Failed, Why: "a load is gone"}:                                      false,
		} {
			if got := r.Again(&observe.Record{Optcheck: check}); got != (again && can) {
				t.Errorf("%+v with a disassembler %v: again %v", check, can, got)
			}
		}
	}
}

// TestTry: a machine runs a kernel that does nothing, or says why not.
func TestTry(t *testing.T) {
	r := &Rig{Name: "gpu", Limit: time.Minute}
	fakeDriver(t, r)
	if err := r.Try(t.Context()); err != nil {
		t.Error(err)
	}
	t.Setenv("FAKECUDA", "memory 2000000000\nfaults trial 700\n")
	broken := &Rig{Name: "gpu", Limit: time.Minute}
	fakeDriver(t, broken)
	if err := broken.Try(t.Context()); err == nil || !strings.Contains(err.Error(), "ILLEGAL_ADDRESS") {
		t.Errorf("the error is %v", err)
	}
	if err := (&Rig{Machine: interp.New(1)}).Try(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAssembler: a ptxas whose output the driver refuses, because it is newer, makes no machine
// code.
func TestAssembler(t *testing.T) {
	for makes, want := range map[string]string{
		`cat "$3"`:                        "ptxas 99.1.2",
		`echo "machine code of tomorrow"`: "the compiler of the driver, CUDA 12.4",
	} {
		bin := t.TempDir()
		script := "#!/bin/sh\n[ $1 = --version ] && { echo 'Cuda compilation tools, release 99.1, V99.1.2'; exit; }\n" +
			`{ printf '\177ELF\002\001\001'; head -c 57 /dev/zero; ` + makes + `; printf '\000'; } > "$5"` + "\n"
		if err := os.WriteFile(filepath.Join(bin, "ptxas"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv(toolkit.BinVariable, bin)
		r := &Rig{Name: "gpu"}
		fakeDriver(t, r)
		if got := r.toolkit(); got != want {
			t.Errorf("%s: %s makes the machine code, want %s", makes, got, want)
		}
	}
}
