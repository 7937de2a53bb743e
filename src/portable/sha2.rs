//! SHA-2 compression (FIPS 180-4 section 6), PBKDF2's iterations (RFC 8018 section 5.2) and SHA-256's F chain (FIPS 205
//! section 11.2), over any token's operations. One text serves both word sizes; what differs between them is in [`Word`].

use crate::{
    adrs::PRF,
    lanes::{Ops, Sha2Iterations, Sha2State, Sha256Chains, Word},
};

/// Round constants of the SHA-512 family (FIPS 180-4 section 4.2.3). Those of SHA-256 (section 4.2.2) are the upper
/// halves of the first 64: both are the leading fractional bits of the cube roots of the primes.
const K: [u64; 80] = [
    0x428a_2f98_d728_ae22,
    0x7137_4491_23ef_65cd,
    0xb5c0_fbcf_ec4d_3b2f,
    0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538,
    0x59f1_11f1_b605_d019,
    0x923f_82a4_af19_4f9b,
    0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242,
    0x1283_5b01_4570_6fbe,
    0x2431_85be_4ee4_b28c,
    0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f,
    0x80de_b1fe_3b16_96b1,
    0x9bdc_06a7_25c7_1235,
    0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2,
    0xefbe_4786_384f_25e3,
    0x0fc1_9dc6_8b8c_d5b5,
    0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275,
    0x4a74_84aa_6ea6_e483,
    0x5cb0_a9dc_bd41_fbd4,
    0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab,
    0xa831_c66d_2db4_3210,
    0xb003_27c8_98fb_213f,
    0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2,
    0xd5a7_9147_930a_a725,
    0x06ca_6351_e003_826f,
    0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc,
    0x2e1b_2138_5c26_c926,
    0x4d2c_6dfc_5ac4_2aed,
    0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de,
    0x766a_0abb_3c77_b2a8,
    0x81c2_c92e_47ed_aee6,
    0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364,
    0xa81a_664b_bc42_3001,
    0xc24b_8b70_d0f8_9791,
    0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218,
    0xd699_0624_5565_a910,
    0xf40e_3585_5771_202a,
    0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8,
    0x1e37_6c08_5141_ab53,
    0x2748_774c_df8e_eb99,
    0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63,
    0x4ed8_aa4a_e341_8acb,
    0x5b9c_ca4f_7763_e373,
    0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc,
    0x78a5_636f_4317_2f60,
    0x84c8_7814_a1f0_ab72,
    0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28,
    0xa450_6ceb_de82_bde9,
    0xbef9_a3f7_b2c6_7915,
    0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c,
    0xd186_b8c7_21c0_c207,
    0xeada_7dd6_cde0_eb1e,
    0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba,
    0x0a63_7dc5_a2c8_98a6,
    0x113f_9804_bef9_0dae,
    0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84,
    0x32ca_ab7b_40c7_2493,
    0x3c9e_be0a_15c9_bebc,
    0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6,
    0x597f_299c_fc65_7e2a,
    0x5fcb_6fab_3ad6_faec,
    0x6c44_198c_4a47_5817,
];

const K32: [[u32; 16]; 4] = {
    let mut k = [[0; 16]; 4];
    let mut i = 0;
    while i < 64 {
        k[i / 16][i % 16] = (K[i] >> 32) as u32;
        i += 1;
    }
    k
};

const K64: [[u64; 16]; 5] = {
    let mut k = [[0; 16]; 5];
    let mut i = 0;
    while i < 80 {
        k[i / 16][i % 16] = K[i];
        i += 1;
    }
    k
};

