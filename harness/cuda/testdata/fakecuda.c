// A stand-in for libcuda.so.1, built by the tests. It has the functions that package
// cuda calls, with the names and types of cuda.h, and instead of a GPU
//
//	memory   from malloc, so that copies and fills work
//	code     the PTX itself behind an ELF header; kernels and variables are found in it
//	a queue  in which a kernel takes the time that the script says, and does nothing
//
// It logs every call with its arguments, and refuses what a driver would refuse or crash
// on: foreign handles, addresses outside of memory, no current context, the wrong thread.
// Where a driver would wait for ever it logs BLOCKED and returns CUDA_ERROR_UNKNOWN.
//
// A test controls it with fake_script, fake_log, fake_live and fake_end; a program that a test
// runs, with a script in the variable FAKECUDA. The lines of a script:
//
//	devices N               the number of devices (1)
//	links N                 0 if no device reaches the memory of another with atomics (1)
//	memory BYTES            what each has (1 MiB)
//	version N               the driver's version (12040)
//	attribute ID VALUE      of every device; -1 for one that the driver does not know
//	fail FUNCTION N CODE    the N-th call of the function returns CODE
//	takes FUNCTION MS       how long each call of the function takes; -1: until fake_end
//	runs KERNEL MS          how long the kernel runs; -1: for ever, or until fake_end; cuMemsetD32 is that of a fill
//	faults KERNEL CODE      the kernel ends with a sticky error
//	counts zeros            the kernel count of package harness counts all instances as ended with zeros
//	launches FILE           each launch of a kernel is a line of the file, with its parameters by name

#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;

enum {
	SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3,
	INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, PEER_UNSUPPORTED = 217, INVALID_PTX = 218,
	INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, PEER_ENABLED = 704, UNKNOWN = 999,
};

// ---- the log ----

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char *log_text;
static size_t log_size;

static void write_log(const char *format, ...) {
	char line[4096];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (n >= (int)sizeof line) n = sizeof line - 1;
	pthread_mutex_lock(&log_lock);
	log_text = realloc(log_text, log_size + n + 1);
	memcpy(log_text + log_size, line, n + 1);
	log_size += n;
	pthread_mutex_unlock(&log_lock);
}

// fake_log returns the log so far and empties it; the caller never frees it.
const char *fake_log(void) {
	pthread_mutex_lock(&log_lock);
	const char *text = log_text ? log_text : "";
	log_text = NULL;
	log_size = 0;
	pthread_mutex_unlock(&log_lock);
	return text;
}

// ---- the script ----

struct rule { char verb[16], name[64]; long long number, value, seen; };

static struct rule rules[64];
static int n_rules;

// fake_script adds rules.
void fake_script(const char *script) {
	while (*script && n_rules < 64) {
		struct rule r = {0};
		char name[64];
		if (sscanf(script, "%15s %63s", r.verb, name) == 2) {
			sscanf(script, "%*s %63s %lld %lld", r.name, &r.number, &r.value);
			rules[n_rules++] = r;
		}
		script += strcspn(script, "\n");
		script += *script == '\n';
	}
}

static struct rule *find_rule(const char *verb, const char *name) {
	for (int i = n_rules - 1; i >= 0; i--)
		if (!strcmp(rules[i].verb, verb) && (!name || !strcmp(rules[i].name, name))) return &rules[i];
	return NULL;
}

// setting is the number of a rule that has no name, such as "devices 2".
static long long setting(const char *verb, long long otherwise) {
	struct rule *r = find_rule(verb, NULL);
	return r ? atoll(r->name) : otherwise;
}

static CUresult injected(const char *function) {
	CUresult result = SUCCESS;
	for (int i = 0; i < n_rules; i++)
		if (!strcmp(rules[i].verb, "fail") && !strcmp(rules[i].name, function) && ++rules[i].seen == rules[i].number)
			result = rules[i].value;
	return result;
}

// ---- objects: everything that has to be freed ----

