// The sixth part of fakecuda.c: textures of linear memory, surfaces and the arrays that they are of.

struct resource_desc {
	int kind;
	union {
		struct object *array;
		struct { CUdeviceptr address; int format; unsigned channels; size_t bytes; } linear;
		int reserved[32];
	} of;
	unsigned flags;
};

struct texture_desc { int modes[3], filter; unsigned flags, rest[21]; };

struct array_desc { size_t width, height, depth; int format; unsigned channels, flags; };

CUresult cuArray3DCreate_v2(struct object **array, const struct array_desc *desc) {
	IN_CONTEXT("%zu x %zu x %zu, format %d, channels %u, flags %u", desc->width, desc->height, desc->depth, desc->format, desc->channels, desc->flags);
	WAITS();
	if (!desc->width || desc->width > 131072 || desc->height > 65536 || desc->format != 3 || desc->channels != 1) return INVALID_VALUE;
	size_t bytes = 4 * desc->width * (desc->height ? desc->height : 1);
	if (bytes > (size_t)setting("memory", 1 << 20) - used()) return OUT_OF_MEMORY;
	struct object *o = make(ARRAY);
	o->size = bytes;
	o->references = desc->flags == 2; // a surface can be made of it
	*array = o;
	return SUCCESS;
}

CUresult cuArrayDestroy(struct object *array) {
	IN_CONTEXT("");
	WAITS();
	if (!find(ARRAY, array)) return INVALID_HANDLE;
	destroy(array);
	return SUCCESS;
}

CUresult cuTexObjectCreate(uint64_t *texture, const struct resource_desc *of, const struct texture_desc *how, const void *view) {
	IN_CONTEXT("kind %d, format %d, channels %u, bytes %zu, flags %u %u", of->kind, of->of.linear.format, of->of.linear.channels, of->of.linear.bytes, how->flags, of->flags);
	if (of->kind != 2 || of->flags || view || of->of.linear.address % 16 || of->of.linear.channels != 1 || of->of.linear.format != 3) return INVALID_VALUE;
	if (!memory_at(of->of.linear.address, of->of.linear.bytes)) return INVALID_VALUE;
	*texture = (uintptr_t)make(IMAGE);
	return SUCCESS;
}

CUresult cuSurfObjectCreate(uint64_t *surface, const struct resource_desc *of) {
	IN_CONTEXT("kind %d, flags %u", of->kind, of->flags);
	if (of->kind != 0 || of->flags || !find(ARRAY, of->of.array) || !of->of.array->references) return INVALID_VALUE;
	*surface = (uintptr_t)make(IMAGE);
	return SUCCESS;
}

static CUresult end_image(uint64_t object) {
	if (!find(IMAGE, (struct object *)(uintptr_t)object)) return INVALID_VALUE;
	destroy((struct object *)(uintptr_t)object);
	return SUCCESS;
}

CUresult cuTexObjectDestroy(uint64_t object) {
	IN_CONTEXT("");
	WAITS();
	return end_image(object);
}

CUresult cuSurfObjectDestroy(uint64_t object) {
	IN_CONTEXT("");
	WAITS();
	return end_image(object);
}
