//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	f := newFake(t, "version 12080")
	d := must(cuda.Open(f.path))(t)
	if got := d.Version().String(); got != "12.8" {
		t.Errorf("version %s", got)
	}
	if diff := cmp.Diff("cuInit 0\ncuDriverGetVersion\n", f.log()); diff != "" {
		t.Error(diff)
	}
	check(t, d.Close())
	check(t, d.Close())
	_, err := d.Devices()
	is(t, err, cuda.ErrClosed)
	_, err = d.Context(0)
	is(t, err, cuda.ErrClosed)
	if log := f.log(); log != "" {
		t.Errorf("calls after Close: %s", log)
	}
}

func TestLibraryVariable(t *testing.T) {
	f := newFake(t, "")
	t.Setenv(cuda.LibraryVariable, f.path)
	check(t, must(cuda.Open(""))(t).Close())

	t.Setenv(cuda.LibraryVariable, "/nowhere/libcuda.so.1")
	_, err := cuda.Open("")
	as[*cuda.NoDriverError](t, err)
	check(t, must(cuda.Open(f.path))(t).Close()) // an explicit path takes precedence
}

func TestNoLibrary(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text.so")
	check(t, os.WriteFile(text, []byte("not a library at all"), 0o644))
	for _, path := range []string{"/nowhere/libcuda.so.1", text} {
		_, err := cuda.Open(path)
		missing := as[*cuda.NoDriverError](t, err)
		if missing.Library != path || missing.Reason == nil {
			t.Errorf("%+v", missing)
		}
		says(t, err, "no NVIDIA driver: "+path, "install the driver", cuda.LibraryVariable)
	}
}

func TestOldDriver(t *testing.T) {
	t.Parallel()
	for _, symbol := range []string{"cuDriverGetVersion", "cuLinkAddData_v2", "cuEventElapsedTime"} {
		f := newFake(t, "", "-D"+symbol+"=absent")
		_, err := cuda.Open(f.path)
		if old := as[*cuda.OldDriverError](t, err); old.Symbol != symbol {
			t.Errorf("it lacks %s; want %s", old.Symbol, symbol)
		}
		says(t, err, "the driver is too old: it has no "+symbol)
		if log := f.log(); log != "" {
			t.Errorf("calls of an old driver: %s", log)
		}
	}
}

func TestInitFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ code, name, meaning string }{
		{"100", "CUDA_ERROR_NO_DEVICE (100)", "no GPU"},
		{"803", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", "restart the machine"},
		{"999", "CUDA_ERROR_UNKNOWN (999)", "nvidia_uvm"},
		// the driver's own text
		{"908", "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE (908)", "the graph update was not performed"},
		{"12345", "CUDA error 12345 (12345)", "does not describe"},
	} {
		f := newFake(t, "fail cuInit 1 "+test.code)
		_, err := cuda.Open(f.path)
		as[*cuda.Error](t, err)
		says(t, err, "cuInit: "+test.name, test.meaning)
		check(t, must(cuda.Open(f.path))(t).Close()) // the second cuInit works
	}
}

// TestThreadsEnd is not parallel, because it counts the threads of all drivers.
func TestThreadsEnd(t *testing.T) {
	f := newFake(t, "fail cuInit 1 999")
	_, err := cuda.Open(f.path)
	as[*cuda.Error](t, err)
	check(t, must(cuda.Open(f.path))(t).Close())
	_, err = cuda.Open("/nowhere/libcuda.so.1")
	as[*cuda.NoDriverError](t, err)
	stacks := make([]byte, 1<<20)
	for range 1000 {
		all := stacks[:runtime.Stack(stacks, true)]
		if !bytes.Contains(all, []byte("(*thread).serve")) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("a thread is left:\n%s", stacks[:runtime.Stack(stacks, true)])
}

func TestNoDevice(t *testing.T) {
	t.Parallel()
	f := newFake(t, "fail cuInit 1 100")
	_, err := cuda.Open(f.path)
	is(t, err, cuda.NoDevice)
}
