// The second half of fakecuda.c: code, launches and events.

enum { ELF_HEADER = 64 };

// ---- the linker ----

enum { INFO_LOG = 3, INFO_LOG_SIZE = 4, ERROR_LOG = 5, ERROR_LOG_SIZE = 6 };

// describe logs a call's options: the value of each, but only "set" for a pointer.
static const char *describe(unsigned n, int *options, void **values) {
	static char text[512];
	int used = snprintf(text, sizeof text, "%u options", n);
	for (unsigned i = 0; i < n; i++) {
		int pointer = options[i] == INFO_LOG || options[i] == ERROR_LOG;
		used += pointer
			? snprintf(text + used, sizeof text - used, " %d=%s", options[i], values[i] ? "set" : "null")
			: snprintf(text + used, sizeof text - used, " %d=%zu", options[i], (size_t)values[i]);
	}
	return text;
}

// report writes a text into the buffer that an option names, and how much of it was
// used into the option's size, as the driver does.
static void report(unsigned n, int *options, void **values, int option, const char *text) {
	for (unsigned i = 0; i + 1 < n; i++)
		if (options[i] == option) {
			snprintf(values[i], (size_t)values[i + 1], "%s", text);
			values[i + 1] = (void *)(strlen(text) + 1);
		}
}

CUresult cuLinkCreate_v2(unsigned n, int *options, void **values, struct object **state) {
	IN_CONTEXT("%s", describe(n, options, values));
	struct object *l = make(LINK);
	l->n_options = n;
	l->options = options; // kept until cuLinkDestroy
	l->values = values;
	*state = l;
	return SUCCESS;
}

static unsigned hash(const char *data, size_t size) { // FNV-1a
	unsigned h = 2166136261u;
	for (size_t i = 0; i < size; i++) h = (h ^ (unsigned char)data[i]) * 16777619u;
	return h;
}

// cuLinkAddData_v2 rejects PTX that has the word .error, with the rest of its line.
CUresult cuLinkAddData_v2(struct object *state, int type, char *data, size_t size, const char *name,
                          unsigned n, int *options, void **values) {
	IN_CONTEXT("type %d, %zu bytes, name %s, last byte %d, %s", type, size, name, data[size - 1],
	           describe(n, options, values));
	struct object *l = find(LINK, state);
	if (!l) return INVALID_HANDLE;
	if (type != 1 || data[size - 1]) return INVALID_VALUE;
	char *error = strstr(data, ".error");
	if (error) {
		char text[256];
		snprintf(text, sizeof text, "ptxas %s: error%.*s", name, (int)strcspn(error + 6, "\n"), error + 6);
		report(l->n_options, l->options, l->values, ERROR_LOG, text);
		return INVALID_PTX;
	}
	l->size = ELF_HEADER + size;
	l->data = calloc(1, l->size);
	memcpy(l->data, "\x7f" "ELF\2\1\1", 7);
	memcpy(l->data + ELF_HEADER, data, size);
	return SUCCESS;
}

CUresult cuLinkComplete(struct object *state, void **cubin, size_t *size) {
	struct object *l = find(LINK, state);
	IN_CONTEXT("");
	if (!l || !l->data) return INVALID_HANDLE;
	write_log("  made %08x\n", hash(l->data, l->size));
	report(l->n_options, l->options, l->values, INFO_LOG, "ptxas info: 4 registers");
	*cubin = l->data;
	*size = l->size;
	return SUCCESS;
}

CUresult cuLinkDestroy(struct object *state) {
	IN_CONTEXT("");
	if (!find(LINK, state)) return INVALID_HANDLE;
	destroy(state);
	return SUCCESS;
}

// ---- modules ----

// find_kernels finds .entry NAME ( .param .u64 a, .param .u32 b ).
static void find_kernels(struct object *m, const char *ptx) {
	for (const char *p = ptx; (p = strstr(p, ".entry ")); p++) {
		struct function *f = calloc(1, sizeof *f);
		sscanf(p, ".entry %63[A-Za-z0-9_]", f->name);
		const char *end = strchr(p, ')');
		for (const char *q = p; (q = strstr(q, ".param .")) && q < end && f->n < 96; q++)
			sscanf(q, ".param .u%*d %31[A-Za-z0-9_]", f->params[f->n]), f->sizes[f->n++] = atoi(q + strlen(".param .u")) / 8;
		f->next = m->functions;
		m->functions = f;
	}
}

// find_variables finds .global .u32 NAME[N], whose bytes are zero at first.
static void find_variables(struct object *m, const char *ptx) {
	for (const char *p = ptx; (p = strstr(p, ".global .u32 ")); p++) {
		struct variable *v = calloc(1, sizeof *v);
		int n = 1;
		sscanf(p, ".global .u32 %63[A-Za-z0-9_][%d", v->name, &n);
		v->size = 4 * n;
		v->data = calloc(n, 4);
		v->next = m->variables;
		m->variables = v;
	}
}

