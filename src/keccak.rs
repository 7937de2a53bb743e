//! SHA-3 and SHAKE (FIPS 202) on Keccak lanes: incremental, many messages, SLH-DSA's tweakable hashes and chains.

mod stream;

use core::{fmt, marker::PhantomData, ops::Range};

use digest::{
    ExtendableOutput, FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, XofReader,
    block_api::BlockSizeUser,
    typenum::{U28, U32, U48, U64, U72, U104, U136, U144, U168},
};

use crate::{
    adrs::Adrs,
    count,
    engine::{Choice, Engine, KeccakKernel, Pair},
    error::Error,
    hash::{Chain, Chains, Hash, Incremental, Start, Tweak, output_len},
    lanes::{ChainLanes, Items, KeccakChains, KeccakJob, KeccakLanes, KeccakState},
    schedule::{ChainJob, HashJob, TweakJob, shared},
    secret::wipe,
};

mod keyed;
pub use stream::{Stream, stream_many};
pub(crate) use stream::{abreast, side_by_side};

/// Bytes of the largest block, SHAKE128's.
const MAX_RATE: usize = 168;
const ZEROS: [u8; MAX_RATE] = [0; MAX_RATE];

/// One row of FIPS 202's table: a rate, a domain, an output length.
pub trait Variant: Copy + Send + Sync + 'static {
    /// The standard's name.
    const NAME: &'static str;
    /// Bytes per block.
    const RATE: usize;
    /// Domain bits and first padding bit (sections 6.1, 6.2, B.2).
    const PAD: u8;
    /// Bytes of the digest, `None` for SHAKE.
    const DIGEST_LEN: Option<usize>;
    /// `RATE` as a type.
    type Rate: digest::array::ArraySize;
}

/// A variant with a digest of fixed length.
pub trait Fixed: Variant {
    /// Bytes of the digest as a type.
    type Len: digest::array::ArraySize;
    /// `Len` as a number.
    const LEN: usize;
}

/// A variant with output of any length.
pub trait Extendable: Variant {}

