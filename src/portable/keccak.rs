//! `Keccak-f[1600]` (FIPS 202 section 3) and SHAKE256's F chain (FIPS 205 section 11.1), over any token's operations.

use crate::{
    adrs::PRF,
    lanes::{KeccakChains, KeccakState, MAX_BLOCK, Ops},
};

/// Round constants of iota (FIPS 202 section 3.2.5).
const RC: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// Bytes of a SHAKE256 block, in words.
const RATE_256: usize = 17;
/// SHAKE's domain bits 1111 and the first padding bit (FIPS 202 section 6.2, B.2).
const SHAKE_PAD: u64 = 0x1f;
/// The last padding bit, in the last word of a block.
const LAST_PAD: u64 = 1 << 63;

/// Words that a state holds inverted between rounds, as bits, where and-not takes two instructions: with these six,
/// chi needs one inversion per row instead of five ("lane complementing" in the Keccak implementation overview).
const INVERTED: u32 = 1 << 1 | 1 << 2 | 1 << 8 | 1 << 12 | 1 << 17 | 1 << 20;

/// Whether word `i` is inverted between rounds.
const fn inverted(i: usize) -> bool {
    (INVERTED >> i) % 2 == 1
}

/// Whether the sum of column `x` is inverted.
const fn inverted_column(x: usize) -> bool {
    const COLUMN: u32 = 1 | 1 << 5 | 1 << 10 | 1 << 15 | 1 << 20;
    ((INVERTED >> (x % 5)) & COLUMN).count_ones() % 2 == 1
}

/// Whether word `i` is inverted after theta, which adds the columns left and right of it.
const fn after_theta(i: usize) -> bool {
    inverted(i) ^ inverted_column(i + 4) ^ inverted_column(i + 1)
}

/// Inverts the words that rounds expect so, or back.
#[inline(always)]
fn invert<const W: usize, O: Ops<u64, W>>(o: O, a: &mut [O::V; 25]) {
    if O::INVERT {
        let mut i = 0;
        while i < 25 {
            if inverted(i) {
                a[i] = o.xor(a[i], o.splat(!0));
            }
            i += 1;
        }
    }
}

/// `a ^ (!b & c)` of words of which some are inverted, inverted if `out` is: by and or or, whichever fits.
#[inline(always)]
fn chi<const W: usize, O: Ops<u64, W>>(o: O, words: [O::V; 3], inverted: [bool; 3], out: bool) -> O::V {
    let [a, b, c] = words;
    if !O::INVERT {
        return o.chi(a, b, c);
    }
    let not = |v| o.xor(v, o.splat(!0));
    let or = |v, w| o.xor(o.xor(v, w), o.and(v, w));
    match (inverted[1], inverted[2], inverted[0] ^ out) {
        (false, false, false) => o.xor(a, o.andn(b, c)),
        (false, false, true) => o.xor(a, or(b, not(c))),
        (true, false, false) => o.xor(a, o.and(b, c)),
        (true, false, true) => o.xor(not(a), o.and(b, c)),
        (false, true, false) => o.xor(not(a), or(b, c)),
        (false, true, true) => o.xor(a, or(b, c)),
        (true, true, false) => o.xor(a, o.andn(c, b)),
        (true, true, true) => o.xor(a, or(not(b), c)),
    }
}

/// One round: theta, rho, pi, chi, iota (FIPS 202 section 3.2), new state from old.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
fn round<const W: usize, O: Ops<u64, W>>(o: O, a: &[O::V; 25], rc: u64) -> [O::V; 25] {
    macro_rules! column {
        ($x:literal) => {
            o.xor3(o.xor3(a[$x], a[$x + 5], a[$x + 10]), a[$x + 15], a[$x + 20])
        };
    }
    let c = [column!(0), column!(1), column!(2), column!(3), column!(4)];
    macro_rules! theta {
        ($left:literal, $right:literal) => {
            o.xor_rol1(c[$left], c[$right])
        };
    }
    let d = [theta!(4, 1), theta!(0, 2), theta!(1, 3), theta!(2, 4), theta!(3, 0)];
    // rho and pi bring word `i`, rotated left by `r`, to the place in the new row where it is named
    macro_rules! moved {
        ($i:literal, 0) => {
            o.xor(a[$i], d[$i % 5])
        };
        ($i:literal, $r:literal) => {
            o.xor_ror(a[$i], d[$i % 5], 64 - $r)
        };
    }
    macro_rules! row {
        ($y:literal: $($i:literal $r:tt),*) => {{
            let b = [$(moved!($i, $r)),*];
            let theta = const { [$(after_theta($i)),*] };
            macro_rules! word {
                ($x:literal) => {{
                    let (x, y, z) = ($x, ($x + 1) % 5, ($x + 2) % 5);
                    chi(o, [b[x], b[y], b[z]], [theta[x], theta[y], theta[z]], inverted(5 * $y + $x))
                }};
            }
            [word!(0), word!(1), word!(2), word!(3), word!(4)]
        }};
    }
    let [e0, e1, e2, e3, e4] = row!(0: 0 0, 6 44, 12 43, 18 21, 24 14);
    let [f0, f1, f2, f3, f4] = row!(1: 3 28, 9 20, 10 3, 16 45, 22 61);
    let [g0, g1, g2, g3, g4] = row!(2: 1 1, 7 6, 13 25, 19 8, 20 18);
    let [h0, h1, h2, h3, h4] = row!(3: 4 27, 5 36, 11 10, 17 15, 23 56);
    let [i0, i1, i2, i3, i4] = row!(4: 2 62, 8 55, 14 39, 15 41, 21 2);
    let e0 = o.xor(e0, o.splat(rc));
    [e0, e1, e2, e3, e4, f0, f1, f2, f3, f4, g0, g1, g2, g3, g4, h0, h1, h2, h3, h4, i0, i1, i2, i3, i4]
}

