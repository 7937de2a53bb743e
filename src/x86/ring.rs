//! Arithmetic modulo q with AVX2 and with AVX-512: the vector operations behind the transforms, rejection sampling, and
//! everything else as the compiler makes vector code of the portable text.

mod pack;

#[allow(clippy::wildcard_imports)]
use core::arch::x86_64::*;

use super::{Avx2, Avx512, op};
use crate::{
    lanes::{Poly, RingTable},
    portable::{
        ring::{self as text, Q},
        transform::{self, RingOps},
    },
};

/// Reads and writes rows of signed words.
macro_rules! rows {
    ($lanes:literal, $v:ty, $load:ident, $store:ident) => {
        #[cfg_attr(unoptimised, inline(never))]
        #[cfg_attr(not(unoptimised), inline(always))]
        fn get(self, row: &[i32; $lanes]) -> $v {
            // SAFETY: `self` proves the features; the row is a whole register of readable bytes.
            unsafe { $load(row.as_ptr().cast()) }
        }
        #[cfg_attr(unoptimised, inline(never))]
        #[cfg_attr(not(unoptimised), inline(always))]
        fn put(self, v: $v, row: &mut [i32; $lanes]) {
            // SAFETY: `self` proves the features; the row is a whole register of writable bytes.
            unsafe { $store(row.as_mut_ptr().cast(), v) }
        }
    };
}

impl RingOps<8> for Avx2 {
    rows!(8, __m256i, _mm256_loadu_si256, _mm256_storeu_si256);
    op!(sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32(a, b));
    op!(mul_low(a: __m256i, b: __m256i) -> __m256i = _mm256_mullo_epi32(a, b));
    op!(mul_wide(a: __m256i, b: __m256i) -> [__m256i; 2] = [
        _mm256_mul_epi32(a, b),
        _mm256_mul_epi32(_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b)),
    ]);
    op!(add_wide(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] = [
        _mm256_add_epi64(a[0], b[0]),
        _mm256_add_epi64(a[1], b[1]),
    ]);
    op!(sub_wide(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] = [
        _mm256_sub_epi64(a[0], b[0]),
        _mm256_sub_epi64(a[1], b[1]),
    ]);
    op!(low(wide: [__m256i; 2]) -> __m256i =
        _mm256_blend_epi32::<0xaa>(wide[0], _mm256_slli_epi64::<32>(wide[1])));
    op!(high(wide: [__m256i; 2]) -> __m256i =
        _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(wide[0]), wide[1]));
}

impl RingOps<16> for Avx512 {
    rows!(16, __m512i, _mm512_loadu_si512, _mm512_storeu_si512);
    op!(sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32(a, b));
    op!(mul_low(a: __m512i, b: __m512i) -> __m512i = _mm512_mullo_epi32(a, b));
    op!(mul_wide(a: __m512i, b: __m512i) -> [__m512i; 2] = [
        _mm512_mul_epi32(a, b),
        _mm512_mul_epi32(_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b)),
    ]);
    op!(add_wide(a: [__m512i; 2], b: [__m512i; 2]) -> [__m512i; 2] = [
        _mm512_add_epi64(a[0], b[0]),
        _mm512_add_epi64(a[1], b[1]),
    ]);
    op!(sub_wide(a: [__m512i; 2], b: [__m512i; 2]) -> [__m512i; 2] = [
        _mm512_sub_epi64(a[0], b[0]),
        _mm512_sub_epi64(a[1], b[1]),
    ]);
    op!(low(wide: [__m512i; 2]) -> __m512i =
        _mm512_mask_blend_epi32(0xaaaa, wide[0], _mm512_slli_epi64::<32>(wide[1])));
    op!(high(wide: [__m512i; 2]) -> __m512i =
        _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64::<32>(wide[0]), wide[1]));
}

/// For each mask of eight lanes the numbers of the chosen ones, in order, then zeros.
static CHOSEN: [[u8; 8]; 256] = {
    let mut chosen = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if (mask >> lane) & 1 == 1 {
                chosen[mask][at] = lane;
                at += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    chosen
};

/// `RejNTTPoly` (Alg. 30), eight candidates at a time; the last ones, and what is left of the bytes, one by one.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn reject_uniform_avx2(bytes: &[u8], p: &mut Poly) -> usize {
    let mut at = 0;
    let mut done = 0;
    // three bytes to a word: the second half of the register holds bytes 8 to 23, of which it takes those from 12 on
    let spread = _mm256_setr_epi8(
        0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15, -1,
    );
    while at + 8 <= 256 && done + 32 <= bytes.len() {
        // SAFETY: 32 bytes from `done` on are within the slice.
        let v = unsafe { _mm256_loadu_si256(bytes.as_ptr().add(done).cast()) };
        let v = _mm256_permute4x64_epi64::<0b1001_0100>(v);
        let v = _mm256_and_si256(_mm256_shuffle_epi8(v, spread), _mm256_set1_epi32(0x7f_ffff));
        let below = _mm256_castsi256_ps(_mm256_sub_epi32(v, _mm256_set1_epi32(Q)));
        let mask = _mm256_movemask_ps(below).cast_unsigned();
        let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(CHOSEN[mask as usize & 255])));
        let v = _mm256_permutevar8x32_epi32(v, order);
        // SAFETY: eight words from `at` on are within the polynomial.
        unsafe { _mm256_storeu_si256(p.0.as_mut_ptr().add(at).cast(), v) };
        at += mask.count_ones() as usize;
        done += 24;
    }
    text::reject_uniform_from(&bytes[done..], at, p)
}