CUresult cuModuleLoadDataEx(struct object **module, const char *image, unsigned n, int *options, void **values) {
	IN_CONTEXT("%s", describe(n, options, values));
	WAITS();
	if (memcmp(image, "\x7f" "ELF", 4)) return INVALID_IMAGE;
	const char *ptx = image + ELF_HEADER;
	if (!strstr(ptx, ".version")) {
		report(n, options, values, ERROR_LOG, "device kernel image is invalid");
		return INVALID_IMAGE;
	}
	write_log("  loaded %08x\n", hash(image, ELF_HEADER + strlen(ptx) + 1));
	*module = make(MODULE);
	find_kernels(*module, ptx);
	find_variables(*module, ptx);
	return SUCCESS;
}

// cuModuleLoadData takes the PTX of a program of its own.
CUresult cuModuleLoadData(struct object **module, const char *ptx) {
	IN_CONTEXT("");
	if (!strstr(ptx, ".version")) return INVALID_IMAGE;
	*module = make(MODULE);
	find_kernels(*module, ptx);
	return SUCCESS;
}

CUresult cuModuleUnload(struct object *module) {
	IN_CONTEXT("");
	if (!find(MODULE, module)) return INVALID_HANDLE;
	WAITS();
	destroy(module);
	return SUCCESS;
}

CUresult cuModuleGetFunction(struct function **function, struct object *module, const char *name) {
	IN_CONTEXT("%s", name);
	WAITS();
	if (!find(MODULE, module)) return INVALID_HANDLE;
	for (struct function *f = module->functions; f; f = f->next)
		if (!strcmp(f->name, name)) {
			*function = f;
			return SUCCESS;
		}
	return NOT_FOUND;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, struct object *module, const char *name) {
	IN_CONTEXT("%s", name);
	WAITS();
	if (!find(MODULE, module)) return INVALID_HANDLE;
	for (struct variable *v = module->variables; v; v = v->next)
		if (!strcmp(v->name, name)) {
			*address = (uintptr_t)v->data;
			*bytes = v->size;
			return SUCCESS;
		}
	return NOT_FOUND;
}

// ---- launches ----

static int no_function(struct function *function) {
	for (struct object *o = objects; o; o = o->next)
		for (struct function *f = o->functions; f; f = f->next)
			if (f == function && o->context == current) return 0;
	return 1;
}

CUresult cuFuncGetParamInfo(struct function *f, size_t index, size_t *offset, size_t *size) {
	IN_CONTEXT("%zu", index);
	if (no_function(f)) return INVALID_HANDLE;
	if (index >= (size_t)f->n) return INVALID_VALUE;
	*offset = 8 * index;
	*size = f->sizes[index];
	return SUCCESS;
}

CUresult cuFuncSetAttribute(struct function *f, int attribute, int value) {
	IN_CONTEXT("%d %d", attribute, value);
	return no_function(f) ? INVALID_HANDLE : SUCCESS;
}

// parameter is the value of the parameter of that name, or 0 if there is none.
static uint64_t parameter(struct function *f, void **params, const char *name) {
	uint64_t value = 0;
	for (int i = 0; i < f->n; i++)
		if (!strcmp(f->params[i], name)) memcpy(&value, params[i], f->sizes[i]);
	return value;
}

// count_zeros does what the kernel count of package harness does where every instance has ended with zeros.
static void count_zeros(struct function *f, void **params) {
	*(uint64_t *)(uintptr_t)parameter(f, params, "p_tags") = 1;
	*(uint64_t *)(uintptr_t)parameter(f, params, "p_counts") += parameter(f, params, "p_playing");
	*(uint32_t *)(uintptr_t)parameter(f, params, "p_launches") += 1;
}

// tell_launch writes a launch to a file, if the script names one.
static void tell_launch(struct function *f, unsigned grid, unsigned block, unsigned cluster, unsigned shared, void **params) {
	struct rule *r = find_rule("launches", NULL);
	FILE *to = r ? fopen(r->name, "a") : NULL;
	if (!to) return;
	fprintf(to, "%s grid=%u block=%u cluster=%u shared=%u", f->name, grid, block, cluster, shared);
	for (int i = 0; i < f->n; i++)
		if (f->sizes[i] == 4) fprintf(to, " %s=%u", f->params[i] + 2, *(unsigned *)params[i]);
	fprintf(to, "\n");
	fclose(to);
}

