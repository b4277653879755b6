// Buffers of many kinds, filled in every way.
__global__ void mix(const unsigned char *bytes, const bool *flags, const long long *wide, size_t *sizes,
                    unsigned int *counts, short *small, double *out, const double *table, int half)
{
    unsigned i = threadIdx.x;
    out[i] = bytes[i] + flags[i] + wide[i] + double(sizes[i]) + table[i] + half;
    counts[i] += i;
    small[i + 8] = -small[i];
}
//@ buffer bytes  = u8:random:7*8
//@ buffer flags  = u8:1,0,1,1,0,zeros*2,1
//@ buffer wide   = i64:-9223372036854775808,iota:10*6,-1
//@ buffer sizes  = u64:zeros*2,5*3,2^40,1,18446744073709551615
//@ buffer counts = u32:iota:3*8
//@ buffer small  = i16:random*8,uninit*8
//@ buffer out    = f64:uninit*10
//@ buffer table  = f64:0.1*2,random*8
//@ buffer limits = f32:inf,-inf,nan,-0,1e-45,0.1
//@ launch mix<<<1, 8>>> @bytes @flags @wide @sizes @counts @small @out @table+16 i32:-5
//@ expect counts = u32:3,5,7,9,11,13,15,17
//@ expect out    = f64:uninit*1,20.5,uninit*8 within 3
//@ expect wide   = i64:-9223372036854775808,iota:10*6,-1
//@ expect limits = f32:inf,-inf,nan,-0,1e-45,0.1
