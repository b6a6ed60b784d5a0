// Kernels whose names say whether they are right, with barriers of some warps in loops whose rounds are not known, and with one number for several groups of
// warps. They are launched with one block of 160 threads, of which the last 32 do nothing.
#define K extern "C" __global__ void
#define T threadIdx.x
#define W (threadIdx.x / 32)
typedef unsigned u32;
__device__ __forceinline__ void bar_sync(u32 id, u32 n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(u32 id, u32 n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

// Warps 0 and 1 produce tiles, 2 and 3 consume them: barrier 1 says that a tile is full, 2 that it is empty.
K right_full_empty(int *out, const int *in, int n) {
	__shared__ int tile[64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		}
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_arrive(2, 128);
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		}
	}
}
K wrong_each_waits(int *out, const int *in, int n) { // who consumes waits before saying that the tile is empty
	__shared__ int tile[64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		}
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_sync(1, 128);
			bar_arrive(2, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		}
	}
}
K right_but_first_and_last(int *out, const int *in, int n) { // nobody waits for the first tile, and nothing is said of the last
	__shared__ int tile[64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			if (i > 0) bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		}
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
			if (i + 1 < n) bar_arrive(2, 128);
		}
	}
}
K wrong_reads_too_late(int *out, const int *in, int n) { // says that the tile is empty before it reads it
	__shared__ int tile[64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			if (i > 0) bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		}
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_sync(1, 128);
			if (i + 1 < n) bar_arrive(2, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		}
	}
}
K right_two_buffers(int *out, const int *in, int n) { // barriers of its own for each buffer
	__shared__ int tile[2][64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			bar_sync(3 + (i & 1), 128);
			tile[i & 1][T] = in[i * 64 + T];
			bar_arrive(1 + (i & 1), 128);
		}
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_arrive(3 + (i & 1), 128);
			bar_sync(1 + (i & 1), 128);
			out[i * 64 + T - 64] = tile[i & 1][(T + 1) % 64];
		}
	}
}
K wrong_other_buffer(int *out, const int *in, int n) { // says that the other buffer is empty
	__shared__ int tile[2][64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			if (i > 1) bar_sync(3 + (i & 1), 128);
			tile[i & 1][T] = in[i * 64 + T];
			bar_arrive(1 + (i & 1), 128);
		}
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_sync(1 + (i & 1), 128);
			if (i < n - 2) bar_arrive(3 + (i & 1), 128);
			out[i * 64 + T - 64] = tile[i & 1][(T + 1) % 64];
		}
	}
}
K right_two_ahead(int *out, const int *in, int n) { // who produces may be two tiles ahead
	__shared__ int tile[2][64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			if (i > 1) bar_sync(3 + (i & 1), 128);
			tile[i & 1][T] = in[i * 64 + T];
			bar_arrive(1 + (i & 1), 128);
		}
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_sync(1 + (i & 1), 128);
			out[i * 64 + T - 64] = tile[i & 1][(T + 1) % 64];
			if (i < n - 2) bar_arrive(3 + (i & 1), 128);
		}
	}
}
K right_one_loop(int *out, const int *in, int n) { // nobody is more than a round ahead
	__shared__ int tile[2][64];
	for (int i = 0; i < n; i++) {
		if (W < 2) {
			tile[i & 1][T] = in[i * 64 + T];
			bar_sync(1, 128);
		} else if (W < 4) {
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[i & 1][(T + 1) % 64];
		}
	}
}
K wrong_one_buffer(int *out, const int *in, int n) { // which is too far for one buffer
	__shared__ int tile[64];
	for (int i = 0; i < n; i++) {
		if (W < 2) {
			tile[T] = in[i * 64 + T];
			bar_sync(1, 128);
		} else if (W < 4) {
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		}
	}
}
K right_halves(int *out, const int *in, int n) { // each half goes its own way
	__shared__ int s[128];
	u32 half = T / 64, t = T % 64;
	int sum = 0;
	if (W >= 4) return;
	for (int i = 0; i < n; i++) {
		s[T] = in[i * 128 + T];
		bar_sync(1 + half, 64);
		sum += s[half * 64 + (t + 1) % 64];
		bar_sync(1 + half, 64);
	}
	out[T] = sum;
}
K wrong_halves(int *out, const int *in, int n) { // the second barrier is missing
	__shared__ int s[128];
	u32 half = T / 64, t = T % 64;
	int sum = 0;
	if (W >= 4) return;
	for (int i = 0; i < n; i++) {
		s[T] = in[i * 128 + T];
		bar_sync(1 + half, 64);
		sum += s[half * 64 + (t + 1) % 64];
	}
	out[T] = sum;
}
K wrong_rounds(int *out, const int *in, int n, int m) { // different numbers of rounds
	__shared__ int tile[64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		}
	} else if (W < 4) {
		for (int i = 0; i < m; i++) {
			bar_arrive(2, 128);
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		}
	}
}
K wrong_entered_by_some(int *out, const int *in, int n, int m) { // who consumes may do so or not
	__shared__ int tile[64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		}
	} else if (W < 4 && m > 0) {
		for (int i = 0; i < n; i++) {
			bar_arrive(2, 128);
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		}
	}
}
K right_after(int *out, const int *in, int n) { // one more time, after the loop
	__shared__ int tile[64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		}
		bar_sync(2, 128);
		tile[T] = 1;
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_arrive(2, 128);
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		}
		bar_arrive(2, 128);
	}
}
K wrong_after(int *out, const int *in, int n) { // does not wait for the last tile to be read
	__shared__ int tile[64];
	if (W < 2) {
		for (int i = 0; i < n; i++) {
			bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		}
		tile[T] = 1;
	} else if (W < 4) {
		for (int i = 0; i < n; i++) {
			bar_arrive(2, 128);
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		}
	}
}
K wrong_after_once_at_least(int *out, const int *in, int n) { // the same in loops of one round at least
	__shared__ int tile[64];
	int i = 0;
	if (W < 2) {
		do {
			bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		} while (++i < n);
		tile[T] = 1;
	} else if (W < 4) {
		do {
			bar_arrive(2, 128);
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		} while (++i < n);
	}
}
K right_after_once_at_least(int *out, const int *in, int n) {
	__shared__ int tile[64];
	int i = 0;
	if (W < 2) {
		do {
			bar_sync(2, 128);
			tile[T] = in[i * 64 + T];
			bar_arrive(1, 128);
		} while (++i < n);
		bar_sync(2, 128);
		tile[T] = 1;
	} else if (W < 4) {
		do {
			bar_arrive(2, 128);
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[(T + 1) % 64];
		} while (++i < n);
		bar_arrive(2, 128);
	}
}
K wrong_in_the_first_round(int *out, int n) { // what is read before the loop, others write before they have met who reads it
	__shared__ int s[32];
	if (W < 3) bar_sync(2, 96);
	if (W == 0) {
		out[T] = s[T];
		for (int i = 0; i < n; i++) bar_sync(1, 64);
	} else if (W == 1) {
		for (int i = 0; i < n; i++) {
			s[T - 32] = i;
			bar_sync(1, 64);
		}
	}
}
K wrong_met_once(int *a, int *out, long n) { // they meet in the first round, and not in the others
	int sum = 0;
	if (W == 0) {
		for (long i = 0; i < n; i++) {
			if (i == 0) bar_sync(1, 64);
			a[i * 32 + T] = i;
		}
	} else if (W == 1) {
		for (long i = 0; i < n; i++) {
			if (i == 0) bar_sync(1, 64);
			if (i > 8) sum += a[(i - 8) * 32 + T - 32];
		}
		out[T] = sum;
	}
}
K wrong_after_one_loop(int *out, const int *in, int n) { // writes to the last tile while it is read
	__shared__ int tile[2][64];
	int i = 0;
	if (W >= 4) return;
	do {
		if (W < 2) {
			tile[i & 1][T] = in[i * 64 + T];
			bar_sync(1, 128);
		} else {
			bar_sync(1, 128);
			out[i * 64 + T - 64] = tile[i & 1][(T + 1) % 64];
		}
	} while (++i < n);
	if (W < 2) tile[(i - 1) & 1][T] = 0;
}

// Groups of warps use one number in turn.
K right_in_turn(int *out) {
	__shared__ int s[96];
	if (W >= 3) return;
	if (W < 2) {
		s[T] = T;
		bar_sync(1, 64);
		out[T] = s[T ^ 32];
	}
	if (W >= 1) {
		bar_sync(2, 64);
		if (W == 1) s[T + 32] = 1;
		if (W == 1) bar_arrive(1, 64);
		if (W == 2) {
			bar_sync(1, 64);
			out[T] = s[T];
		}
	}
}
K wrong_in_turn(int *out) { // the third warp may come to it before the first has
	__shared__ int s[96];
	if (W >= 3) return;
	if (W < 2) {
		s[T] = T;
		bar_sync(1, 64);
		out[T] = s[T ^ 32];
	}
	if (W == 1) bar_arrive(1, 64);
	if (W == 2) {
		bar_sync(1, 64);
		out[T] = s[T - 32];
	}
}