macro_rules! variants {
    ($($(#[$doc:meta])* $name:ident = $title:literal, $rate:literal $rate_type:ty, $pad:literal, $len:expr;)*) => { $(
        $(#[$doc])*
        pub type $name = Sponge<variant::$name>;
        impl Variant for variant::$name {
            const NAME: &'static str = $title;
            const RATE: usize = $rate;
            const PAD: u8 = $pad;
            const DIGEST_LEN: Option<usize> = $len;
            type Rate = $rate_type;
        }
    )*
        /// The rows of FIPS 202 as types.
        pub mod variant {
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub struct $name;
            )*
        }
    };
}
variants! {
    /// SHA3-224 (FIPS 202 section 6.1): 28-byte digest.
    Sha3_224 = "SHA3-224", 144 U144, 0x06, Some(28);
    /// SHA3-256 (FIPS 202 section 6.1): 32-byte digest.
    Sha3_256 = "SHA3-256", 136 U136, 0x06, Some(32);
    /// SHA3-384 (FIPS 202 section 6.1): 48-byte digest.
    Sha3_384 = "SHA3-384", 104 U104, 0x06, Some(48);
    /// SHA3-512 (FIPS 202 section 6.1): 64-byte digest.
    Sha3_512 = "SHA3-512", 72 U72, 0x06, Some(64);
    /// SHAKE128 (FIPS 202 section 6.2): output of any length.
    Shake128 = "SHAKE128", 168 U168, 0x1f, None;
    /// SHAKE256 (FIPS 202 section 6.2): output of any length.
    Shake256 = "SHAKE256", 136 U136, 0x1f, None;
}
impl Fixed for variant::Sha3_224 {
    type Len = U28;
    const LEN: usize = 28;
}
impl Fixed for variant::Sha3_256 {
    type Len = U32;
    const LEN: usize = 32;
}
impl Fixed for variant::Sha3_384 {
    type Len = U48;
    const LEN: usize = 48;
}
impl Fixed for variant::Sha3_512 {
    type Len = U64;
    const LEN: usize = 64;
}
impl Extendable for variant::Shake128 {}
impl Extendable for variant::Shake256 {}

/// A SHA-3 or SHAKE function on an engine's Keccak lanes; use the aliases, e.g. [`Sha3_256`].
#[derive(Clone, Copy, Debug)]
pub struct Sponge<V> {
    lanes: Pair<KeccakKernel>,
    variant: PhantomData<V>,
}

impl<V: Variant> Hash for Sponge<V> {
    const NAME: &'static str = V::NAME;
    const BLOCK_LEN: usize = V::RATE;
    const DIGEST_LEN: Option<usize> = V::DIGEST_LEN;
    type Hasher = SpongeHasher<V>;

    fn on(engine: &Engine) -> Self {
        Self { lanes: engine.keccak, variant: PhantomData }
    }

    fn choice(&self) -> Choice {
        self.lanes.choice()
    }

    fn hasher(&self) -> SpongeHasher<V> {
        SpongeHasher { lanes: self.lanes, state: [0; 25], block: ZEROS, filled: 0, variant: PhantomData }
    }

    fn hash_many(&self, msgs: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        self.hash_many_from(&[[0; 25]], msgs, out)
    }
}

impl<V: Variant> Sponge<V> {
    /// What follows on the blocks that have led to `states`.
    fn hash_many_from(&self, states: &[[u64; 25]], msgs: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        let out_len = output_len::<Self>(msgs.len(), out.len())?;
        count::keccak(|| msgs.iter().map(|msg| msg.len() / V::RATE + out_len.div_ceil(V::RATE).max(1)).sum());
        let job = HashJob::new(msgs, out, out_len);
        hash_many(&self.lanes, SpongeMany { job, states, rate: V::RATE, pad: V::PAD });
        Ok(())
    }
}

/// A message being absorbed.
#[derive(Clone)]
pub struct SpongeHasher<V> {
    lanes: Pair<KeccakKernel>,
    state: [u64; 25],
    block: [u8; MAX_RATE],
    filled: usize,
    variant: PhantomData<V>,
}

// Blocks and states are worked on where they stand: a copy, or a value that is moved, would leave bytes behind that
// nobody wipes.
impl<V: Variant> SpongeHasher<V> {
    fn absorb(&mut self, data: &[u8]) {
        count::keccak(|| data.len() / V::RATE);
        absorb(&self.lanes, AbsorbJob { state: &mut self.state, data, rate: V::RATE });
    }

    fn absorb_block(&mut self) {
        count::keccak(|| 1);
        absorb(&self.lanes, AbsorbJob { state: &mut self.state, data: &self.block[..V::RATE], rate: V::RATE });
    }

    /// Pads (FIPS 202 section 5.1) and absorbs what is left.
    fn pad(&mut self) {
        self.block[self.filled..V::RATE].fill(0);
        self.block[self.filled] ^= V::PAD;
        self.block[V::RATE - 1] ^= 0x80;
        self.absorb_block();
    }
}

impl<V: Variant> Incremental for SpongeHasher<V> {
    fn update(&mut self, mut data: &[u8]) {
        if self.filled > 0 {
            let take = data.len().min(V::RATE - self.filled);
            self.block[self.filled..self.filled + take].copy_from_slice(&data[..take]);
            self.filled += take;
            data = &data[take..];
            if self.filled < V::RATE {
                return;
            }
            self.absorb_block();
        }
        let whole = data.len() / V::RATE * V::RATE;
        if whole > 0 {
            self.absorb(&data[..whole]);
        }
        self.filled = data.len() - whole;
        self.block[..self.filled].copy_from_slice(&data[whole..]);
    }

    fn finish(mut self, out: &mut [u8]) {
        self.pad();
        squeeze::<V>(&self.lanes, &mut self.state, &mut 0, out);
    }
}

impl<V> Drop for SpongeHasher<V> {
    fn drop(&mut self) {
        wipe(&mut self.state);
        wipe(&mut self.block);
    }
}

impl<V: Variant> fmt::Debug for SpongeHasher<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hasher", V::NAME)
    }
}

