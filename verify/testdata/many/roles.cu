// Kernels whose names say whether they are right: sums by parts of a block, warps with tasks of their own, arrays in local memory. They are launched with 2 blocks of 64 threads.
#define T threadIdx.x
#define B blockIdx.x
#define W (threadIdx.x / 32)
#define L (threadIdx.x % 32)
typedef unsigned u32;
static __device__ __forceinline__ void nsync(u32 id, u32 n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
static __device__ __forceinline__ void narrive(u32 id, u32 n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }
extern "C" __global__ void right_red_minmax(int *out, const int *in) {
 __shared__ int lo[64], hi[64]; lo[T]=hi[T]=in[B*64+T]; nsync(2,64);
 if(W==0){ for(int i=T+32;i<64;i+=32) lo[T]=min(lo[T],lo[i]); nsync(3,32); if(T==0){int m=lo[0]; for(int i=1;i<32;i++) m=min(m,lo[i]); out[B*2]=m;} }
 else { for(int i=L;i<32;i+=32) hi[T]=max(hi[T],hi[i]); nsync(4,32); if(T==32){int m=hi[32]; for(int i=33;i<64;i++) m=max(m,hi[i]); out[B*2+1]=m;} }
}
extern "C" __global__ void wrong_red_minmax_0(int *out, const int *in) {
 __shared__ int lo[64], hi[64]; lo[T]=hi[T]=in[B*64+T]; nsync(2,64);
 if(W==0){ for(int i=T+32;i<64;i+=32) lo[T]=min(lo[T],lo[i]); nsync(3,32); if(T==0){int m=lo[0]; for(int i=1;i<32;i++) m=min(m,lo[i]); out[B*2]=m;} }
 else { for(int i=L;i<32;i+=32) hi[T]=max(hi[T],hi[i]);  if(T==32){int m=hi[32]; for(int i=33;i<64;i++) m=max(m,hi[i]); out[B*2+1]=m;} }
}
extern "C" __global__ void wrong_red_minmax_1(int *out, const int *in) {
 __shared__ int lo[64], hi[64]; lo[T]=hi[T]=in[B*64+T]; nsync(2+W,32);
 if(W==0){ for(int i=T+32;i<64;i+=32) lo[T]=min(lo[T],lo[i]); nsync(3,32); if(T==0){int m=lo[0]; for(int i=1;i<32;i++) m=min(m,lo[i]); out[B*2]=m;} }
 else { for(int i=L;i<32;i+=32) hi[T]=max(hi[T],hi[i]); nsync(4,32); if(T==32){int m=hi[32]; for(int i=33;i<64;i++) m=max(m,hi[i]); out[B*2+1]=m;} }
}
extern "C" __global__ void right_ws_fullempty_sync(int *out, const int *in) {
 __shared__ int t[32]; if(W==0){ for(int k=0;k<5;k++){ t[L]=in[k*32+L]; nsync(1,64); nsync(2,64);} } else { int a=0; for(int k=0;k<5;k++){ nsync(1,64); a+=t[31-L]; nsync(2,64);} out[B*32+L]=a; }
}
extern "C" __global__ void wrong_ws_fullempty_sync_0(int *out, const int *in) {
 __shared__ int t[32]; if(W==0){ for(int k=0;k<5;k++){ t[L]=in[k*32+L]; nsync(1,64); nsync(2,64);} } else { int a=0; for(int k=0;k<5;k++){ nsync(1,64); nsync(2,64); a+=t[31-L];} out[B*32+L]=a; }
}
extern "C" __global__ void wrong_ws_fullempty_sync_1(int *out, const int *in) {
 __shared__ int t[32]; if(W==0){ for(int k=0;k<5;k++){ t[L]=in[k*32+L]; nsync(1,64); nsync(2,64);} } else { int a=0; for(int k=0;k<4;k++){ nsync(1,64); a+=t[31-L]; nsync(2,64);} out[B*32+L]=a; }
}
extern "C" __global__ void right_ws_params(int *out, const int *in, int n) {
 __shared__ int t[32]; if(W==0){ for(int k=0;k<3;k++){ if(k) nsync(2,64); if(k*32+(int)L<n) t[L]=in[k*32+L]; else t[L]=0; narrive(1,64);} }
 else { int a=0; for(int k=0;k<3;k++){ nsync(1,64); a+=t[(L+1)%32]; if(k<2) narrive(2,64);} out[B*32+L]=a; }
}
extern "C" __global__ void wrong_ws_params_0(int *out, const int *in, int n) {
 __shared__ int t[32]; if(W==0){ for(int k=0;k<3;k++){  if(k*32+(int)L<n) t[L]=in[k*32+L]; else t[L]=0; narrive(1,64);} }
 else { int a=0; for(int k=0;k<3;k++){ nsync(1,64); a+=t[(L+1)%32]; if(k<2) narrive(2,64);} out[B*32+L]=a; }
}
extern "C" __global__ void right_hist_local_merge(int *out, const int *in) {
 int h[8]; for(int i=0;i<8;i++) h[i]=0; for(int i=0;i<16;i++) h[in[(B*64+T)*16+i]&7]++; for(int i=0;i<8;i++) atomicAdd(&out[i],h[i]);
}
extern "C" __global__ void wrong_hist_local_merge_0(int *out, const int *in) {
 int h[8]; for(int i=0;i<8;i++) h[i]=0; for(int i=0;i<16;i++) h[in[(B*64+T)*16+i]&7]++; for(int i=0;i<8;i++) out[i]+=h[i];
}
extern "C" __global__ void right_hist_local_rows(int *out, const int *in) {
 int h[8]; for(int i=0;i<8;i++) h[i]=0; for(int i=0;i<16;i++) h[in[(B*64+T)*16+i]&7]++; for(int i=0;i<8;i++) out[(B*64+T)*8+i]=h[i];
}
extern "C" __global__ void wrong_hist_local_rows_0(int *out, const int *in) {
 int h[8]; for(int i=0;i<8;i++) h[i]=0; for(int i=0;i<16;i++) h[in[(B*64+T)*16+i]&7]++; for(int i=0;i<8;i++) out[(B*64+T)*7+i]=h[i];
}
extern "C" __global__ void right_hist_shared_merge(int *out, const int *in, int n) {
 __shared__ int s[16]; int h[16]; for(int i=0;i<16;i++) h[i]=0; if(T<16) s[T]=0; for(int i=B*64+T;i<n;i+=64*gridDim.x) h[in[i]&15]++; __syncthreads();
 for(int i=0;i<16;i++) atomicAdd(&s[i],h[i]); __syncthreads(); if(T<16) atomicAdd(&out[T],s[T]);
}
extern "C" __global__ void wrong_hist_shared_merge_0(int *out, const int *in, int n) {
 __shared__ int s[16]; int h[16]; for(int i=0;i<16;i++) h[i]=0; if(T<16) s[T]=0; for(int i=B*64+T;i<n;i+=64*gridDim.x) h[in[i]&15]++;
 for(int i=0;i<16;i++) atomicAdd(&s[i],h[i]); __syncthreads(); if(T<16) atomicAdd(&out[T],s[T]);
}
extern "C" __global__ void wrong_hist_shared_merge_1(int *out, const int *in, int n) {
 __shared__ int s[16]; int h[16]; for(int i=0;i<16;i++) h[i]=0; if(T<16) s[T]=0; for(int i=B*64+T;i<n;i+=64*gridDim.x) h[in[i]&15]++; __syncthreads();
 for(int i=0;i<16;i++) s[i]+=h[i]; __syncthreads(); if(T<16) atomicAdd(&out[T],s[T]);
}
extern "C" __global__ void wrong_hist_shared_merge_2(int *out, const int *in, int n) {
 __shared__ int s[16]; int h[16]; for(int i=0;i<16;i++) h[i]=0; if(T<16) s[T]=0; for(int i=B*64+T;i<n;i+=64*gridDim.x) h[in[i]&15]++; __syncthreads();
 for(int i=0;i<16;i++) atomicAdd(&s[i],h[i]); if(T<16) atomicAdd(&out[T],s[T]);
}
extern "C" __global__ void right_st_window(float *out, const float *in) {
 float w[5]; int i=B*64+T; for(int k=0;k<5;k++) w[k]=in[i+k]; float a=0; for(int k=0;k<5;k++) a+=w[k]*w[4-k]; out[i]=a;
}
extern "C" __global__ void wrong_st_window_0(float *out, const float *in) {
 float w[5]; int i=B*64+T; for(int k=0;k<5;k++) w[k]=in[i+k]; float a=0; for(int k=0;k<5;k++) a+=w[k]*w[4-k]; out[i/2]=a;
}
extern "C" __global__ void right_st_window_col(float *out, const float *in, int h) {
 float w[3]; int x=B*64+T, p=gridDim.x*64; w[0]=in[x]; w[1]=in[p+x]; for(int y=1;y<6;y++){ w[2]=in[(y+1)*p+x]; out[y*p+x]=w[0]+w[1]+w[2]; w[0]=w[1]; w[1]=w[2]; }
}
extern "C" __global__ void wrong_st_window_col_0(float *out, const float *in, int h) {
 float w[3]; int x=B*64+T, p=gridDim.x*64; w[0]=in[x]; w[1]=in[p+x]; for(int y=1;y<6;y++){ w[2]=in[(y+1)*p+x]; out[y*p+x/2]=w[0]+w[1]+w[2]; w[0]=w[1]; w[1]=w[2]; }
}
extern "C" __global__ void wrong_st_window_col_1(float *out, const float *in, int h) {
 float w[3]; int x=B*64+T, p=gridDim.x*64; w[0]=in[x]; w[1]=in[p+x]; for(int y=1;y<6;y++){ w[2]=in[(y+1)*p+x]; out[y*p+(x^1)]=out[y*p+x]+w[0]+w[1]+w[2]; w[0]=w[1]; w[1]=w[2]; }
}
extern "C" __global__ void right_st_shared_halo(float *out, const float *in) {
 __shared__ float s[66]; float w[3]; int i=B*64+T; s[T+1]=in[i]; if(T==0){ s[0]=in[i-1]; s[65]=in[i+64]; } __syncthreads(); for(int k=0;k<3;k++) w[k]=s[T+k]; out[i]=w[0]+2*w[1]+w[2];
}
extern "C" __global__ void wrong_st_shared_halo_0(float *out, const float *in) {
 __shared__ float s[66]; float w[3]; int i=B*64+T; s[T+1]=in[i]; if(T==0){ s[0]=in[i-1]; s[65]=in[i+64]; }  for(int k=0;k<3;k++) w[k]=s[T+k]; out[i]=w[0]+2*w[1]+w[2];
}
extern "C" __global__ void wrong_st_shared_halo_1(float *out, const float *in) {
 __shared__ float s[66]; float w[3]; int i=B*64+T; s[T+1]=in[i]; if(T<2){ s[0]=in[i-1]; s[65]=in[i+64]; } __syncthreads(); for(int k=0;k<3;k++) w[k]=s[T+k]; out[i]=w[0]+2*w[1]+w[2];
}
extern "C" __global__ void right_st_time(float *out, const float *in) {
 __shared__ float s[2][66]; float w[3]; s[0][T+1]=in[B*64+T]; if(T<2){ s[0][T*65]=0; s[1][T*65]=0; } __syncthreads();
 for(int t=0;t<4;t++){ for(int k=0;k<3;k++) w[k]=s[t&1][T+k]; s[1-(t&1)][T+1]=w[0]+w[1]+w[2]; __syncthreads(); } out[B*64+T]=s[0][T+1];
}
extern "C" __global__ void wrong_st_time_0(float *out, const float *in) {
 __shared__ float s[2][66]; float w[3]; s[0][T+1]=in[B*64+T]; if(T<2){ s[0][T*65]=0; s[1][T*65]=0; } __syncthreads();
 for(int t=0;t<4;t++){ for(int k=0;k<3;k++) w[k]=s[t&1][T+k]; s[1-(t&1)][T+1]=w[0]+w[1]+w[2]; } out[B*64+T]=s[0][T+1];
}
extern "C" __global__ void wrong_st_time_1(float *out, const float *in) {
 __shared__ float s[2][66]; float w[3]; s[0][T+1]=in[B*64+T]; if(T<2){ s[0][T*65]=0; s[1][T*65]=0; } __syncthreads();
 for(int t=0;t<4;t++){ for(int k=0;k<3;k++) w[k]=s[t&1][T+k]; s[(t&1)][T+1]=w[0]+w[1]+w[2]; __syncthreads(); } out[B*64+T]=s[0][T+1];
}
