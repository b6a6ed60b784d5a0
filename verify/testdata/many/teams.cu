// Kernels whose names say whether they are right: sums by parts of a block, warps with tasks of their own, arrays in local memory. They are launched with 2 blocks of 128 threads.
#define T threadIdx.x
#define B blockIdx.x
#define W (threadIdx.x / 32)
#define L (threadIdx.x % 32)
typedef unsigned u32;
static __device__ __forceinline__ void nsync(u32 id, u32 n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
static __device__ __forceinline__ void narrive(u32 id, u32 n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }
extern "C" __global__ void right_red_stride(float *out, const float *in, int n) {
 __shared__ float s[128]; u32 g=T>>6; float a=0; for(int i=B*128+T;i<n;i+=gridDim.x*128) a+=in[i];
 s[T]=a; nsync(1+g,64); for(int d=32;d>0;d/=2){ if((T&63)<d) s[T]+=s[T+d]; nsync(1+g,64);} if((T&63)==0) atomicAdd(out,s[T]);
}
extern "C" __global__ void wrong_red_stride_0(float *out, const float *in, int n) {
 __shared__ float s[128]; u32 g=T>>6; float a=0; for(int i=B*128+T;i<n;i+=gridDim.x*128) a+=in[i];
 s[T]=a; nsync(1+g,64); for(int d=32;d>0;d/=2){ if((T&63)<d) s[T]+=s[T+d]; } if((T&63)==0) atomicAdd(out,s[T]);
}
extern "C" __global__ void wrong_red_stride_1(float *out, const float *in, int n) {
 __shared__ float s[128]; u32 g=T>>6; float a=0; for(int i=B*128+T;i<n;i+=gridDim.x*128) a+=in[i];
 s[T]=a; nsync(1+W,32); for(int d=32;d>0;d/=2){ if((T&63)<d) s[T]+=s[T+d]; nsync(1+g,64);} if((T&63)==0) atomicAdd(out,s[T]);
}
extern "C" __global__ void right_red_warp_then_group(int *out, const int *in) {
 __shared__ int s[4]; int v=in[B*128+T]; for(int d=16;d;d/=2) v+=__shfl_down_sync(0xffffffff,v,d);
 if(L==0) s[W]=v; nsync(1+W/2,64); if(T%64==0) out[B*2+T/64]=s[W]+s[W+1];
}
extern "C" __global__ void wrong_red_warp_then_group_0(int *out, const int *in) {
 __shared__ int s[4]; int v=in[B*128+T]; for(int d=16;d;d/=2) v+=__shfl_down_sync(0xffffffff,v,d);
 if(L==0) s[W]=v; nsync(1+W,32); if(T%64==0) out[B*2+T/64]=s[W]+s[W+1];
}
extern "C" __global__ void wrong_red_warp_then_group_1(int *out, const int *in) {
 __shared__ int s[4]; int v=in[B*128+T]; for(int d=16;d;d/=2) v+=__shfl_down_sync(0xffffffff,v,d);
 if(L==0) s[W]=v; nsync(1+W/2,64); if(T%64==0) out[B*2+T/64]=s[W]+s[(W+2)%4];
}
extern "C" __global__ void wrong_red_warp_then_group_2(int *out, const int *in) {
 __shared__ int s[4]; int v=in[B*128+T]; for(int d=16;d;d/=2) v+=__shfl_down_sync(0xffffffff,v,d);
 s[W]=v; nsync(1+W/2,64); if(T%64==0) out[B*2+T/64]=s[W]+s[W+1];
}
extern "C" __global__ void right_red_only_first(int *out, const int *in) {
 __shared__ int s[128]; s[T]=in[B*128+T]; __syncthreads(); if(T<64){ s[T]+=s[T+64]; nsync(3,64); if(T<32) { out[B*32+T]=s[T]+s[T+32]; } }
}
extern "C" __global__ void wrong_red_only_first_0(int *out, const int *in) {
 __shared__ int s[128]; s[T]=in[B*128+T]; __syncthreads(); if(T<64){ s[T]+=s[T+64];  if(T<32) { out[B*32+T]=s[T]+s[T+32]; } }
}
extern "C" __global__ void wrong_red_only_first_1(int *out, const int *in) {
 __shared__ int s[128]; s[T]=in[B*128+T];  if(T<64){ s[T]+=s[T+64]; nsync(3,64); if(T<32) { out[B*32+T]=s[T]+s[T+32]; } }
}
extern "C" __global__ void wrong_red_only_first_2(int *out, const int *in) {
 __shared__ int s[128]; s[T]=in[B*128+T]; __syncthreads(); if(T<64){ s[T]+=s[T+64]; nsync(3,128); if(T<32) { out[B*32+T]=s[T]+s[T+32]; } }
}
extern "C" __global__ void right_ws_arrive(float *out, const float *in) {
 __shared__ float t[2][64]; u32 t2=T%64; if(T<64){ for(int k=0;k<6;k++){ int b=k&1; if(k>=2) nsync(4+b,128); t[b][t2]=in[k*64+t2]; __threadfence_block(); narrive(2+b,128);} }
 else { float a=0; for(int k=0;k<6;k++){ int b=k&1; nsync(2+b,128); a+=t[b][63-t2]; if(k<4) narrive(4+b,128);} out[B*64+t2]=a; }
}
extern "C" __global__ void wrong_ws_arrive_0(float *out, const float *in) {
 __shared__ float t[2][64]; u32 t2=T%64; if(T<64){ for(int k=0;k<6;k++){ int b=k&1; if(k>=2) nsync(5-b,128); t[b][t2]=in[k*64+t2]; __threadfence_block(); narrive(2+b,128);} }
 else { float a=0; for(int k=0;k<6;k++){ int b=k&1; nsync(2+b,128); a+=t[b][63-t2]; if(k<4) narrive(4+b,128);} out[B*64+t2]=a; }
}
extern "C" __global__ void wrong_ws_arrive_1(float *out, const float *in) {
 __shared__ float t[2][64]; u32 t2=T%64; if(T<64){ for(int k=0;k<6;k++){ int b=k&1; if(k>=2) nsync(4+b,128); t[b][t2]=in[k*64+t2]; __threadfence_block(); narrive(2+b,128);} }
 else { float a=0; for(int k=0;k<6;k++){ int b=k&1; nsync(2+b,128); a+=t[b][63-t2]; narrive(4+b,128);} out[B*64+t2]=a; }
}
extern "C" __global__ void wrong_ws_arrive_2(float *out, const float *in) {
 __shared__ float t[2][64]; u32 t2=T%64; if(T<64){ for(int k=0;k<6;k++){ int b=k&1; if(k>=2) nsync(4+b,128); t[b][t2]=in[k*64+t2]; __threadfence_block(); narrive(2+b,128);} }
 else { float a=0; for(int k=0;k<6;k++){ int b=k&1; nsync(2+b,128); a+=t[b][0]; if(k<4) narrive(4+b,128); a+=t[b][63-t2];} out[B*64+t2]=a; }
}
extern "C" __global__ void right_ws_all_sync_between(int *out, const int *in) {
 __shared__ int t[64]; for(int k=0;k<3;k++){ if(T<64) t[T]=in[k*64+T]; __syncthreads(); if(T>=64) out[(B*3+k)*64+T-64]=t[127-T]; __syncthreads(); }
}
extern "C" __global__ void wrong_ws_all_sync_between_0(int *out, const int *in) {
 __shared__ int t[64]; for(int k=0;k<3;k++){ if(T<64) t[T]=in[k*64+T]; __syncthreads(); if(T>=64) out[(B*3+k)*64+T-64]=t[127-T]; }
}
extern "C" __global__ void wrong_ws_all_sync_between_1(int *out, const int *in) {
 __shared__ int t[64]; for(int k=0;k<3;k++){ if(T<64) t[T]=in[k*64+T]; if(T>=64) out[(B*3+k)*64+T-64]=t[127-T]; __syncthreads(); }
}
extern "C" __global__ void right_st_in_place_named(float *out, const float *in) {
 __shared__ float s[2][66]; u32 g=T/64,t=T%64; float w[3]; s[g][t+1]=in[B*128+T]; if(t==0){ s[g][0]=0; s[g][65]=0; } nsync(1+g,64);
 for(int r=0;r<3;r++){ for(int k=0;k<3;k++) w[k]=s[g][t+k]; nsync(1+g,64); s[g][t+1]=w[0]+w[1]+w[2]; nsync(1+g,64); } out[B*128+T]=s[g][t+1];
}
extern "C" __global__ void wrong_st_in_place_named_0(float *out, const float *in) {
 __shared__ float s[2][66]; u32 g=T/64,t=T%64; float w[3]; s[g][t+1]=in[B*128+T]; if(t==0){ s[g][0]=0; s[g][65]=0; } nsync(1+g,64);
 for(int r=0;r<3;r++){ for(int k=0;k<3;k++) w[k]=s[g][t+k]; s[g][t+1]=w[0]+w[1]+w[2]; nsync(1+g,64); } out[B*128+T]=s[g][t+1];
}
extern "C" __global__ void wrong_st_in_place_named_1(float *out, const float *in) {
 __shared__ float s[2][66]; u32 g=T/64,t=T%64; float w[3]; s[g][t+1]=in[B*128+T]; if(t==0){ s[g][0]=0; s[1-g][65]=0; } nsync(1+g,64);
 for(int r=0;r<3;r++){ for(int k=0;k<3;k++) w[k]=s[g][t+k]; nsync(1+g,64); s[g][t+1]=w[0]+w[1]+w[2]; nsync(1+g,64); } out[B*128+T]=s[g][t+1];
}
