//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

// TestLinkAndLoad: the bytes that are loaded are exactly those that were linked.
func TestLinkAndLoad(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := f.context(t)
	f.log()
	linked := must(c.Link("kernels.ptx", kernels))(t)
	if linked.Info != "ptxas info: 4 registers" {
		t.Errorf("info %q", linked.Info)
	}
	m := must(c.Load("kernels.cubin", linked.Cubin))(t)
	check(t, m.Close())
	const options = "5 options 3=set 4=16384 5=set 6=16384 12=1"
	want := fmt.Sprintf(`cuCtxSetCurrent of 0
cuLinkCreate_v2 %s
cuLinkAddData_v2 type 1, %d bytes, name kernels.ptx, last byte 0, 0 options
cuLinkComplete
  made HASH
cuLinkDestroy
cuCtxSetCurrent none
cuModuleLoadDataEx %s
  loaded HASH
cuModuleUnload
`, options, len(kernels)+1, options)
	log := f.log()
	hash := regexp.MustCompile(`(made|loaded) ([0-9a-f]{8})`)
	if diff := cmp.Diff(want, hash.ReplaceAllString(log, "$1 HASH")); diff != "" {
		t.Error(diff)
	}
	hashes := hash.FindAllStringSubmatch(log, -1)
	if len(hashes) != 2 || hashes[0][2] != hashes[1][2] {
		t.Errorf("made and loaded differ: %v", hashes)
	}
}

// TestLinkKeepsNothing: a cubin is a copy, which later links and the garbage collector do not
// change.
func TestLinkKeepsNothing(t *testing.T) {
	t.Parallel()
	c := newFake(t, "").context(t)
	first := must(c.Link("a", kernels))(t)
	before := string(first.Cubin)
	for range 20 {
		runtime.GC()
		must(c.Link("b", ".version 8.0\n"+strings.Repeat("// longer\n", 100)))(t)
	}
	if string(first.Cubin) != before {
		t.Error("the cubin changed")
	}
}

// TestLinksTogether: compilers run concurrently, and the end of the context waits for them.
func TestLinksTogether(t *testing.T) {
	t.Parallel()
	c := newFake(t, "takes cuLinkAddData_v2 5").context(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := c.Link("a", kernels); err != nil && !errors.Is(err, cuda.ErrClosed) {
				t.Error(err)
			}
		})
	}
	must(c.Link("b", kernels))(t)
	check(t, c.Close())
	all.Wait()
}

func TestLinkRejects(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := f.context(t)
	_, err := c.Link("bad.ptx", ".version 7.0\n.error line 2: no such opcode\n")
	e := as[*cuda.LinkError](t, err)
	if want := "ptxas bad.ptx: error line 2: no such opcode"; e.Log != want {
		t.Errorf("log %q; want %q", e.Log, want)
	}
	is(t, err, cuda.InvalidPTX)
	says(t, err, "bad.ptx: cuLinkAddData: CUDA_ERROR_INVALID_PTX (218)", "\nptxas bad.ptx: error line 2")
	if f.live("links") != 0 {
		t.Error("the link state was not destroyed")
	}

	_, err = c.Link("nul.ptx", ".version\x00")
	as[*cuda.LinkError](t, err)
	says(t, err, "nul.ptx", "NUL")
}

func TestLoadRejects(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := f.context(t)
	cubin := must(c.Link("kernels.ptx", kernels))(t).Cubin
	f.log()

	cutOff := append([]byte(nil), cubin[:100]...)
	binary.LittleEndian.PutUint64(cutOff[40:], 60) // sections begin at 60,
	binary.LittleEndian.PutUint16(cutOff[58:], 64) // each has 64 bytes,
	binary.LittleEndian.PutUint16(cutOff[60:], 1)  // and there is one
	farAway := append([]byte(nil), cubin...)
	binary.LittleEndian.PutUint64(farAway[32:], 1<<63) // segments
	for name, test := range map[string]struct {
		image []byte
		want  string
	}{
		"empty":    {nil, "this is not a cubin"},
		"ptx":      {[]byte(kernels), "this is not a cubin: PTX has to be linked first"},
		"header":   {cubin[:63], "this is not a cubin"},
		"cut off":  {cutOff, "the cubin is cut off: its table of sections lies beyond its 100 bytes"},
		"far away": {farAway, "its table of segments lies beyond"},
	} {
		_, err := c.Load(name, test.image)
		as[*cuda.LinkError](t, err)
		says(t, err, name+": ", test.want)
	}
	if log := f.log(); log != "" {
		t.Errorf("calls: %s", log)
	}

	_, err := c.Load("strange", append(cubin[:64:64], "no code\x00"...))
	e := as[*cuda.LinkError](t, err)
	if e.Log != "device kernel image is invalid" {
		t.Errorf("log %q", e.Log)
	}
	says(t, err, "strange: cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE (200)", "\ndevice kernel image is invalid")
}

func TestNoSuchName(t *testing.T) {
	t.Parallel()
	c := newFake(t, "").context(t)
	m := load(t, c)
	_, err := m.Function("fetch")
	is(t, err, cuda.NotFound)
	says(t, err, "kernel fetch of kernels.cubin")
	_, err = m.Global("counts")
	is(t, err, cuda.NotFound)
	says(t, err, "variable counts of kernels.cubin")
}
