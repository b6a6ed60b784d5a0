//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebitengine/purego"

	"github.com/muster-gpu/muster/harness/cuda"
)

// fake is the fake driver library of testdata/fakecuda.c, with a state of its own.
type fake struct {
	path   string
	script func(lines string)
	live   func(kind string) int64
	end    func() // ends kernels and calls that would go on for ever

	takeLog func() string
	logged  strings.Builder // everything that was taken
}

var builds struct {
	sync.Mutex
	libraries map[string][]byte // by the compiler's flags
}

// buildFake compiles the fake, once for the same flags.
func buildFake(t *testing.T, flags ...string) []byte {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	key := strings.Join(flags, " ")
	if library, ok := builds.libraries[key]; ok {
		return library
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the fake driver needs gcc: install the package gcc of your distribution")
	}
	file := filepath.Join(t.TempDir(), "libcuda.so.1")
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", file}, flags...)
	out, err := exec.Command("gcc", append(args, "testdata/fakecuda.c", "-lm", "-lpthread")...).CombinedOutput()
	if err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	library, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if builds.libraries == nil {
		builds.libraries = map[string][]byte{}
	}
	builds.libraries[key] = library
	return library
}

// newFake loads a fake of its own for the test. At the test's end it checks that the calls came
// from one thread, that none would have waited for ever, and that nothing is left on the GPU.
func newFake(t *testing.T, script string, flags ...string) *fake {
	t.Helper()
	f := loadFake(t, script, flags...)
	t.Cleanup(func() {
		f.checkCalls(t)
		f.checkLive(t)
	})
	return f
}

// newLeakyFake is newFake for a test that cannot free everything.
func newLeakyFake(t *testing.T, script string) *fake {
	t.Helper()
	f := loadFake(t, script)
	t.Cleanup(func() { f.checkCalls(t) })
	return f
}

func loadFake(t *testing.T, script string, flags ...string) *fake {
	t.Helper()
	f := &fake{path: filepath.Join(t.TempDir(), "libcuda.so.1")}
	if err := os.WriteFile(f.path, buildFake(t, flags...), 0o755); err != nil {
		t.Fatal(err)
	}
	library, err := purego.Dlopen(f.path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	purego.RegisterLibFunc(&f.script, library, "fake_script")
	purego.RegisterLibFunc(&f.takeLog, library, "fake_log")
	purego.RegisterLibFunc(&f.live, library, "fake_live")
	purego.RegisterLibFunc(&f.end, library, "fake_end")
	f.script(script)
	return f
}

// log returns the calls since the last call of log.
func (f *fake) log() string {
	log := f.takeLog()
	f.logged.WriteString(log)
	return log
}

func (f *fake) checkCalls(t *testing.T) {
	f.log()
	for line := range strings.Lines(f.logged.String()) {
		if strings.HasPrefix(line, "WRONG THREAD") || strings.HasPrefix(line, "BLOCKED") {
			t.Error(strings.TrimSpace(line))
		}
	}
}

func (f *fake) checkLive(t *testing.T) {
	for _, kind := range []string{"contexts", "memory", "modules", "events", "links"} {
		if n := f.live(kind); n != 0 {
			t.Errorf("%d %s were not freed", n, kind)
		}
	}
}

// open opens the fake as a driver, until the end of the test.
func (f *fake) open(t *testing.T) *cuda.Driver {
	t.Helper()
	d := must(cuda.Open(f.path))(t)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// context opens the first device.
func (f *fake) context(t *testing.T) *cuda.Context {
	t.Helper()
	return must(f.open(t).Context(0))(t)
}

// kernels is PTX that the fake understands.
const kernels = `.version 7.0
.target sm_70
.address_size 64
.global .u32 histogram[4];
.visible .entry store(.param .u64 to, .param .u32 value) { ret; }
.visible .entry spin() { ret; }
`

// load loads the kernels.
func load(t *testing.T, c *cuda.Context) *cuda.Module {
	t.Helper()
	linked := must(c.Link("kernels.ptx", kernels))(t)
	return must(c.Load("kernels.cubin", linked.Cubin))(t)
}

// spin launches a kernel without parameters.
func spin(t *testing.T, c *cuda.Context) {
	t.Helper()
	check(t, must(load(t, c).Function("spin"))(t).Launch(cuda.Launch{}))
}

// ample is a limit that no wait of these tests should reach: on a machine that is too slow, the
// time limit of the tests ends them.
const ample = 24 * time.Hour

// wait waits without a limit of its own.
func wait(t *testing.T, c *cuda.Context) {
	t.Helper()
	check(t, c.Wait(context.Background(), ample))
}

// must returns the result of a call that must not fail.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		check(t, err)
		return value
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// as returns an error as one of type E.
func as[E error](t *testing.T, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("the error is %T: %v; want %T", err, err, e)
	}
	return e
}

// says checks the message of an error.
func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %q; want %q in it", err, part)
		}
	}
}

// is checks that errors.Is(err, target).
func is(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("the error is %v; want %v", err, target)
	}
}