enum kind { CONTEXT, MEMORY, MODULE, EVENT, LINK, STREAM, PHYSICAL, RANGE, ARRAY, IMAGE };
static const char *kinds[] = {"contexts", "memory", "modules", "events", "links", "streams", "physical", "ranges", "arrays", "images"};

struct function { char name[64]; int n; uint64_t sizes[96]; char params[96][32]; struct function *next; };
struct variable { char name[64]; char *data; size_t size; struct variable *next; };

struct object {
	enum kind kind;
	struct object *next, *context;
	char *data;                  // of memory, of a link's output
	size_t size;
	struct function *functions;  // of a module
	struct variable *variables;
	double done, recorded;       // of an event: when it will have been reached, when it was recorded
	int timed;
	int device, references;      // of a context
	unsigned reaches;            // of a context: the devices whose memory is open to it
	unsigned open_to;            // of a range: the devices whose kernels may use it
	int file;                    // of physical memory, which ranges map
	int mapped;                  // of a range: whether it has memory
	unsigned n_options;          // of a link
	int *options;
	void **values;
};

static struct object *objects;

static struct object *add(struct object *o, enum kind kind) {
	o->kind = kind;
	o->next = objects;
	objects = o;
	return o;
}

static __thread struct object *current; // context

static struct object *make(enum kind kind) {
	struct object *o = add(calloc(1, sizeof *o), kind);
	o->context = current;
	return o;
}

static struct object *find(enum kind kind, void *handle) {
	for (struct object *o = objects; o; o = o->next)
		if (o == handle && o->kind == kind) return o;
	return NULL;
}

// find_here is find for what belongs to the current context.
static struct object *find_here(enum kind kind, void *handle) {
	struct object *o = find(kind, handle);
	return o && o->context == current ? o : NULL;
}

static void destroy(struct object *o) {
	struct object **at = &objects;
	while (*at != o) at = &(*at)->next;
	*at = o->next;
	if (o->kind != RANGE) {
		if (o->data) memset(o->data, 0xdd, o->size); // so that nobody goes on reading it
		free(o->data);
	}
	if (o->kind != CONTEXT) free(o);
}

// fake_live counts the objects of a kind that have not been freed.
long fake_live(const char *kind) {
	long n = 0;
	for (struct object *o = objects; o; o = o->next) n += !strcmp(kinds[o->kind], kind);
	return n;
}

// ---- what every call begins with ----

static int initialized, sticky;
static pid_t owner; // the thread of the last cuInit

// The queue of work: when it will be empty, and the error that comes out then.
static double idle_at;
static int fault;

// When the test ended what runs for ever: tests that need work to be under way, on however slow
// a machine, say so themselves.
static volatile double ended_at = INFINITY;

// end is when work ends that was to end then.
static double end(double then) { return isinf(then) ? ended_at : then; }

static double now(void) { // in milliseconds
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

// fake_end ends the kernels and the calls that would go on for ever.
void fake_end(void) { ended_at = now(); }

// Compilers run on threads of their own: cuLink… and what makes the context current there. All that is shared is locked.
static int any_thread(const char *function) {
	return !strncmp(function, "cuLink", 6) || !strcmp(function, "cuCtxSetCurrent");
}

static pthread_mutex_t world = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static int arrive(void) { return pthread_mutex_lock(&world); }

static void leave(int *inside) {
	(void)inside;
	pthread_mutex_unlock(&world);
}

#define INSIDE() __attribute__((cleanup(leave))) int inside = arrive(); (void)inside

static CUresult enter(const char *function, int needs_context, const char *arguments) {
	write_log("%s%s%s\n", function, *arguments ? " " : "", arguments);
	if (!owner || !strcmp(function, "cuInit")) owner = gettid();
	if (owner != gettid() && !any_thread(function)) write_log("WRONG THREAD %s\n", function);
	struct rule *takes = find_rule("takes", function);
	if (takes && takes->number < 0) while (isinf(ended_at)) usleep(100);
	else if (takes) usleep(1000 * takes->number);
	INSIDE();
	if (fault && now() >= end(idle_at)) sticky = fault;
	CUresult result = injected(function);
	if (result) return result;
	if (!initialized && strcmp(function, "cuInit")) return NOT_INITIALIZED;
	if (!needs_context) return SUCCESS;
	if (!current || !find(CONTEXT, current)) return INVALID_CONTEXT;
	return sticky;
}

// queue puts what has a name at the end of the queue.
static void queue(const char *name) {
	struct rule *runs = find_rule("runs", name);
	idle_at = fmax(idle_at, now()) + (!runs ? 0 : runs->number < 0 ? INFINITY : runs->number);
}

static const char *format(const char *format, ...) {
	static __thread char text[2048];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return text;
}

#define BEGIN(needs_context, ...) \
	CUresult begun = enter(__func__, needs_context, format(__VA_ARGS__)); \
	if (begun) return begun; \
	INSIDE()
#define CALL(...) BEGIN(0, __VA_ARGS__)
#define IN_CONTEXT(...) BEGIN(1, __VA_ARGS__)

// WAITS is for a call that waits for the queue, as a driver does.
#define WAITS() do { \
	if (isinf(end(idle_at))) { write_log("BLOCKED %s\n", __func__); return UNKNOWN; } \
	while (now() < end(idle_at)) usleep(100); \
} while (0)

