//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"encoding/binary"
	"testing"

	"github.com/muster-gpu/muster/harness/cuda"
)

// TestTensorMap: a tensor of each rank has one box at the address of the memory. The fake refuses
// what a driver would refuse.
func TestTensorMap(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := f.context(t)
	m := must(c.Alloc(64))(t)
	for rank := 1; rank <= cuda.MaxRank; rank++ {
		encoded := must(m.TensorMap(rank))(t)
		if len(encoded) != cuda.TensorMapSize || binary.LittleEndian.Uint64(encoded) != m.Address() {
			t.Errorf("rank %d: %d bytes, for %#x", rank, len(encoded), binary.LittleEndian.Uint64(encoded))
		}
	}
	f.log()
	for _, rank := range []int{0, cuda.MaxRank + 1} {
		if _, err := m.TensorMap(rank); err == nil {
			t.Errorf("a tensor of %d dimensions", rank)
		}
	}
	if _, err := must(c.Alloc(8))(t).TensorMap(1); err == nil {
		t.Error("a tensor in 8 bytes")
	}
	check(t, m.Close())
	_, err := m.TensorMap(1)
	is(t, err, cuda.ErrClosed)
	check(t, c.Close())
}

// TestTensorMapWithoutDriver: a driver before CUDA 12.0 has no tensor maps.
func TestTensorMapWithoutDriver(t *testing.T) {
	t.Parallel()
	c := newFake(t, "", "-DcuTensorMapEncodeTiled=unknown").context(t)
	_, err := must(c.Alloc(64))(t).TensorMap(1)
	if old := as[*cuda.OldDriverError](t, err); old.Symbol != "cuTensorMapEncodeTiled" {
		t.Errorf("it lacks %s", old.Symbol)
	}
	check(t, c.Close())
}
