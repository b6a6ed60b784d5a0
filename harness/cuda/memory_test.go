//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := f.context(t)
	f.log()
	m := must(c.Alloc(16))(t)
	if m.Size() != 16 || m.Address() == 0 {
		t.Errorf("%d bytes at %d", m.Size(), m.Address())
	}
	check(t, m.Fill(0x01020304))
	check(t, m.WriteWords(4, []uint32{7, 8}))
	check(t, m.Write(13, []byte{0xff}))
	check(t, m.Write(16, nil))
	words := make([]uint32, 4)
	check(t, m.ReadWords(0, words))
	if diff := cmp.Diff([]uint32{0x01020304, 7, 8, 0x0102ff04}, words); diff != "" {
		t.Error(diff)
	}
	bytes := make([]byte, 3)
	check(t, m.Read(3, bytes))
	if diff := cmp.Diff([]byte{1, 7, 0}, bytes); diff != "" {
		t.Error(diff)
	}
	check(t, m.Close())
	check(t, m.Close())
	want := `cuMemAlloc_v2 16
cuMemsetD32_v2 0x1020304 4
cuMemcpyHtoD_v2 8
cuMemcpyHtoD_v2 1
cuMemcpyDtoH_v2 16
cuMemcpyDtoH_v2 3
cuMemFree_v2
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
}

func TestCopyOutside(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	m := must(f.context(t).Alloc(16))(t)
	f.log()
	for _, err := range []error{
		m.Write(0, make([]byte, 17)),
		m.Write(17, nil),
		m.Read(math.MaxUint64, make([]byte, 1)),
		m.Read(10, make([]byte, 7)),
		m.WriteWords(1, make([]uint32, 4)),
		m.ReadWords(16, make([]uint32, 1)),
	} {
		says(t, err, "not within the memory's 16")
	}
	if log := f.log(); log != "" {
		t.Errorf("calls: %s", log)
	}
}

func TestFillOddSize(t *testing.T) {
	t.Parallel()
	m := must(newFake(t, "").context(t).Alloc(6))(t)
	says(t, m.Fill(0), "6 bytes are not a whole number of words")
}

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	c := newFake(t, "memory 1000").context(t)
	must(c.Alloc(600))(t)
	_, err := c.Alloc(500)
	full := as[*cuda.OutOfMemoryError](t, err)
	if full.Asked != 500 || full.Free != 400 || full.Total != 1000 {
		t.Errorf("%+v", full)
	}
	is(t, err, cuda.OutOfMemory)
	says(t, err, "CUDA_ERROR_OUT_OF_MEMORY", "asked for 500 bytes; 400 of 1000 are free")

	free, total, err := c.MemoryInfo()
	check(t, err)
	if free != 400 || total != 1000 {
		t.Errorf("%d of %d are free", free, total)
	}
	must(c.Alloc(400))(t) // the context still works
	_, err = c.Alloc(0)
	is(t, err, cuda.InvalidValue)
}

func TestGlobal(t *testing.T) {
	t.Parallel()
	c := newFake(t, "").context(t)
	m := load(t, c)
	global := must(m.Global("histogram"))(t)
	if global.Size() != 16 {
		t.Errorf("%d bytes", global.Size())
	}
	check(t, global.WriteWords(8, []uint32{5}))
	check(t, global.Close()) // the module frees it
	words := make([]uint32, 4)
	check(t, must(m.Global("histogram"))(t).ReadWords(0, words))
	if diff := cmp.Diff([]uint32{0, 0, 5, 0}, words); diff != "" {
		t.Error(diff)
	}
	check(t, m.Close())
	is(t, global.ReadWords(0, words), cuda.ErrClosed)
}