/// The output of a sponge, read piece by piece.
#[derive(Clone)]
pub struct SpongeReader<V> {
    lanes: Pair<KeccakKernel>,
    state: [u64; 25],
    /// Bytes of the current block that have been read.
    read: usize,
    variant: PhantomData<V>,
}

/// Output of a padded state, from which `read` bytes of the current block have been read.
fn squeeze<V: Variant>(lanes: &Pair<KeccakKernel>, state: &mut [u64; 25], read: &mut usize, out: &mut [u8]) {
    for byte in out {
        if *read == V::RATE {
            count::keccak(|| 1);
            absorb(lanes, AbsorbJob { state, data: &ZEROS[..V::RATE], rate: V::RATE });
            *read = 0;
        }
        *byte = state[*read / 8].to_le_bytes()[*read % 8];
        *read += 1;
    }
}

impl<V> Drop for SpongeReader<V> {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl<V: Variant> fmt::Debug for SpongeReader<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} reader", V::NAME)
    }
}

// The digest crate's traits, for users who are generic over them.

impl<V: Variant> Default for SpongeHasher<V> {
    /// A hasher on the fastest engine for this CPU.
    fn default() -> Self {
        Sponge::on(&Engine::get()).hasher()
    }
}

impl<V: Variant> HashMarker for SpongeHasher<V> {}

impl<V: Variant> BlockSizeUser for SpongeHasher<V> {
    type BlockSize = V::Rate;
}

impl<V: Variant> digest::Update for SpongeHasher<V> {
    fn update(&mut self, data: &[u8]) {
        Incremental::update(self, data);
    }
}

impl<V: Variant> Reset for SpongeHasher<V> {
    fn reset(&mut self) {
        *self = Sponge { lanes: self.lanes, variant: self.variant }.hasher();
    }
}

impl<V: Fixed> OutputSizeUser for SpongeHasher<V> {
    type OutputSize = V::Len;
}

impl<V: Fixed> FixedOutput for SpongeHasher<V> {
    fn finalize_into(self, out: &mut Output<Self>) {
        self.finish(out);
    }
}

impl<V: Fixed> FixedOutputReset for SpongeHasher<V> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        self.clone().finish(out);
        self.reset();
    }
}

impl<V: Extendable> ExtendableOutput for SpongeHasher<V> {
    type Reader = SpongeReader<V>;
    fn finalize_xof(mut self) -> SpongeReader<V> {
        self.pad();
        SpongeReader { lanes: self.lanes, state: self.state, read: 0, variant: PhantomData }
    }
}

impl<V: Extendable> XofReader for SpongeReader<V> {
    fn read(&mut self, out: &mut [u8]) {
        squeeze::<V>(&self.lanes, &mut self.state, &mut self.read, out);
    }
}

impl<V> zeroize::ZeroizeOnDrop for SpongeHasher<V> {}
impl<V> zeroize::ZeroizeOnDrop for SpongeReader<V> {}

// Not generic over the variant, so that jobs are compiled for all backends once, in this crate.

fn absorb(lanes: &Pair<KeccakKernel>, job: AbsorbJob<'_>) {
    lanes.run(job);
}

fn hash_many(lanes: &Pair<KeccakKernel>, job: SpongeMany<'_>) {
    lanes.run(job);
}

/// Whole blocks into one state.
struct AbsorbJob<'a> {
    state: &'a mut [u64; 25],
    data: &'a [u8],
    rate: usize,
}

impl Items for AbsorbJob<'_> {
    fn len(&self) -> usize {
        1
    }
}

impl KeccakJob for AbsorbJob<'_> {
    #[inline(always)]
    fn run<const W: usize, K: KeccakLanes<W>>(&mut self, k: K, _: Range<usize>) {
        let mut s = KeccakState::<W>::new();
        for (row, word) in s.0.iter_mut().zip(&*self.state) {
            row[0] = *word;
        }
        for block in self.data.chunks_exact(self.rate) {
            let mut rows = [&ZEROS[..self.rate]; W];
            rows[0] = block;
            k.absorb(&mut s, 0, &rows);
            k.permute(&mut s);
        }
        for (row, word) in s.0.iter().zip(&mut *self.state) {
            *word = row[0];
        }
    }
}

