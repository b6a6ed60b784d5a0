package cuda

import (
	"fmt"
	"unsafe"
)

// TensorMapSize is the size of a tensor map in bytes (CUtensorMap).
const TensorMapSize = 128

// TensorBytes is the size of the tensor of Memory.TensorMap: the least that the hardware copies.
const TensorBytes = 16

// MaxRank bounds the dimensions of a tensor (cuTensorMapEncodeTiled).
const MaxRank = 5

// tensorMap has space for a CUtensorMap of cuda.h at an aligned address: a multiple of 64, or of
// 128 since CUDA 13.
type tensorMap [2 * TensorMapSize]byte

func (t *tensorMap) aligned() *byte {
	const alignment = 128
	return &t[(alignment-uintptr(unsafe.Pointer(t))%alignment)%alignment]
}

// encodeTiled is cuTensorMapEncodeTiled (CUDA 12.0).
type encodeTiled func(tensorMap *byte, dataType int32, rank uint32, address uint64,
	dims, strides *uint64, box, steps *uint32,
	interleave, swizzle, promotion, fill int32) Result

// The other arguments are 0: CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
// CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE.
const tensorUint32 = 2 // CU_TENSOR_MAP_DATA_TYPE_UINT32

// TensorMap returns a map, for kernels, of a tensor with rank dimensions and one box: the first
// TensorBytes of the memory (cuTensorMapEncodeTiled). Nothing is written to the GPU.
//
// The error is a *OldDriverError if the driver does not support tensor maps.
func (m *Memory) TensorMap(rank int) ([]byte, error) {
	if rank < 1 || rank > MaxRank || m.size < TensorBytes {
		return nil, fmt.Errorf("no tensor of %d dimensions in %d bytes", rank, m.size)
	}
	var encoded []byte
	c := m.resource.context
	err := m.resource.do("Memory.TensorMap", func() error {
		api := c.driver.api
		if api.cuTensorMapEncodeTiled == nil {
			if err := api.find("cuTensorMapEncodeTiled", &api.cuTensorMapEncodeTiled); err != nil {
				return err
			}
		}
		var t tensorMap
		dims, strides := [MaxRank]uint64{4, 1, 1, 1, 1}, [MaxRank]uint64{16, 16, 16, 16, 16}
		box, steps := [MaxRank]uint32{4, 1, 1, 1, 1}, [MaxRank]uint32{1, 1, 1, 1, 1}
		r := api.cuTensorMapEncodeTiled(t.aligned(), tensorUint32, uint32(rank), m.address, &dims[0], &strides[0],
			&box[0], &steps[0], 0, 0, 0, 0)
		encoded = append(encoded, unsafe.Slice(t.aligned(), TensorMapSize)...)
		return c.check("cuTensorMapEncodeTiled", r)
	})
	return encoded, err
}