impl Word for u32 {
    type Block = [u8; 64];
    const ZERO_BLOCK: [u8; 64] = [0; 64];
    const BYTES: usize = 4;
    const LENGTH_BYTES: usize = 8;
    const K: &'static [[Self; 16]] = &K32;
    const BIG0: [u32; 3] = [2, 13, 22];
    const BIG1: [u32; 3] = [6, 11, 25];
    const SMALL0: [u32; 3] = [7, 18, 3];
    const SMALL1: [u32; 3] = [17, 19, 10];
    const UPPER: u32 = 0xffff_0000;
    const PAD: [u32; 2] = [0x8000_0000, 0x8000];
    #[inline(always)]
    fn to_be(self, out: &mut [u8]) {
        out.copy_from_slice(&self.to_be_bytes()[..out.len()]);
    }
    #[inline(always)]
    fn from_be(bytes: &[u8]) -> Self {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        Self::from_be_bytes(word)
    }
}

impl Word for u64 {
    type Block = [u8; 128];
    const ZERO_BLOCK: [u8; 128] = [0; 128];
    const BYTES: usize = 8;
    const LENGTH_BYTES: usize = 16;
    const K: &'static [[Self; 16]] = &K64;
    const BIG0: [u32; 3] = [28, 34, 39];
    const BIG1: [u32; 3] = [14, 18, 41];
    const SMALL0: [u32; 3] = [1, 8, 7];
    const SMALL1: [u32; 3] = [19, 61, 6];
    const UPPER: u64 = 0xffff_ffff_0000_0000;
    const PAD: [u64; 2] = [0x8000_0000_0000_0000, 0x8000_0000];
    #[inline(always)]
    fn to_be(self, out: &mut [u8]) {
        out.copy_from_slice(&self.to_be_bytes()[..out.len()]);
    }
    #[inline(always)]
    fn from_be(bytes: &[u8]) -> Self {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        Self::from_be_bytes(word)
    }
}

/// Round `j` of sixteen with `kw` = K + W. The eight variables stay in place: their names rotate instead.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
fn round<T: Word, const W: usize, O: Ops<T, W>>(o: O, v: &mut [O::V; 8], bc: &mut O::V, j: usize, kw: O::V) {
    let at = |i: usize| (i + 16 - j) % 8;
    let (a, b, c, e, f, g) = (v[at(0)], v[at(1)], v[at(2)], v[at(4)], v[at(5)], v[at(6)]);
    let sigma1 = o.xor3(o.ror(e, T::BIG1[0]), o.ror(e, T::BIG1[1]), o.ror(e, T::BIG1[2]));
    let sigma0 = o.xor3(o.ror(a, T::BIG0[0]), o.ror(a, T::BIG0[1]), o.ror(a, T::BIG0[2]));
    let t1 = o.add(o.add(o.add(v[at(7)], kw), o.ch(e, f, g)), sigma1);
    v[at(3)] = o.add(v[at(3)], t1);
    v[at(7)] = o.add(t1, o.add(sigma0, o.maj(a, b, c, bc)));
}

/// The message schedule, in place: word `j` of the window becomes the one sixteen rounds later.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
fn expand<T: Word, const W: usize, O: Ops<T, W>>(o: O, w: &mut [O::V; 16], j: usize) {
    let (x0, x1) = (w[(j + 1) % 16], w[(j + 14) % 16]);
    let sigma0 = o.xor3(o.ror(x0, T::SMALL0[0]), o.ror(x0, T::SMALL0[1]), o.shr(x0, T::SMALL0[2]));
    let sigma1 = o.xor3(o.ror(x1, T::SMALL1[0]), o.ror(x1, T::SMALL1[1]), o.shr(x1, T::SMALL1[2]));
    w[j] = o.add(o.add(w[j], sigma0), o.add(w[(j + 9) % 16], sigma1));
}