/// Rounds `from..to`; an even number of them.
#[inline(always)]
fn rounds<const W: usize, O: Ops<u64, W>>(o: O, mut a: [O::V; 25], from: usize, to: usize) -> [O::V; 25] {
    let mut r = from;
    while r < to {
        a = round(o, &a, RC[r]);
        r += 1;
        if O::TWO_ROUNDS {
            a = round(o, &a, RC[r]);
            r += 1;
        }
    }
    a
}

/// All 24 rounds on each state.
#[inline(always)]
pub fn permute<const W: usize, O: Ops<u64, W>>(o: O, s: &mut KeccakState<W>) {
    // array literals, not loops: a loop becomes a copy of the state through the stack
    macro_rules! load {
        ($($i:literal)*) => { [$(o.load(&s.0[$i])),*] };
    }
    macro_rules! store {
        ($a:ident: $($i:literal)*) => { $(o.store($a[$i], &mut s.0[$i]);)* };
    }
    let mut a = load!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
    invert(o, &mut a);
    let mut a = rounds(o, a, 0, 24);
    invert(o, &mut a);
    store!(a: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
}

/// PRF if asked for, then F iterated: x <- first N bytes of SHAKE256(PK.seed || ADRS || x), PRF under its own type of
/// address, then `steps` times with the hash address counting up.
///
/// The values stay in registers between steps. With the zero words of round 0 visible as constants and only the
/// first words of round 23 used, the compiler drops the rest of both rounds.
#[inline(always)]
pub fn chain<const W: usize, const N: usize, O: Ops<u64, W>>(o: O, c: &mut KeccakChains<W>, prf: bool, steps: u32) {
    let n = N / 8;
    let mut x = [o.load(&c.x[0]), o.load(&c.x[1]), o.load(&c.x[2]), o.load(&c.x[3])];
    let mut hash = o.load(&c.adrs[3]);
    let passes = [(u64::from(PRF) << 24, 0, 1), (0, 1 << 56, steps)];
    let mut pass = usize::from(!prf);
    while pass < passes.len() {
        let (kind, stride, steps) = passes[pass];
        let mut step = 0;
        while step < steps {
            let mut a = [o.splat(0); 25];
            let mut i = 0;
            while i < n {
                a[i] = o.load(&c.seed[i]);
                a[n + 4 + i] = x[i];
                i += 1;
            }
            a[n] = o.load(&c.adrs[0]);
            a[n + 1] = o.load(&c.adrs[1]);
            a[n + 2] = o.xor(o.load(&c.adrs[2]), o.splat(kind));
            a[n + 3] = hash;
            a[2 * n + 4] = o.splat(SHAKE_PAD);
            a[RATE_256 - 1] = o.splat(LAST_PAD);
            invert(o, &mut a);
            a = round(o, &a, RC[0]);
            a = rounds(o, a, 1, 23);
            a = round(o, &a, RC[23]);
            invert(o, &mut a);
            x = [a[0], a[1], a[2], a[3]];
            hash = o.add(hash, o.splat(stride));
            step += 1;
        }
        pass += 1;
    }
    o.store(x[0], &mut c.x[0]);
    o.store(x[1], &mut c.x[1]);
    o.store(x[2], &mut c.x[2]);
    o.store(x[3], &mut c.x[3]);
    o.store(hash, &mut c.adrs[3]);
}

/// XORs a row of little-endian words into each lane from word `at` on: whole W x W squares by transposition, what
/// remains word by word.
#[inline(always)]
pub fn absorb<const W: usize, O: Ops<u64, W>>(o: O, s: &mut KeccakState<W>, at: usize, rows: &[&[u8]; W]) {
    let words = rows[0].len() / 8;
    let mut i = 0;
    while i + W <= words {
        let mut square = [o.splat(0); W];
        for lane in 0..W {
            square[lane] = o.load_le(&rows[lane][8 * i..]);
        }
        let square = o.transpose(square);
        for j in 0..W {
            let row = &mut s.0[at + i + j];
            o.store(o.xor(square[j], o.load(row)), row);
        }
        i += W;
    }
    while i < words {
        for lane in 0..W {
            let mut word = [0; 8];
            word.copy_from_slice(&rows[lane][8 * i..8 * i + 8]);
            s.0[at + i][lane] ^= u64::from_le_bytes(word);
        }
        i += 1;
    }
}

/// Transposes the block of every lane out of the states.
#[inline(always)]
pub fn squeeze<const W: usize, O: Ops<u64, W>>(o: O, s: &KeccakState<W>, blocks: &mut [[u64; MAX_BLOCK]; W]) {
    let mut i = 0;
    while i < MAX_BLOCK {
        // the last square overlaps the one before
        let at = if i + W <= MAX_BLOCK { i } else { MAX_BLOCK - W };
        let mut square = [o.splat(0); W];
        for j in 0..W {
            square[j] = o.load(&s.0[at + j]);
        }
        let square = o.transpose(square);
        for lane in 0..W {
            if let Some(words) = blocks[lane][at..].first_chunk_mut() {
                o.store(square[lane], words);
            }
        }
        i += W;
    }
}
