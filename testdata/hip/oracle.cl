// OpenCL kernels for the test against the assembler: one for each way to use LDS,
// scratch memory and calls. They need no header, which would take the compiler
// longer than the kernels.
#define get_local_id(x) ((int)__builtin_amdgcn_workitem_id_x())
#define get_global_id(x) ((int)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()))
#define barrier(x) __builtin_amdgcn_s_barrier()
#define atomic_add(p, n) __atomic_fetch_add(p, n, __ATOMIC_RELAXED)
#define sin(x) __builtin_sinf(x)
__kernel void plain(__global float* a, int n){ int i=get_global_id(0); if(i<n) a[i]*=2.0f; }
__kernel void lds(__global float* a){ __local float t[1024]; int i=get_local_id(0); t[i]=a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i]=t[1023-i]+t[i^1]; }
__kernel void ldsdyn(__global float* a, __local float* t){ int i=get_local_id(0); t[i]=a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i]=t[i^3]; }
__kernel void priv(__global int* a, int k){ int t[64]; for(int i=0;i<64;i++) t[i]=a[i*k]; int s=0; for(int i=0;i<64;i++) s+=t[(a[i]+k)&63]; a[0]=s; }
__attribute__((amdgpu_num_vgpr(24)))
__kernel void spill(__global float* a, int n){ float v[48]; for(int i=0;i<48;i++) v[i]=a[i*n]; barrier(CLK_GLOBAL_MEM_FENCE); for(int j=0;j<n;j++) for(int i=0;i<48;i++) v[i]=v[i]*v[(i+7)%48]+1.0f; for(int i=0;i<48;i++) a[i*n+1]=v[i]; }
__attribute__((noinline)) float helper(float x, int n){ float s=0; for(int i=0;i<n;i++) s+=sin(x*i); return s; }
float ext(float);
__kernel void calls(__global float* a, int n){ a[n]=helper(a[n],n); }
__kernel void extcall(__global float* a, int n){ a[n]=ext(a[n]); }
__kernel void atom(__global int* a){ __local int t[32]; int i=get_local_id(0); t[i]=0; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&t[i&31],1); barrier(CLK_LOCAL_MEM_FENCE); a[i]=t[i]; __asm volatile("1: ds_read_b32 v1, v1\n/* x */ ds_write_b32 v1, v1"); }
