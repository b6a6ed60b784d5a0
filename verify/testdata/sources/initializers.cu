// Literals, which clang keeps in global memory.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
struct step { int x, y; };

__global__ void right_offsets(int *a) {
  int offsets[3] = {0, 1, 2};
  for (int offset : offsets) a[3 * I + offset] = 1;
}
__global__ void wrong_offsets(int *a) {
  int offsets[3] = {0, 1, 3};
  for (int offset : offsets) a[3 * I + offset] = 1;
}
__global__ void right_steps(int *a, int n) {
  const step steps[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  step s = steps[n & 3];
  a[I * (s.x * s.x + s.y * s.y)] = 1;
}
__global__ void wrong_steps(int *a, int n) {
  const step steps[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, 0}};
  step s = steps[n & 3];
  a[I * (s.x * s.x + s.y * s.y)] = 1;
}
constexpr int known_to_compilers[2] = {1, 2};
__global__ void right_constants(int *a, int n) { a[I * known_to_compilers[n & 1]] = 1; }
__global__ void right_string(int *a, int n) { a[I * ("ab"[n & 1] - 'a' + 1)] = 1; }
__global__ void wrong_string(int *a, int n) { a[I * ("ab"[n & 1] - 'a')] = 1; }
__device__ int known_to_hosts[2] = {0, 1};
__global__ void wrong_host_may_set(int *a) { a[I * known_to_hosts[1]] = 1; }