/// Many messages, refilling each lane when its output is complete.
struct SpongeMany<'a> {
    job: HashJob<'a>,
    /// What the messages begin from.
    states: &'a [[u64; 25]],
    rate: usize,
    pad: u8,
}

/// Where a lane of [`SpongeMany`] is.
#[derive(Clone, Copy)]
struct Progress {
    item: Option<usize>,
    /// Bytes of the message absorbed; `None` once the padding has been.
    absorbed: Option<usize>,
    squeezed: usize,
}

impl Items for SpongeMany<'_> {
    fn len(&self) -> usize {
        self.job.msgs.len()
    }
}

impl KeccakJob for SpongeMany<'_> {
    #[inline(always)]
    fn run<const W: usize, K: KeccakLanes<W>>(&mut self, k: K, mut items: Range<usize>) {
        let rate = self.rate;
        let mut s = KeccakState::<W>::new();
        let mut last = [ZEROS; W];
        let mut lanes = [Progress { item: None, absorbed: None, squeezed: 0 }; W];
        loop {
            let mut rows = [&ZEROS[..rate]; W];
            let mut busy = false;
            for (i, (lane, last)) in lanes.iter_mut().zip(&mut last).enumerate() {
                if lane.item.is_none() {
                    let item = items.next().map(|place| self.job.order.at(place));
                    for j in 0..25 {
                        s.0[j][i] = item.map_or(0, |item| shared(self.states, self.job.msgs.len(), item)[j]);
                    }
                    if item.is_none() {
                        continue;
                    }
                    *lane = Progress { item, absorbed: Some(0), squeezed: 0 };
                }
                busy = true;
                if let (Some(item), Some(absorbed)) = (lane.item, lane.absorbed) {
                    let rest = &self.job.msgs[item][absorbed..];
                    if let Some(block) = rest.get(..rate) {
                        rows[i] = block;
                        lane.absorbed = Some(absorbed + rate);
                    } else {
                        last.fill(0);
                        last[..rest.len()].copy_from_slice(rest);
                        last[rest.len()] = self.pad;
                        last[rate - 1] ^= 0x80;
                        rows[i] = &last[..rate];
                        lane.absorbed = None;
                    }
                }
            }
            if !busy {
                break;
            }
            k.absorb(&mut s, 0, &rows);
            k.permute(&mut s);
            for (i, lane) in lanes.iter_mut().enumerate() {
                let (Some(item), None) = (lane.item, lane.absorbed) else { continue };
                let out = &mut self.job.output(item)[lane.squeezed..];
                let take = out.len().min(rate);
                for (row, bytes) in s.0.iter().zip(out[..take].chunks_mut(8)) {
                    bytes.copy_from_slice(&row[i].to_le_bytes()[..bytes.len()]);
                }
                lane.squeezed += take;
                if take == out.len() {
                    lane.item = None;
                }
            }
        }
        wipe(last.as_flattened_mut());
    }
}

/// PK.seed as little-endian words.
pub type SeedWords = [u64; 4];

fn words<const M: usize>(bytes: &[u8]) -> [u64; M] {
    let mut out = [0; M];
    for (word, chunk) in out.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*chunk);
    }
    out
}

impl Tweak for Shake256 {
    type Prefix = SeedWords;

    fn prefix(&self, pk_seed: &[u8]) -> SeedWords {
        words(pk_seed)
    }

    fn tweak_many<const N: usize>(
        &self,
        prefixes: &[SeedWords],
        adrs: &[Adrs],
        nodes: &[[u8; N]],
        out: &mut [[u8; N]],
    ) {
        let len = || N + 32 + nodes.as_flattened().len() / adrs.len().max(1);
        count::keccak(|| adrs.len() * (len() / variant::Shake256::RATE + 1));
        self.lanes.run(TweakJob::new(prefixes, adrs, nodes, out));
    }
}