/// `RejBoundedPoly` (Alg. 31), likewise.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn reject_bounded_avx2(eta: i32, bytes: &[u8], accepted: &[u8], p: &mut Poly) -> usize {
    let mut at = 0;
    let mut done = 0;
    for (four, mask) in bytes.as_chunks::<4>().0.iter().zip(accepted) {
        if at + 8 > 256 {
            break;
        }
        let word = u32::from_le_bytes(*four);
        let counts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
        let halves = _mm256_srlv_epi32(_mm256_set1_epi32(word.cast_signed()), counts);
        let halves = _mm256_and_si256(halves, _mm256_set1_epi32(15));
        let fives = _mm256_srli_epi32::<10>(_mm256_mullo_epi32(halves, _mm256_set1_epi32(205)));
        let fives = _mm256_add_epi32(fives, _mm256_slli_epi32::<2>(fives));
        let remainder = if eta == 2 { _mm256_sub_epi32(halves, fives) } else { halves };
        let v = _mm256_sub_epi32(_mm256_set1_epi32(eta), remainder);
        let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(CHOSEN[usize::from(*mask)])));
        let v = _mm256_permutevar8x32_epi32(v, order);
        // SAFETY: eight words from `at` on are within the polynomial.
        unsafe { _mm256_storeu_si256(p.0.as_mut_ptr().add(at).cast(), v) };
        at += mask.count_ones() as usize;
        done += 4;
    }
    text::reject_bounded_from(eta, &bytes[done..], &accepted[done / 4..], at, p)
}

/// `RejNTTPoly` (Alg. 30), sixteen candidates at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2")]
fn reject_uniform_avx512(bytes: &[u8], p: &mut Poly) -> usize {
    let mut at = 0;
    let mut done = 0;
    // twelve bytes to each quarter, then three bytes to a word
    let quarters = _mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    let spread = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    while at + 16 <= 256 && done + 64 <= bytes.len() {
        // SAFETY: 64 bytes from `done` on are within the slice.
        let v = unsafe { _mm512_loadu_si512(bytes.as_ptr().add(done).cast()) };
        let v = _mm512_shuffle_epi8(_mm512_permutexvar_epi32(quarters, v), spread);
        let v = _mm512_and_si512(v, _mm512_set1_epi32(0x7f_ffff));
        let mask = _mm512_cmplt_epi32_mask(v, _mm512_set1_epi32(Q));
        // into a register first: compressing into memory is many times slower
        let v = _mm512_maskz_compress_epi32(mask, v);
        // SAFETY: sixteen words from `at` on are within the polynomial.
        unsafe { _mm512_storeu_si512(p.0.as_mut_ptr().add(at).cast(), v) };
        at += mask.count_ones() as usize;
        done += 48;
    }
    text::reject_uniform_from(&bytes[done..], at, p)
}

/// `RejBoundedPoly` (Alg. 31), sixteen half bytes at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2")]
fn reject_bounded_avx512(eta: i32, bytes: &[u8], accepted: &[u8], p: &mut Poly) -> usize {
    if cfg!(hashloom_msan) {
        // MemorySanitizer does not know the instruction that compresses, and reports any marked input
        return reject_bounded_avx2(eta, bytes, accepted, p);
    }
    let mut at = 0;
    let mut done = 0;
    let values = if eta == 2 {
        _mm512_setr_epi32(2, 1, 0, -1, -2, 2, 1, 0, -1, -2, 2, 1, 0, -1, -2, 0)
    } else {
        _mm512_setr_epi32(4, 3, 2, 1, 0, -1, -2, -3, -4, 0, 0, 0, 0, 0, 0, 0)
    };
    let counts = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    let words = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    for (eight, mask) in bytes.as_chunks::<8>().0.iter().zip(accepted.as_chunks().0) {
        if at + 16 > 256 {
            break;
        }
        let spread = _mm512_permutexvar_epi32(words, _mm512_set1_epi64(i64::from_le_bytes(*eight)));
        let halves = _mm512_and_si512(_mm512_srlv_epi32(spread, counts), _mm512_set1_epi32(15));
        let mask = u16::from_le_bytes(*mask);
        let v = _mm512_maskz_compress_epi32(mask, _mm512_permutexvar_epi32(halves, values));
        // SAFETY: sixteen words from `at` on are within the polynomial.
        unsafe { _mm512_storeu_si512(p.0.as_mut_ptr().add(at).cast(), v) };
        at += mask.count_ones() as usize;
        done += 8;
    }
    text::reject_bounded_from(eta, &bytes[done..], &accepted[done / 4..], at, p)
}

