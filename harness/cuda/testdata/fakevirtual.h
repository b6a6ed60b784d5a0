// The third part of fakecuda.c: memory that is mapped where one likes, as often as one likes. Physical memory is a file
// in memory, and a range of addresses a mapping of it.

#include <sys/mman.h>

enum { GRANULARITY = 2 << 20 };

struct location { int type, id; };
struct prop {
	int type, handle_types;
	struct location location;
	void *win32;
	unsigned char flags[8];
};
struct access { struct location location; int flags; };

CUresult cuMemGetAllocationGranularity(size_t *granularity, const struct prop *p, int option) {
	IN_CONTEXT("type %d at %d %d, option %d", p->type, p->location.type, p->location.id, option);
	if (p->type != 1 || p->location.type != 1 || p->handle_types || p->win32) return INVALID_VALUE;
	*granularity = GRANULARITY;
	return SUCCESS;
}

CUresult cuMemCreate(uint64_t *handle, size_t size, const struct prop *p, unsigned long long flags) {
	IN_CONTEXT("%zu, type %d at %d %d, %llu", size, p->type, p->location.type, p->location.id, flags);
	if (!size || size % GRANULARITY || p->type != 1 || p->location.type != 1 || no_device(p->location.id)) return INVALID_VALUE;
	if (size > (size_t)setting("memory", 1 << 20) - used()) return OUT_OF_MEMORY;
	struct object *o = make(PHYSICAL);
	o->file = memfd_create("fakecuda", 0);
	if (o->file < 0 || ftruncate(o->file, size)) return UNKNOWN;
	o->size = size;
	*handle = (uintptr_t)o;
	return SUCCESS;
}

CUresult cuMemRelease(uint64_t handle) {
	IN_CONTEXT("");
	struct object *o = find(PHYSICAL, (void *)(uintptr_t)handle);
	if (!o) return INVALID_VALUE;
	close(o->file);
	destroy(o);
	return SUCCESS;
}

static struct object *range_at(CUdeviceptr address, size_t size) {
	for (struct object *o = objects; o; o = o->next)
		if (o->kind == RANGE && (uintptr_t)o->data == address && o->size == size) return o;
	return NULL;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr at, unsigned long long flags) {
	IN_CONTEXT("%zu, %zu %llu %llu", size, alignment, (unsigned long long)at, flags);
	if (!size || size % GRANULARITY || at || flags) return INVALID_VALUE;
	struct object *o = make(RANGE);
	o->data = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	o->size = size;
	*address = (uintptr_t)o->data;
	return SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
	IN_CONTEXT("%zu", size);
	struct object *o = range_at(address, size);
	if (!o || o->mapped) return INVALID_VALUE;
	munmap(o->data, size);
	destroy(o);
	return SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, uint64_t handle, unsigned long long flags) {
	IN_CONTEXT("%zu, %zu %llu", size, offset, flags);
	struct object *o = range_at(address, size), *memory = find(PHYSICAL, (void *)(uintptr_t)handle);
	if (!o || o->mapped || !memory || offset || size != memory->size || flags) return INVALID_VALUE;
	mmap(o->data, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory->file, 0);
	o->mapped = 1;
	return SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const struct access *a, size_t n) {
	IN_CONTEXT("%zu, %d of %d %d, %zu", size, a->flags, a->location.type, a->location.id, n);
	struct object *o = range_at(address, size);
	if (!o || !o->mapped || !n) return INVALID_VALUE;
	for (size_t i = 0; i < n; i++) {
		if (a[i].flags != 3 || a[i].location.type != 1 || no_device(a[i].location.id)) return INVALID_VALUE;
		o->open_to |= 1u << a[i].location.id;
	}
	return SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
	IN_CONTEXT("%zu", size);
	WAITS();
	struct object *o = range_at(address, size);
	if (!o || !o->mapped) return INVALID_VALUE;
	mmap(o->data, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	o->mapped = o->open_to = 0;
	return SUCCESS;
}