// ---- the driver, errors ----

CUresult cuInit(unsigned flags) {
	if (getenv("FAKECUDA") && !n_rules) fake_script(getenv("FAKECUDA"));
	CALL("%u", flags);
	initialized = 1;
	return SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
	CALL("");
	*version = setting("version", 12040);
	return SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
	*name = error == 908 ? "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" : NULL;
	return *name ? SUCCESS : INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
	*text = error == 908 ? "the graph update was not performed" : NULL;
	return *text ? SUCCESS : INVALID_VALUE;
}

// ---- devices ----

CUresult cuDeviceGetCount(int *count) {
	CALL("");
	*count = setting("devices", 1);
	return SUCCESS;
}

static int no_device(int device) { return device < 0 || device >= setting("devices", 1) || device >= 16; }

CUresult cuDeviceGet(CUdevice *device, int index) {
	CALL("%d", index);
	if (no_device(index)) return INVALID_DEVICE;
	*device = index;
	return SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
	CALL("%d", device);
	if (no_device(device)) return INVALID_DEVICE;
	snprintf(name, size, "Fake GPU %d", device);
	return SUCCESS;
}

CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device) {
	CALL("%d", device);
	if (no_device(device)) return INVALID_DEVICE;
	for (int i = 0; i < 16; i++) uuid[i] = 16 * i + device;
	return SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
	CALL("%d", device);
	if (no_device(device)) return INVALID_DEVICE;
	*bytes = setting("memory", 1 << 20);
	return SUCCESS;
}

// The numbers are those of an H100.
static const int attributes[][2] = {
	{1, 1024}, {5, 2147483647}, {8, 49152}, {10, 32}, {16, 132}, {17, 0}, {38, 52428800}, {39, 2048},
	{75, 9}, {76, 0}, {81, 233472}, {97, 232448}, {106, 32}, {120, 1},
};

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
	CALL("%d %d", attribute, device);
	if (no_device(device)) return INVALID_DEVICE;
	char name[16];
	snprintf(name, sizeof name, "%d", attribute);
	struct rule *r = find_rule("attribute", name);
	if (r) {
		*value = r->number;
		return r->number < 0 ? INVALID_VALUE : SUCCESS;
	}
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
		if (attributes[i][0] == attribute) {
			*value = attributes[i][1];
			return SUCCESS;
		}
	return INVALID_VALUE;
}

// ---- contexts ----

// A device's primary context has the same handle whenever it is made anew.
static struct object primaries[16];

static struct object *primary(CUdevice device) {
	for (struct object *o = objects; o; o = o->next)
		if (o->kind == CONTEXT && o->device == device) return o;
	return NULL;
}

CUresult cuDevicePrimaryCtxRetain(struct object **context, CUdevice device) {
	CALL("%d", device);
	if (no_device(device)) return INVALID_DEVICE;
	struct object *c = primary(device);
	if (!c) {
		c = add(&primaries[device], CONTEXT);
		c->device = device;
		c->reaches = 1u << device;
	}
	c->references++;
	*context = c;
	return SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
	CALL("%d", device);
	struct object *c = primary(device);
	if (!c) return INVALID_CONTEXT;
	WAITS();
	if (--c->references == 0) destroy(c);
	return SUCCESS;
}