/// A function compiled with features that whoever is given the table has proven.
macro_rules! proven {
    ($features:literal, ($($arg:ident: $type:ty),*) $(-> $ret:ty)?, $do:expr) => {{
        #[target_feature(enable = $features)]
        #[inline(never)]
        fn inner($($arg: $type),*) $(-> $ret)? {
            $do
        }
        fn outer($($arg: $type),*) $(-> $ret)? {
            // SAFETY: a token hands out the table, and proves the features.
            unsafe { inner($($arg),*) }
        }
        outer
    }};
}

/// A backend's table. The text is not given AVX-512, which compilers use worse than AVX2.
macro_rules! table {
    ($token:expr, $lanes:literal, $features:literal, $uniform:ident, $bounded:ident) => {
        RingTable {
            ntt: proven!($features, (p: &mut Poly), transform::ntt::<$lanes, _>($token, p)),
            inverse: proven!($features, (p: &mut Poly), transform::inverse::<$lanes, _>($token, p)),
            row: proven!($features, (a: &[Poly], y: &[Poly], out: &mut Poly), transform::row::<$lanes, _>($token, a, y, out)),
            product: proven!($features, (a: &Poly, b: &Poly, out: &mut Poly), transform::product::<$lanes, _>($token, a, b, out)),
            add: proven!("avx2,bmi1,bmi2", (a: &mut Poly, b: &Poly), text::add(a, b)),
            sub: proven!("avx2,bmi1,bmi2", (a: &mut Poly, b: &Poly), text::sub(a, b)),
            reduce: proven!("avx2,bmi1,bmi2", (p: &mut Poly), text::reduce(p)),
            canonical: proven!("avx2,bmi1,bmi2", (p: &mut Poly), text::canonical(p)),
            exceeds: proven!("avx2,bmi1,bmi2", (p: &Poly, bound: i32) -> u8, text::exceeds(p, bound)),
            power2round: proven!("avx2,bmi1,bmi2", (t: &mut Poly, t0: &mut Poly), text::power2round(t, t0)),
            shift: proven!("avx2,bmi1,bmi2", (p: &mut Poly), text::shift(p)),
            decompose: proven!("avx2,bmi1,bmi2", (gamma2: i32, w: &mut Poly, w1: &mut Poly), text::decompose(gamma2, w, w1)),
            make_hint: proven!("avx2,bmi1,bmi2", (gamma2: i32, low: &mut Poly, w1: &Poly) -> u32, text::make_hint(gamma2, low, w1)),
            use_hint: proven!("avx2,bmi1,bmi2", (gamma2: i32, r: &mut Poly, hint: &Poly), text::use_hint(gamma2, r, hint)),
            pack: proven!("avx2,bmi1,bmi2", (p: &Poly, bits: u32, offset: Option<i32>, out: &mut [u8]), pack::pack(p, bits, offset, out)),
            unpack: proven!("avx2,bmi1,bmi2", (bytes: &[u8], bits: u32, offset: Option<i32>, p: &mut Poly), pack::unpack(bytes, bits, offset, p)),
            reject_uniform: proven!($features, (bytes: &[u8], p: &mut Poly) -> usize, $uniform(bytes, p)),
            reject_bounded: proven!($features, (eta: i32, bytes: &[u8], accepted: &[u8], p: &mut Poly) -> usize, $bounded(eta, bytes, accepted, p)),
        }
    };
}

#[allow(clippy::unused_self)] // it is what proves the features
impl Avx2 {
    /// The arithmetic of this backend.
    pub(crate) fn ring(self) -> &'static RingTable {
        const PROVEN: Avx2 = Avx2::held();
        static TABLE: RingTable = table!(PROVEN, 8, "avx2,bmi1,bmi2", reject_uniform_avx2, reject_bounded_avx2);
        &TABLE
    }
}

#[allow(clippy::unused_self)] // likewise
impl Avx512 {
    /// The arithmetic of this backend.
    pub(crate) fn ring(self) -> &'static RingTable {
        const PROVEN: Avx512 = Avx512::held();
        static TABLE: RingTable =
            table!(PROVEN, 16, "avx512f,avx512bw,avx512vl,bmi1,bmi2", reject_uniform_avx512, reject_bounded_avx512);
        &TABLE
    }
}