impl<const N: usize> KeccakJob for TweakJob<'_, SeedWords, N> {
    #[inline(always)]
    fn run<const W: usize, K: KeccakLanes<W>>(&mut self, k: K, items: Range<usize>) {
        const RATE: usize = variant::Shake256::RATE;
        let head = N + 32;
        let mut s = KeccakState::<W>::new();
        for first in items.clone().step_by(W) {
            s.0 = [[0; W]; 25];
            let group = first..items.end.min(first + W);
            let mut bodies = [&[][..]; W];
            for (lane, i) in group.clone().enumerate() {
                for (row, word) in s.0.iter_mut().zip(&self.prefix(i)[..N / 8]) {
                    row[lane] = *word;
                }
                for (row, word) in s.0[N / 8..].iter_mut().zip(self.adrs[i].words64()) {
                    row[lane] = word;
                }
                bodies[lane] = self.body(i).as_flattened();
            }
            // idle lanes repeat the first one's public length over zeros
            let len = bodies[0].len();
            let (mut at, mut done) = (head, 0);
            loop {
                let take = (RATE - at).min(len - done);
                let mut rows = [&ZEROS[..take]; W];
                for (row, body) in rows.iter_mut().zip(bodies).take(group.len()) {
                    *row = &body[done..done + take];
                }
                k.absorb(&mut s, at / 8, &rows);
                (at, done) = (at + take, done + take);
                if at < RATE {
                    break;
                }
                k.permute(&mut s);
                at = 0;
            }
            for lane in 0..group.len() {
                s.0[at / 8][lane] ^= u64::from(variant::Shake256::PAD);
                s.0[RATE / 8 - 1][lane] ^= 1 << 63;
            }
            k.permute(&mut s);
            for (lane, i) in group.enumerate() {
                for (row, bytes) in s.0.iter().zip(self.out[i].as_chunks_mut().0) {
                    *bytes = row[lane].to_le_bytes();
                }
            }
        }
    }
}

impl Chains for Shake256 {
    fn chain_many<const N: usize>(
        &self,
        prefixes: &[SeedWords],
        chains: &[Chain],
        start: Start<'_, N>,
        nodes: &mut [[u8; N]],
    ) {
        count::keccak(|| count::steps(chains, start));
        self.lanes.run(ChainJob::new(prefixes, chains, start, nodes));
    }
}

impl<const N: usize> KeccakJob for ChainJob<'_, SeedWords, N> {
    #[inline(always)]
    fn run<const W: usize, K: KeccakLanes<W>>(&mut self, k: K, items: Range<usize>) {
        self.drive::<W, _>(&mut KeccakChains::<W>::new(), items, |c, prf, steps| k.chain::<N>(c, prf, steps));
    }
}

impl<const W: usize, const N: usize> ChainLanes<N> for KeccakChains<W> {
    type Prefix = SeedWords;

    #[inline(always)]
    fn set_prefix(&mut self, lane: usize, prefix: &SeedWords) {
        for i in 0..4 {
            self.seed[i][lane] = prefix[i];
        }
    }

    #[inline(always)]
    fn set_adrs(&mut self, lane: usize, adrs: &Adrs) {
        let words = adrs.words64();
        for i in 0..4 {
            self.adrs[i][lane] = words[i];
        }
    }

    #[inline(always)]
    fn set_values(&mut self, x: &[u8; N]) {
        for (row, bytes) in self.x.iter_mut().zip(x.as_chunks().0) {
            *row = [u64::from_le_bytes(*bytes); W];
        }
    }

    #[inline(always)]
    fn set_value(&mut self, lane: usize, x: &[u8; N]) {
        for (row, bytes) in self.x.iter_mut().zip(x.as_chunks().0) {
            row[lane] = u64::from_le_bytes(*bytes);
        }
    }

    #[inline(always)]
    fn value(&self, lane: usize, x: &mut [u8; N]) {
        for (row, bytes) in self.x.iter().zip(x.as_chunks_mut().0) {
            *bytes = row[lane].to_le_bytes();
        }
    }
}
