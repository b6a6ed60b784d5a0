// Kernels whose names say whether they are right, with barriers of some warps of a block. They are launched with 2 blocks of 128 threads.
#define K extern "C" __global__ void
#define T threadIdx.x
#define W (threadIdx.x / 32)
typedef unsigned u32;
__device__ __forceinline__ void bar_sync(u32 id, u32 n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(u32 id, u32 n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_all(u32 id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }

// Sums of the threads of each half of the block, which waits for itself alone.
K right_reduce_halves(float *out, const float *in) {
	__shared__ float s[128];
	u32 half = T / 64, t = T % 64;
	s[T] = in[blockIdx.x * 128 + T];
	bar_sync(1 + half, 64);
	for (u32 n = 32; n > 0; n /= 2) {
		if (t < n) s[T] += s[T + n];
		bar_sync(1 + half, 64);
	}
	if (t == 0) out[blockIdx.x * 2 + half] = s[T];
}
K wrong_reduce_halves_late(float *out, const float *in) { // the first barrier is missing
	__shared__ float s[128];
	u32 half = T / 64, t = T % 64;
	s[T] = in[blockIdx.x * 128 + T];
	for (u32 n = 32; n > 0; n /= 2) {
		if (t < n) s[T] += s[T + n];
		bar_sync(1 + half, 64);
	}
	if (t == 0) out[blockIdx.x * 2 + half] = s[T];
}
K wrong_reduce_other_half(float *out, const float *in) { // reads what the other half has written, and waits for its own
	__shared__ float s[128];
	u32 half = T / 64, t = T % 64;
	s[T] = in[blockIdx.x * 128 + T];
	bar_sync(1 + half, 64);
	if (t == 0) out[blockIdx.x * 2 + half] = s[T] + s[(T + 64) % 128];
}
K right_then_all(float *out, const float *in) {
	__shared__ float s[128], r[2];
	u32 half = T / 64, t = T % 64;
	s[T] = in[blockIdx.x * 128 + T];
	bar_sync(1 + half, 64);
	if (t == 0) r[half] = s[T] + s[T + 63];
	__syncthreads();
	if (T == 0) out[blockIdx.x] = r[0] + r[1];
}
K wrong_then_not_all(float *out, const float *in) {
	__shared__ float s[128], r[2];
	u32 half = T / 64, t = T % 64;
	s[T] = in[blockIdx.x * 128 + T];
	bar_sync(1 + half, 64);
	if (t == 0) r[half] = s[T] + s[T + 63];
	bar_sync(1 + half, 64);
	if (T == 0) out[blockIdx.x] = r[0] + r[1];
}
K right_one_warp(int *out, int *in) { // a warp at a barrier of its own
	__shared__ int s[128];
	s[T] = in[T];
	bar_sync(1 + W, 32);
	out[blockIdx.x * 128 + T] = s[T ^ 31];
}
K wrong_one_warp(int *out, int *in) {
	__shared__ int s[128];
	s[T] = in[T];
	bar_sync(1 + W, 32);
	out[blockIdx.x * 128 + T] = s[T ^ 32];
}
K wrong_too_few(int *out) { // waits for 128, of whom 64 come
	__shared__ int s[128];
	s[T] = T;
	if (T < 64) bar_sync(1, 128);
	if (T < 64) out[blockIdx.x * 64 + T] = s[T ^ 1];
}
K wrong_deadlock(int *out) { // each waits for the other elsewhere
	if (W == 0) { bar_sync(1, 64); bar_sync(2, 64); }
	if (W == 1) { bar_sync(2, 64); bar_sync(1, 64); }
	out[blockIdx.x * 128 + T] = 1;
}
K right_two_in_turn(int *out) {
	__shared__ int s[64];
	if (W == 0) { s[T] = T; bar_sync(1, 64); bar_sync(2, 64); out[blockIdx.x * 128 + T] = s[T + 32]; }
	if (W == 1) { bar_sync(1, 64); s[T] = s[T - 32]; bar_sync(2, 64); }
}
K wrong_half_a_warp(int *out) {
	if (T < 48) bar_sync(1, 64);
	out[blockIdx.x * 128 + T] = 1;
}
// Warps 0 and 1 produce, 2 and 3 consume: as many rounds as there are tiles, of which one at a time is in shared memory.
K right_produce_consume(int *out, const int *in) {
	__shared__ int tile[64];
	if (W < 2) {
		for (u32 k = 0; k < 4; k++) {
			if (k > 0) bar_sync(2, 128); // it is empty
			tile[T] = in[k * 64 + T];
			bar_arrive(1, 128); // it is full
		}
	} else {
		int sum = 0;
		for (u32 k = 0; k < 4; k++) {
			bar_sync(1, 128);
			sum += tile[T - 64] + tile[(T - 63) % 64];
			if (k < 3) bar_arrive(2, 128);
		}
		out[blockIdx.x * 64 + T - 64] = sum;
	}
}
K wrong_produce_consume_overtakes(int *out, const int *in) { // does not wait until it is empty
	__shared__ int tile[64];
	if (W < 2) {
		for (u32 k = 0; k < 4; k++) {
			tile[T] = in[k * 64 + T];
			bar_sync(1, 128);
		}
	} else {
		int sum = 0;
		for (u32 k = 0; k < 4; k++) {
			bar_sync(1, 128);
			sum += tile[T - 64];
		}
		out[blockIdx.x * 64 + T - 64] = sum;
	}
}
K wrong_arrives_again(int *out, const int *in) { // the producers alone may fill the barrier
	__shared__ int tile[64];
	if (W < 2) {
		for (u32 k = 0; k < 4; k++) { tile[T] = in[k * 64 + T]; bar_arrive(1, 128); }
	} else {
		int sum = 0;
		for (u32 k = 0; k < 4; k++) { bar_sync(1, 128); sum += tile[T - 64]; }
		out[blockIdx.x * 64 + T - 64] = sum;
	}
}
K right_two_buffers(int *out, const int *in) { // a barrier that says full and one that says empty for each buffer
	__shared__ int tile[2][64];
	if (W < 2) {
		for (u32 k = 0; k < 6; k++) {
			bar_sync(3 + k % 2, 128);
			tile[k % 2][T] = in[k * 64 + T];
			bar_arrive(1 + k % 2, 128);
		}
	} else {
		int sum = 0;
		bar_arrive(3, 128);
		bar_arrive(4, 128);
		for (u32 k = 0; k < 6; k++) {
			bar_sync(1 + k % 2, 128);
			sum += tile[k % 2][T - 64] + tile[k % 2][(T - 63) % 64];
			if (k < 4) bar_arrive(3 + k % 2, 128);
		}
		out[blockIdx.x * 64 + T - 64] = sum;
	}
}
K wrong_two_buffers_mixed(int *out, const int *in) { // tells the producers that the other buffer is empty
	__shared__ int tile[2][64];
	if (W < 2) {
		for (u32 k = 0; k < 6; k++) {
			bar_sync(3 + k % 2, 128);
			tile[k % 2][T] = in[k * 64 + T];
			bar_arrive(1 + k % 2, 128);
		}
	} else {
		int sum = 0;
		bar_arrive(3, 128);
		bar_arrive(4, 128);
		for (u32 k = 0; k < 6; k++) {
			bar_sync(1 + k % 2, 128);
			if (k < 4) bar_arrive(3 + k % 2, 128);
			sum += tile[k % 2][T - 64];
		}
		out[blockIdx.x * 64 + T - 64] = sum;
	}
}
K right_relay(int *out, const int *in) { // what the first warp has written, the third reads: the second is between them
	__shared__ int s[32];
	if (W == 0) { s[T] = in[T]; bar_arrive(1, 64); }
	if (W == 1) { bar_sync(1, 64); bar_arrive(2, 64); }
	if (W == 2) { bar_sync(2, 64); out[blockIdx.x * 32 + T - 64] = s[T ^ 65]; }
}
K wrong_relay(int *out, const int *in) { // the second does not wait for the first
	__shared__ int s[32];
	if (W == 0) { s[T] = in[T]; bar_sync(1, 64); }
	if (W == 1) { bar_arrive(1, 64); bar_arrive(2, 64); }
	if (W == 2) { bar_sync(2, 64); out[blockIdx.x * 32 + T - 64] = s[T ^ 65]; }
}
K right_number_of_all(int *out, int k) { // one number for all, whichever it is
	__shared__ int s[128];
	s[T] = T;
	bar_all(k & 1);
	out[blockIdx.x * 128 + T] = s[T ^ 64];
}
K wrong_number_of_all(int *out) { // threads of a block wait at two barriers
	__shared__ int s[128];
	s[T] = T;
	bar_all(W % 2);
	out[blockIdx.x * 128 + T] = s[T ^ 64];
}
K wrong_warpid(int *out, int *in) { // PTX does not say that %warpid stays what it is
	__shared__ int s[64];
	u32 w;
	asm volatile("mov.u32 %0, %%warpid;" : "=r"(w));
	if (T % 32 == 0) s[w & 63] = in[T];
	__syncthreads();
	out[blockIdx.x * 128 + T] = s[W];
}
K right_warpid(int *out) {
	u32 w, n;
	asm volatile("mov.u32 %0, %%warpid;" : "=r"(w));
	asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(n));
	if (w < n) out[blockIdx.x * 128 + T] = 1;
	if (w >= n) out[0] = 1;
}