CUresult cuCtxSetCurrent(struct object *context) {
	int known = !context || find(CONTEXT, context);
	char of[32];
	snprintf(of, sizeof of, "of %d", context && known ? context->device : 0);
	CALL("%s", !known ? "unknown" : context ? of : "none");
	if (!known) return INVALID_CONTEXT;
	current = context;
	return SUCCESS;
}

// ---- memory ----

static size_t used(void) {
	size_t bytes = 0;
	for (struct object *o = objects; o; o = o->next) bytes += o->kind == MEMORY ? o->size : 0;
	return bytes;
}

// reached reports that the current context may use the memory of an object.
static int reached(const struct object *o) {
	return o->kind == RANGE ? o->open_to >> current->device & 1 : current->reaches >> o->context->device & 1;
}

// allocation_at is the object with all of a range of memory, in an allocation or a variable, or NULL if there is none.
static struct object *allocation_at(CUdeviceptr address, size_t size) {
	char *p = (char *)(uintptr_t)address;
	for (struct object *o = objects; o; o = o->next) {
		if ((o->kind == MEMORY || (o->kind == RANGE && o->mapped)) && p >= o->data && p + size <= o->data + o->size) return o;
		for (struct variable *v = o->variables; v; v = v->next)
			if (p >= v->data && p + size <= v->data + v->size) return o;
	}
	return NULL;
}

// memory_at is where a range of memory is that the current context may use, or NULL.
static char *memory_at(CUdeviceptr address, size_t size) {
	struct object *o = allocation_at(address, size);
	return o && reached(o) ? (char *)(uintptr_t)address : NULL;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
	IN_CONTEXT("");
	*total = setting("memory", 1 << 20);
	*free_bytes = *total - used();
	return SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
	IN_CONTEXT("%zu", bytes);
	WAITS();
	if (!bytes) return INVALID_VALUE;
	if (bytes > (size_t)setting("memory", 1 << 20) - used()) return OUT_OF_MEMORY;
	struct object *m = make(MEMORY);
	m->data = malloc(bytes);
	m->size = bytes;
	memset(m->data, 0xa5, bytes); // not defined
	*address = (uintptr_t)m->data;
	return SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
	IN_CONTEXT("");
	WAITS();
	for (struct object *o = objects; o; o = o->next)
		if (o->kind == MEMORY && o->context == current && (uintptr_t)o->data == address) {
			destroy(o);
			return SUCCESS;
		}
	return INVALID_VALUE;
}

CUresult cuMemsetD32_v2(CUdeviceptr address, unsigned value, size_t words) {
	IN_CONTEXT("%#x %zu", value, words);
	char *p = memory_at(address, 4 * words);
	if (!p || address % 4) return INVALID_VALUE;
	for (size_t i = 0; i < words; i++) memcpy(p + 4 * i, &value, 4);
	queue("cuMemsetD32");
	return SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t bytes) {
	IN_CONTEXT("%#x %zu", value, bytes);
	char *p = memory_at(address, bytes);
	if (!p) return INVALID_VALUE;
	memset(p, value, bytes);
	return SUCCESS;
}

CUresult cuCtxSynchronize(void) {
	IN_CONTEXT("");
	WAITS();
	return SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
	IN_CONTEXT("%zu", bytes);
	WAITS();
	char *p = memory_at(to, bytes);
	if (!p) return INVALID_VALUE;
	memcpy(p, from, bytes);
	return SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
	IN_CONTEXT("%zu", bytes);
	WAITS();
	char *p = memory_at(from, bytes);
	if (!p) return INVALID_VALUE;
	memcpy(to, p, bytes);
	return SUCCESS;
}

#include "fakevirtual.h"
#include "fakecode.h"
#include "fakepeer.h"
#include "faketensor.h"
#include "fakeimage.h"