/// The given rounds of one sixteen, straight-line; `expand` first where the schedule has to move on.
macro_rules! rounds {
    ($o:ident, $v:ident, $bc:ident, $w:ident, $k:expr; $($j:literal)*) => { $(
        round($o, &mut $v, &mut $bc, $j, $o.add($w[$j], $o.splat($k[$j])));
    )* };
    (expand $o:ident, $v:ident, $bc:ident, $w:ident, $k:expr) => {
        rounds!(expand $o, $v, $bc, $w, $k; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (expand $o:ident, $v:ident, $bc:ident, $w:ident, $k:expr; $($j:literal)*) => { $(
        expand::<_, W, _>($o, &mut $w, $j);
        round($o, &mut $v, &mut $bc, $j, $o.add($w[$j], $o.splat($k[$j])));
    )* };
}

macro_rules! load {
    ($o:ident, $rows:expr; $($i:literal)*) => { [$($o.load(&$rows[$i])),*] };
}

/// One block into each state.
#[inline(always)]
pub fn compress<T: Word, const W: usize, O: Ops<T, W>>(o: O, s: &mut Sha2State<T, W>, blocks: &[T::Block; W]) {
    let mut v: [O::V; 8] = load!(o, s.0; 0 1 2 3 4 5 6 7);
    let mut w = message(o, blocks);
    let mut bc = o.xor(v[1], v[2]);
    rounds!(o, v, bc, w, T::K[0]; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    let mut i = 1;
    while i < T::K.len() {
        rounds!(expand o, v, bc, w, T::K[i]);
        i += 1;
    }
    macro_rules! feed_forward {
        ($($i:literal)*) => { $(o.store(o.add(v[$i], o.load(&s.0[$i])), &mut s.0[$i]);)* };
    }
    feed_forward!(0 1 2 3 4 5 6 7);
}

/// The only block that HMAC's inner and outer hash have after the padded key when the message is a digest of `LEN` bytes.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
fn digest_block<T: Word, const W: usize, const LEN: usize, O: Ops<T, W>>(o: O, u: &[O::V; 8]) -> [O::V; 16] {
    let whole = LEN / T::BYTES;
    let mut w = [o.splat(T::default()); 16];
    let mut i = 0;
    while i < whole {
        w[i] = u[i];
        i += 1;
    }
    // SHA-512/224 ends in the middle of a word
    w[whole] = if LEN.is_multiple_of(T::BYTES) {
        o.splat(T::PAD[0])
    } else {
        o.ch(o.splat(T::UPPER), u[whole], o.splat(T::PAD[1]))
    };
    w[15] = o.splat(T::from((8 * (16 * T::BYTES + LEN)) as u16));
    w
}

/// HMAC iterated: U <- HMAC(password, U), added up by XOR.
///
/// The digest stays in registers as the words of the next block. The first round is linear in the first of them, so all
/// else of that round is done once per key; constant words are folded as in [`chain`].
#[inline(always)]
pub fn iterate<T: Word, const W: usize, const LEN: usize, O: Ops<T, W>>(
    o: O,
    c: &mut Sha2Iterations<T, W>,
    count: u32,
) {
    let zero = o.splat(T::default());
    let mut first = [[zero; 8]; 2];
    let mut pass = 0;
    while pass < 2 {
        let mut v: [O::V; 8] = load!(o, c.keys[pass]; 0 1 2 3 4 5 6 7);
        let mut bc = o.xor(v[1], v[2]);
        round(o, &mut v, &mut bc, 0, o.splat(T::K[0][0]));
        first[pass] = v;
        pass += 1;
    }
    let mut u: [O::V; 8] = load!(o, c.u; 0 1 2 3 4 5 6 7);
    let mut n = 0;
    while n < count {
        let mut pass = 0;
        while pass < 2 {
            let mut w = digest_block::<T, W, LEN, O>(o, &u);
            let mut v = first[pass];
            let mut bc = o.xor(v[0], v[1]);
            (v[3], v[7]) = (o.add(v[3], w[0]), o.add(v[7], w[0]));
            rounds!(o, v, bc, w, T::K[0]; 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            rounds!(expand o, v, bc, w, T::K[1]);
            let mut r = 2;
            while r < T::K.len() {
                rounds!(expand o, v, bc, w, T::K[r]);
                r += 1;
            }
            let mut i = 0;
            while i < LEN.div_ceil(T::BYTES) {
                u[i] = o.add(v[i], o.load(&c.keys[pass][i]));
                i += 1;
            }
            pass += 1;
        }
        let mut i = 0;
        while i < LEN.div_ceil(T::BYTES) {
            o.store(o.xor(u[i], o.load(&c.sum[i])), &mut c.sum[i]);
            i += 1;
        }
        n += 1;
    }
    macro_rules! store {
        ($($i:literal)*) => { $(o.store(u[$i], &mut c.u[$i]);)* };
    }
    store!(0 1 2 3 4 5 6 7);
}

/// PRF if asked for, then F iterated: x <- first N bytes of SHA-256(PK.seed || 0.. || ADRSc || x), PRF under its own
/// type of address, then `steps` times with the hash address counting up.
///
/// The values stay in registers between steps. The first five words of the block do not change along a chain, so
/// their rounds run once; the words after x are constants, which the compiler folds into the schedule by itself
/// because the first 32 rounds are straight-line.
#[inline(always)]
pub fn chain<const W: usize, const N: usize, O: Ops<u32, W>>(o: O, c: &mut Sha256Chains<W>, prf: bool, steps: u32) {
    let n = N / 4;
    let mut hash = o.load(&c.hash[0]);
    let mut x: [O::V; 8] = load!(o, c.x; 0 1 2 3 4 5 6 7);
    let upper = o.splat(u32::UPPER);
    let passes = [(PRF << 16, 0, 1), (0, 1 << 16, steps)];
    let mut pass = usize::from(!prf);
    while pass < passes.len() {
        let (kind, stride, steps) = passes[pass];
        let mut adrs: [O::V; 5] = load!(o, c.adrs; 0 1 2 3 4);
        adrs[2] = o.xor(adrs[2], o.splat(kind));
        let mut v5: [O::V; 8] = load!(o, c.mid; 0 1 2 3 4 5 6 7);
        let mut bc5 = o.xor(v5[1], v5[2]);
        rounds!(o, v5, bc5, adrs, K32[0]; 0 1 2 3 4);

        let mut step = 0;
        while step < steps {
            let mut w = [o.splat(0); 16];
            (w[0], w[1], w[2], w[3], w[4]) = (adrs[0], adrs[1], adrs[2], adrs[3], adrs[4]);
            // ADRSc is 22 bytes, so every word of x straddles two words of the block
            let mut before = hash;
            let mut i = 0;
            while i < n {
                let turned = o.ror(x[i], 16);
                w[5 + i] = o.ch(upper, before, turned);
                before = turned;
                i += 1;
            }
            w[5 + n] = o.ch(upper, before, o.splat(0x8000));
            w[15] = o.splat(8 * (64 + 22 + N as u32));

            let (mut v, mut bc) = (v5, bc5);
            rounds!(o, v, bc, w, K32[0]; 5 6 7 8 9 10 11 12 13 14 15);
            rounds!(expand o, v, bc, w, K32[1]);
            let mut r = 2;
            while r < K32.len() {
                rounds!(expand o, v, bc, w, K32[r]);
                r += 1;
            }
            let mut i = 0;
            while i < n {
                x[i] = o.add(v[i], o.load(&c.mid[i]));
                i += 1;
            }
            hash = o.add(hash, o.splat(stride));
            step += 1;
        }
        pass += 1;
    }
    macro_rules! store {
        ($($i:literal)*) => { $(o.store(x[$i], &mut c.x[$i]);)* };
    }
    store!(0 1 2 3 4 5 6 7);
    o.store(hash, &mut c.hash[0]);
}

/// Reads one block per lane as big-endian words, by W x W transpositions.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
fn message<T: Word, const W: usize, O: Ops<T, W>>(o: O, blocks: &[T::Block; W]) -> [O::V; 16] {
    let mut words = [o.splat(T::default()); 16];
    let mut i = 0;
    while i < 16 {
        let mut square = [o.splat(T::default()); W];
        for lane in 0..W {
            square[lane] = o.swap_bytes(o.load_le(&blocks[lane].as_ref()[i * T::BYTES..]));
        }
        let square = o.transpose(square);
        for j in 0..W {
            words[i + j] = square[j];
        }
        i += W;
    }
    words
}
