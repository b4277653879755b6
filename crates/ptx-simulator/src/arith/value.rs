//! Registers as values of a type, and loops over lanes from an expression over such values.

/// A type as it lies in the low bits of a register.
pub trait Value: Copy {
    fn get(bits: u64) -> Self;
    fn put(self) -> u64;
}

macro_rules! values {
    ($($t:ty: $unsigned:ty),*) => {$(
        impl Value for $t {
            #[inline(always)]
            fn get(bits: u64) -> $t { bits as $t }
            #[inline(always)]
            fn put(self) -> u64 { self as $unsigned as u64 }
        }
    )*};
}
values!(u8: u8, i8: u8, u16: u16, i16: u16, u32: u32, i32: u32, u64: u64, i64: u64);

impl Value for f32 {
    #[inline(always)]
    fn get(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        // A NaN that an operation makes is the canonical one (PTX ISA 9.7.3).
        if self.is_nan() { 0x7fff_ffff } else { self.to_bits() as u64 }
    }
}

impl Value for f64 {
    #[inline(always)]
    fn get(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        if self.is_nan() { 0xfff8_0000_0000_0000 } else { self.to_bits() }
    }
}

/// An [`AluFn`] from an expression over values of one type: its loop is one of its own, which the compiler
/// can vectorise.
macro_rules! looped {
    ($t:ty, |$a:ident| $e:expr) => {
        looped!($t, |$a, _b, _c| $e)
    };
    ($t:ty, |$a:ident, $b:ident| $e:expr) => {
        looped!($t, |$a, $b, _c| $e)
    };
    ($t:ty, |$a:ident, $b:ident, $c:ident| $e:expr) => {{
        #[inline(always)]
        fn one($a: u64, $b: u64, $c: u64) -> u64 {
            let $a = <$t>::get($a);
            let $b = <$t>::get($b);
            let $c = <$t>::get($c);
            Value::put($e)
        }
        fn all(out: &mut Lanes, source: [&Lanes; 4], mask: u32) {
            each(mask, |lane| out[lane] = one(source[0][lane], source[1][lane], source[2][lane]))
        }
        AluFn { one, all, common: None, exact: None }
    }};
}
