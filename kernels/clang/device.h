// What CUDA adds to C++, for clang: where code runs, who a thread is, what its instructions do. Names and meanings are
// those of the CUDA C++ Programming Guide. What is not here is refused by its name, and can be added: most functions are
// one instruction of PTX. Clusters are left out on purpose: clang 22 takes their size and writes none.

#pragma once

#define __CUDACC__ 1

// ---- where code runs, and where data lies

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// How the functions below are declared. Their code belongs to the line that calls them.
#define WB_INLINE __inline__ __attribute__((always_inline, nodebug))
#define WB_DEVICE static __device__ WB_INLINE
#define WB_BOTH static __host__ __device__ WB_INLINE

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

// ---- small vectors

#define WB_VECTORS(name, type, two, four)                                                                              \
    struct name##1 { type x; };                                                                                        \
    struct __align__(two) name##2 { type x, y; };                                                                      \
    struct name##3 { type x, y, z; };                                                                                  \
    struct __align__(four) name##4 { type x, y, z, w; };                                                               \
    WB_BOTH name##1 make_##name##1(type x) { return {x}; }                                                             \
    WB_BOTH name##2 make_##name##2(type x, type y) { return {x, y}; }                                                  \
    WB_BOTH name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                       \
    WB_BOTH name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
WB_VECTORS(char, signed char, 2, 4)
WB_VECTORS(uchar, unsigned char, 2, 4)
WB_VECTORS(short, short, 4, 8)
WB_VECTORS(ushort, unsigned short, 4, 8)
WB_VECTORS(int, int, 8, 16)
WB_VECTORS(uint, unsigned int, 8, 16)
WB_VECTORS(longlong, long long, 16, 16)
WB_VECTORS(ulonglong, unsigned long long, 16, 16)
WB_VECTORS(float, float, 8, 16)
WB_VECTORS(double, double, 16, 16)
#undef WB_VECTORS

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ __attribute__((nodebug)) constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ __attribute__((nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

// ---- who a thread is

// A second function of the name: clang refuses the host's reading at once if it has to choose.
#ifdef WB_BORDER
#define WB_CHOICE(name) static __device__ unsigned int name(int);
#else
#define WB_CHOICE(name)
#endif

// `threadIdx.x` reads a register, and cannot be written to.
#define WB_AXIS(axis, builtin)                                                                                         \
    WB_CHOICE(read_##axis)                                                                                             \
    __declspec(property(get = read_##axis)) unsigned int axis;                                                         \
    static __device__ WB_INLINE unsigned int read_##axis() { return builtin##_##axis(); }
#define WB_INDEX(name, builtin, vector)                                                                                \
    struct WB_##name {                                                                                                 \
        WB_AXIS(x, builtin)                                                                                            \
        WB_AXIS(y, builtin)                                                                                            \
        WB_AXIS(z, builtin)                                                                                            \
        __device__ WB_INLINE operator vector() const { return vector{x, y, z}; }                                 \
    };                                                                                                                 \
    extern const __device__ __attribute__((weak)) WB_##name name;
WB_INDEX(threadIdx, __nvvm_read_ptx_sreg_tid, uint3)
WB_INDEX(blockIdx, __nvvm_read_ptx_sreg_ctaid, uint3)
WB_INDEX(blockDim, __nvvm_read_ptx_sreg_ntid, dim3)
WB_INDEX(gridDim, __nvvm_read_ptx_sreg_nctaid, dim3)
#undef WB_INDEX
#undef WB_AXIS
#undef WB_CHOICE
static constexpr int warpSize = 32;

// ---- waiting, and the order of accesses; __syncthreads() is known to clang, on either side

#ifdef WB_BORDER
WB_DEVICE void wb_syncthreads() { __syncthreads(); }
#define __syncthreads() wb_syncthreads()
#endif
WB_DEVICE void __syncwarp(unsigned int lanes = 0xffffffff) { __nvvm_bar_warp_sync(lanes); }
WB_DEVICE int __syncthreads_count(int holds) { return __nvvm_bar0_popc(holds); }
WB_DEVICE int __syncthreads_and(int holds) { return __nvvm_bar0_and(holds); }
WB_DEVICE int __syncthreads_or(int holds) { return __nvvm_bar0_or(holds); }
WB_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
WB_DEVICE void __threadfence() { __nvvm_membar_gl(); }
WB_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
WB_DEVICE void __nanosleep(unsigned int time) { asm volatile("nanosleep.u32 %0;" : : "r"(time)); }
// The grid before this one in the stream, and the one behind it (programmatic dependent launch).
WB_DEVICE void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" : : : "memory"); }
WB_DEVICE void cudaTriggerProgrammaticLaunchCompletion() { asm volatile("griddepcontrol.launch_dependents;"); }
WB_DEVICE void __trap() { asm volatile("trap;"); }
WB_DEVICE long long clock64()
{
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now) : : "memory");
    return now;
}

// ---- atomic operations: relaxed, for the device, the block or the system

#define WB_ATOMIC_OF(function, scope, operation, type, kind, letter)                                                   \
    WB_DEVICE type function(type *address, type value)                                                                 \
    {                                                                                                                  \
        type old;                                                                                                      \
        asm volatile("atom" scope "." operation "." kind " %0, [%1], %2;"                                              \
                     : "=" letter(old)                                                                                 \
                     : "l"(address), letter(value)                                                                     \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }
#define WB_ATOMIC(name, operation, type, kind, letter)                                                                 \
    WB_ATOMIC_OF(atomic##name, "", operation, type, kind, letter)                                                      \
    WB_ATOMIC_OF(atomic##name##_block, ".cta", operation, type, kind, letter)                                          \
    WB_ATOMIC_OF(atomic##name##_system, ".sys", operation, type, kind, letter)
#define WB_ATOMIC_BITS(name, operation)                                                                                \
    WB_ATOMIC(name, operation, int, "b32", "r")                                                                        \
    WB_ATOMIC(name, operation, unsigned int, "b32", "r")                                                               \
    WB_ATOMIC(name, operation, unsigned long long, "b64", "l")
#define WB_ATOMIC_ORDER(name, operation)                                                                               \
    WB_ATOMIC(name, operation, int, "s32", "r")                                                                        \
    WB_ATOMIC(name, operation, unsigned int, "u32", "r")                                                               \
    WB_ATOMIC(name, operation, long long, "s64", "l")                                                                  \
    WB_ATOMIC(name, operation, unsigned long long, "u64", "l")
WB_ATOMIC(Add, "add", int, "u32", "r")
WB_ATOMIC(Add, "add", unsigned int, "u32", "r")
WB_ATOMIC(Add, "add", unsigned long long, "u64", "l")
WB_ATOMIC(Add, "add", float, "f32", "f")
WB_ATOMIC(Add, "add", double, "f64", "d")
WB_ATOMIC(Exch, "exch", float, "b32", "f")
WB_ATOMIC(Inc, "inc", unsigned int, "u32", "r")
WB_ATOMIC(Dec, "dec", unsigned int, "u32", "r")
WB_ATOMIC_BITS(Exch, "exch")
WB_ATOMIC_BITS(And, "and")
WB_ATOMIC_BITS(Or, "or")
WB_ATOMIC_BITS(Xor, "xor")
WB_ATOMIC_ORDER(Min, "min")
WB_ATOMIC_ORDER(Max, "max")
WB_DEVICE int atomicSub(int *address, int value) { return atomicAdd(address, -value); }
WB_DEVICE unsigned int atomicSub(unsigned int *address, unsigned int value) { return atomicAdd(address, -value); }

#define WB_CAS_OF(function, scope, type, kind, letter)                                                                 \
    WB_DEVICE type function(type *address, type expected, type value)                                                  \
    {                                                                                                                  \
        type old;                                                                                                      \
        asm volatile("atom" scope ".cas." kind " %0, [%1], %2, %3;"                                                    \
                     : "=" letter(old)                                                                                 \
                     : "l"(address), letter(expected), letter(value)                                                   \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }
#define WB_CAS(type, kind, letter)                                                                                     \
    WB_CAS_OF(atomicCAS, "", type, kind, letter)                                                                       \
    WB_CAS_OF(atomicCAS_block, ".cta", type, kind, letter)                                                             \
    WB_CAS_OF(atomicCAS_system, ".sys", type, kind, letter)
WB_CAS(int, "b32", "r")
WB_CAS(unsigned int, "b32", "r")
WB_CAS(unsigned long long, "b64", "l")
WB_CAS(unsigned short, "b16", "h")
#undef WB_CAS
#undef WB_CAS_OF
#undef WB_ATOMIC_ORDER
#undef WB_ATOMIC_BITS
#undef WB_ATOMIC
#undef WB_ATOMIC_OF

// ---- the lanes of a warp together

WB_DEVICE int __all_sync(unsigned int lanes, int holds) { return __nvvm_vote_all_sync(lanes, holds); }
WB_DEVICE int __any_sync(unsigned int lanes, int holds) { return __nvvm_vote_any_sync(lanes, holds); }
WB_DEVICE unsigned int __ballot_sync(unsigned int lanes, int holds) { return __nvvm_vote_ballot_sync(lanes, holds); }
WB_DEVICE unsigned int __activemask() { return __nvvm_activemask(); }
template <typename T> WB_DEVICE unsigned int __match_any_sync(unsigned int lanes, T value)
{
    if constexpr (sizeof(T) == 8) {
        return __nvvm_match_any_sync_i64(lanes, __builtin_bit_cast(long long, value));
    } else if constexpr (sizeof(T) == 4) {
        return __nvvm_match_any_sync_i32(lanes, __builtin_bit_cast(int, value));
    } else {
        return __nvvm_match_any_sync_i32(lanes, value);
    }
}
// The lane that is the `number`th of those in `lanes` from `first` on, or before it if the number is negative.
WB_DEVICE unsigned int __fns(unsigned int lanes, unsigned int first, int number)
{
    unsigned int lane;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(lane) : "r"(lanes), "r"(first), "r"(number));
    return lane;
}

// `last` is the lane beyond which there is none: 31, and for `up` 0. A value of 8 bytes takes two shuffles.
#define WB_SHUFFLE_4(name, mode, last, type)                                                                           \
    WB_DEVICE type name(unsigned int lanes, type value, int lane, int width = 32)                                      \
    {                                                                                                                  \
        int bits = __builtin_bit_cast(int, value);                                                                     \
        return __builtin_bit_cast(type, __nvvm_shfl_sync_##mode##_i32(lanes, bits, lane, (32 - width) << 8 | last));   \
    }
#define WB_SHUFFLE_8(name, type)                                                                                       \
    WB_DEVICE type name(unsigned int lanes, type value, int lane, int width = 32)                                      \
    {                                                                                                                  \
        int2 bits = __builtin_bit_cast(int2, value);                                                                   \
        bits.x = name(lanes, bits.x, lane, width);                                                                     \
        bits.y = name(lanes, bits.y, lane, width);                                                                     \
        return __builtin_bit_cast(type, bits);                                                                         \
    }
#define WB_SHUFFLE(name, mode, last)                                                                                   \
    WB_SHUFFLE_4(name, mode, last, int)                                                                                \
    WB_SHUFFLE_4(name, mode, last, unsigned int)                                                                       \
    WB_SHUFFLE_4(name, mode, last, float)                                                                              \
    WB_SHUFFLE_8(name, long long)                                                                                      \
    WB_SHUFFLE_8(name, unsigned long long)                                                                             \
    WB_SHUFFLE_8(name, double)
WB_SHUFFLE(__shfl_sync, idx, 31)
WB_SHUFFLE(__shfl_down_sync, down, 31)
WB_SHUFFLE(__shfl_xor_sync, bfly, 31)
WB_SHUFFLE(__shfl_up_sync, up, 0)
#undef WB_SHUFFLE
#undef WB_SHUFFLE_8
#undef WB_SHUFFLE_4

#if __CUDA_ARCH__ >= 800
#define WB_REDUCE(name, operation, type, kind)                                                                         \
    WB_DEVICE type __reduce_##name##_sync(unsigned int lanes, type value)                                              \
    {                                                                                                                  \
        type result;                                                                                                   \
        asm volatile("redux.sync." operation "." kind " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(lanes));         \
        return result;                                                                                                 \
    }
WB_REDUCE(add, "add", int, "s32")
WB_REDUCE(add, "add", unsigned int, "u32")
WB_REDUCE(min, "min", int, "s32")
WB_REDUCE(min, "min", unsigned int, "u32")
WB_REDUCE(max, "max", int, "s32")
WB_REDUCE(max, "max", unsigned int, "u32")
WB_REDUCE(and, "and", unsigned int, "b32")
WB_REDUCE(or, "or", unsigned int, "b32")
WB_REDUCE(xor, "xor", unsigned int, "b32")
#undef WB_REDUCE
#endif

// ---- loads and stores with a say in the caches

#define WB_LOAD(name, instruction)                                                                                     \
    template <typename T> WB_DEVICE T name(const T *address)                                                           \
    {                                                                                                                  \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, #name " loads 4, 8 or 16 bytes");           \
        if constexpr (sizeof(T) == 4) {                                                                                \
            unsigned int bits;                                                                                         \
            asm volatile(instruction ".b32 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");                         \
            return __builtin_bit_cast(T, bits);                                                                        \
        } else if constexpr (sizeof(T) == 8) {                                                                         \
            unsigned long long bits;                                                                                   \
            asm volatile(instruction ".b64 %0, [%1];" : "=l"(bits) : "l"(address) : "memory");                         \
            return __builtin_bit_cast(T, bits);                                                                        \
        } else {                                                                                                       \
            uint4 bits;                                                                                                \
            asm volatile(instruction ".v4.b32 {%0, %1, %2, %3}, [%4];"                                                 \
                         : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)                                      \
                         : "l"(address)                                                                                \
                         : "memory");                                                                                  \
            return __builtin_bit_cast(T, bits);                                                                        \
        }                                                                                                              \
    }
WB_LOAD(__ldg, "ld.global.nc")
WB_LOAD(__ldca, "ld.global.ca")
WB_LOAD(__ldcg, "ld.global.cg")
WB_LOAD(__ldcs, "ld.global.cs")
#undef WB_LOAD

#define WB_STORE(name, instruction)                                                                                    \
    template <typename T> WB_DEVICE void name(T *address, T value)                                                     \
    {                                                                                                                  \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, #name " stores 4, 8 or 16 bytes");          \
        if constexpr (sizeof(T) == 4) {                                                                                \
            unsigned int bits = __builtin_bit_cast(unsigned int, value);                                               \
            asm volatile(instruction ".b32 [%0], %1;" : : "l"(address), "r"(bits) : "memory");                         \
        } else if constexpr (sizeof(T) == 8) {                                                                         \
            unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                                   \
            asm volatile(instruction ".b64 [%0], %1;" : : "l"(address), "l"(bits) : "memory");                         \
        } else {                                                                                                       \
            uint4 bits = __builtin_bit_cast(uint4, value);                                                             \
            asm volatile(instruction ".v4.b32 [%0], {%1, %2, %3, %4};"                                                 \
                         :                                                                                             \
                         : "l"(address), "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w)                            \
                         : "memory");                                                                                  \
        }                                                                                                              \
    }
WB_STORE(__stwb, "st.global.wb")
WB_STORE(__stcg, "st.global.cg")
WB_STORE(__stcs, "st.global.cs")
WB_STORE(__stwt, "st.global.wt")
#undef WB_STORE

WB_DEVICE size_t __cvta_generic_to_shared(const void *at) { return (size_t)(__attribute__((address_space(3))) void *)at; }
WB_DEVICE size_t __cvta_generic_to_local(const void *at) { return (size_t)(__attribute__((address_space(5))) void *)at; }
WB_DEVICE size_t __cvta_generic_to_global(const void *at) { return (size_t)(__attribute__((address_space(1))) void *)at; }
WB_DEVICE size_t __cvta_generic_to_constant(const void *at) { return (size_t)(__attribute__((address_space(4))) void *)at; }

// ---- bits

WB_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
WB_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WB_DEVICE int __clz(int x) { return x ? __builtin_clz(x) : 32; }
WB_DEVICE int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
WB_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
WB_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
WB_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
WB_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
WB_DEVICE int __mulhi(int a, int b) { return (long long)a * b >> 32; }
WB_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned long long)a * b >> 32; }
#define WB_FUNNEL(name, instruction)                                                                                   \
    WB_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int shift)                               \
    {                                                                                                                  \
        unsigned int result;                                                                                           \
        asm(instruction ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));                      \
        return result;                                                                                                 \
    }
WB_FUNNEL(__funnelshift_l, "shf.l.wrap")
WB_FUNNEL(__funnelshift_lc, "shf.l.clamp")
WB_FUNNEL(__funnelshift_r, "shf.r.wrap")
WB_FUNNEL(__funnelshift_rc, "shf.r.clamp")
#undef WB_FUNNEL

WB_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WB_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
WB_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WB_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
WB_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WB_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

// ---- numbers

#define WB_MIN_MAX(type, a_type, b_type)                                                                               \
    WB_BOTH type min(a_type a, b_type b) { return (type)a < (type)b ? (type)a : (type)b; }                             \
    WB_BOTH type max(a_type a, b_type b) { return (type)a > (type)b ? (type)a : (type)b; }
#define WB_MIN_MAX_MIXED(is_unsigned, is_signed)                                                                       \
    WB_MIN_MAX(is_signed, is_signed, is_signed)                                                                        \
    WB_MIN_MAX(is_unsigned, is_unsigned, is_unsigned)                                                                  \
    WB_MIN_MAX(is_unsigned, is_unsigned, is_signed)                                                                    \
    WB_MIN_MAX(is_unsigned, is_signed, is_unsigned)
WB_MIN_MAX_MIXED(unsigned int, int)
WB_MIN_MAX_MIXED(unsigned long, long)
WB_MIN_MAX_MIXED(unsigned long long, long long)
#undef WB_MIN_MAX_MIXED
#undef WB_MIN_MAX

WB_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
WB_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
WB_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
WB_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
WB_BOTH double min(float a, double b) { return __builtin_fmin(a, b); }
WB_BOTH double min(double a, float b) { return __builtin_fmin(a, b); }
WB_BOTH double max(float a, double b) { return __builtin_fmax(a, b); }
WB_BOTH double max(double a, float b) { return __builtin_fmax(a, b); }

// Whole, and not as a product and a sum.
WB_DEVICE float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
WB_DEVICE float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
WB_DEVICE double __dadd_rn(double a, double b) { return __nvvm_add_rn_d(a, b); }
WB_DEVICE double __dmul_rn(double a, double b) { return __nvvm_mul_rn_d(a, b); }
// 2^(x log2 e), as the hardware has powers of 2.
WB_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(__nvvm_mul_rn_f(x, 1.4426950408889634f)); }
WB_DEVICE long long __double2ll_rn(double x) { return __nvvm_d2ll_rn(x); }
