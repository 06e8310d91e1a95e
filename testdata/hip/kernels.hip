// HIP kernels that the tests compile for AMD processors with clang alone: there
// are no headers and no device library.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

static __device__ inline unsigned lane() { return __builtin_amdgcn_workitem_id_x(); }

namespace math {

template <typename T, int Size>
__global__ void scale(T *values, T factor) {
  unsigned at = __builtin_amdgcn_workgroup_id_x() * Size + lane();
  values[at] *= factor;
}

template __global__ void scale<float, 256>(float *, float);
template __global__ void scale<double, 64>(double *, double);

}  // namespace math

namespace {

struct Window {
  float taps[32];
};

__device__ float filter(const float *in, const Window &w) {
  float sum = 0;
  for (int i = 0; i < 32; i++) sum += in[i] * w.taps[i];
  return sum;
}

}  // namespace

extern "C" __global__ void smooth(const float *in, float *out, Window window) {
  unsigned at = __builtin_amdgcn_workgroup_id_x() * 64 + lane();
  out[at] = filter(in + at, window);
}

__global__ void copy(float *to, const float *from) { to[lane()] = from[lane()]; }

__global__ void copy(int *to, const int *from) { to[lane()] = from[lane()]; }

__global__ void __attribute__((amdgpu_flat_work_group_size(64, 64)))
reverse(float *values) {
  __shared__ float rows[64];
  rows[lane()] = values[lane()];
  __builtin_amdgcn_s_barrier();
  values[lane()] = rows[63 - lane()];
}
