// The fifth part of fakecuda.c: tensor maps, of which the first word is the address.

CUresult cuTensorMapEncodeTiled(uint64_t *map, int type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                const unsigned *box, const unsigned *steps, int interleave, int swizzle, int promotion, int fill) {
	IN_CONTEXT("type %d, rank %u, dims %llu, stride %llu, box %u, step %u, %d %d %d %d", type, rank, (unsigned long long)dims[rank - 1],
	           (unsigned long long)strides[0], box[0], steps[rank - 1], interleave, swizzle, promotion, fill);
	if ((uintptr_t)map % 128 || (uintptr_t)address % 16 || !memory_at((uintptr_t)address, 16) || !rank || rank > 5 || type < 0 || type > 12) return INVALID_VALUE;
	for (unsigned i = 0; i < rank; i++)
		if (!dims[i] || !box[i] || box[i] > 256 || !steps[i] || steps[i] > 8) return INVALID_VALUE;
	for (unsigned i = 0; i + 1 < rank; i++)
		if (strides[i] % 16 || !strides[i]) return INVALID_VALUE;
	if (4 * box[0] % 16) return INVALID_VALUE;
	memset(map, 0, 128);
	map[0] = (uintptr_t)address;
	return SUCCESS;
}
