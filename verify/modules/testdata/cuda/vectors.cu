#include <cuda_runtime.h>
#include <vector_types.h>
#include <vector_functions.h>
inline __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__global__ void kinds(float4 *a, uchar4 *c, int2 *i2, uint3 *u3, double2 *d2, longlong2 *ll, float1 *f1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i] + make_float4(1, 2, 3, 4);
  c[i] = make_uchar4(1, 2, 3, 4);
  i2[i] = make_int2(1, 2);
  u3[i] = make_uint3(1, 2, 3);
  d2[i] = make_double2(1, 2);
  ll[i] = make_longlong2(1, 2);
  f1[i].x = 2;
  reinterpret_cast<float2 *>(a)[i].y = 0; // another thread's
}

// Said:
// _Z5kindsP6float4P6uchar4P4int2P5uint3P7double2P9longlong2P6float1 alarm race vectors.cu:7:10 vectors.cu:14:38 race vectors.cu:7:15 vectors.cu:14:38