// launch queues a kernel and logs the bytes of its parameters. One that has an address of memory of
// another device, out of reach, is taken to access it.
static CUresult launch(struct function *f, void **params) {
	if (no_function(f)) return INVALID_HANDLE;
	write_log("  %s(", f->name);
	for (int i = 0; i < f->n; i++) {
		uint64_t value = 0;
		memcpy(&value, params[i], f->sizes[i]);
		struct object *address = f->sizes[i] == 8 ? allocation_at(value, 1) : NULL;
		if (address && !reached(address)) fault = ILLEGAL_ADDRESS;
		write_log(address ? "%saddress" : "%s%#llx", i ? ", " : "", (unsigned long long)value);
	}
	write_log(")\n");
	if (!strcmp(f->name, "count") && find_rule("counts", "zeros")) count_zeros(f, params);
	struct rule *faults = find_rule("faults", f->name);
	queue(f->name);
	if (faults) fault = faults->number;
	return SUCCESS;
}

// Streams share one queue: what may run at a time does so one after the other.

CUresult cuStreamCreate(struct object **stream, unsigned flags) {
	IN_CONTEXT("%u", flags);
	*stream = make(STREAM);
	return SUCCESS;
}

CUresult cuStreamDestroy_v2(struct object *stream) {
	IN_CONTEXT("");
	if (!find(STREAM, stream)) return INVALID_HANDLE;
	destroy(stream);
	return SUCCESS;
}

// stream_number is the number of a stream in the order in which they were made, 0 of the default stream, -1 of none.
static int stream_number(void *stream) {
	int number = 0;
	if (!stream) return 0;
	if (!find_here(STREAM, stream)) return -1;
	for (struct object *o = stream; o; o = o->next) number += o->kind == STREAM;
	return number;
}

CUresult cuLaunchKernel(struct function *f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **params, void **extra) {
	IN_CONTEXT("grid %u %u %u, block %u %u %u, shared %u, stream %d, extra %zu", grid_x, grid_y, grid_z, block_x,
	           block_y, block_z, shared, stream_number(stream), (size_t)extra);
	if (stream_number(stream) < 0) return INVALID_HANDLE;
	tell_launch(f, grid_x, block_x, 0, shared, params);
	return launch(f, params);
}

// CUlaunchAttribute and CUlaunchConfig of cuda.h.
struct attribute {
	int id;
	char padding[8 - sizeof(int)];
	union { char padding[64]; struct { unsigned x, y, z; } cluster; } value;
};
struct config {
	unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
	void *stream;
	struct attribute *attributes;
	unsigned n;
};

CUresult cuLaunchKernelEx(const struct config *c, struct function *f, void **params, void **extra) {
	IN_CONTEXT("grid %u %u %u, block %u %u %u, shared %u, stream %d, extra %zu, attribute %d of %u: %u %u %u", c->grid_x,
	           c->grid_y, c->grid_z, c->block_x, c->block_y, c->block_z, c->shared, stream_number(c->stream), (size_t)extra,
	           c->attributes->id, c->n, c->attributes->value.cluster.x, c->attributes->value.cluster.y,
	           c->attributes->value.cluster.z);
	tell_launch(f, c->grid_x, c->block_x, c->attributes->value.cluster.x, c->shared, params);
	return launch(f, params);
}

// ---- events ----

CUresult cuEventCreate(struct object **event, unsigned flags) {
	IN_CONTEXT("%u", flags);
	*event = make(EVENT);
	(*event)->timed = flags != 2;
	return SUCCESS;
}

CUresult cuEventDestroy_v2(struct object *event) {
	IN_CONTEXT("");
	if (!find(EVENT, event)) return INVALID_HANDLE;
	destroy(event);
	return SUCCESS;
}

CUresult cuEventRecord(struct object *event, void *stream) {
	IN_CONTEXT("stream %zu", (size_t)stream);
	if (!find_here(EVENT, event) || stream_number(stream) < 0) return INVALID_HANDLE;
	event->recorded = now();
	event->done = fmax(event->recorded, idle_at);
	return SUCCESS;
}

CUresult cuEventQuery(struct object *event) {
	IN_CONTEXT("");
	if (!find(EVENT, event)) return INVALID_HANDLE;
	return now() < end(event->done) ? NOT_READY : SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, struct object *start, struct object *stop) {
	IN_CONTEXT("");
	if (!find(EVENT, start) || !find(EVENT, stop)) return INVALID_HANDLE;
	if (!start->timed || !stop->timed || !start->recorded || !stop->recorded) return INVALID_HANDLE;
	if (now() < end(start->done) || now() < end(stop->done)) return NOT_READY;
	*milliseconds = end(stop->done) - end(start->done);
	return SUCCESS;
}
