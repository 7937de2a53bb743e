//! SHA-2 (FIPS 180-4) on SHA-256 and SHA-512 lanes: incremental, many messages, SLH-DSA's tweakable hashes and chains.

use core::{fmt, marker::PhantomData, ops::Range};

use digest::{
    FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset,
    block_api::BlockSizeUser,
    typenum::{U28, U32, U48, U64, U128},
};

use crate::{
    adrs::Adrs,
    count,
    engine::{Choice, Engine},
    error::Error,
    hash::{Chain, Chains, Hash, Incremental, Start, Tweak, output_len},
    lanes::{ChainLanes, Items, Sha2Job, Sha2Lanes, Sha2State, Sha256Chains, Sha256Job, Sha256Lanes, Word},
    schedule::{ChainJob, HashJob, IterateJob, TweakJob, shared},
    secret::wipe,
};

mod keyed;

pub use keyed::BeginJob;
use keyed::Iterate;

/// One function of FIPS 180-4: a word size, an initial value, a truncation.
pub trait Variant: Copy + Send + Sync + 'static {
    /// The standard's name.
    const NAME: &'static str;
    /// Initial hash value (section 5.3).
    const INIT: [Self::Word; 8];
    /// Bytes of the digest.
    const LEN: usize;
    /// Word size.
    type Word: OnEngine;
    /// Bytes of a block as a type.
    type BlockLen: digest::array::ArraySize;
    /// `LEN` as a type.
    type Len: digest::array::ArraySize;
}

macro_rules! variants {
    ($($(#[$doc:meta])* $name:ident = $title:literal, $word:ty, $block:ty, $len:literal $len_type:ty, $init:expr;)*) => { $(
        $(#[$doc])*
        pub type $name = Sha2<variant::$name>;
        impl Variant for variant::$name {
            const NAME: &'static str = $title;
            const INIT: [$word; 8] = $init;
            const LEN: usize = $len;
            type Word = $word;
            type BlockLen = $block;
            type Len = $len_type;
        }
    )*
        /// The functions of FIPS 180-4 as types.
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
    /// SHA-224 (FIPS 180-4 section 6.3): 28-byte digest.
    Sha224 = "SHA2-224", u32, U64, 28 U28, [
        0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
    ];
    /// SHA-256 (FIPS 180-4 section 6.2): 32-byte digest.
    Sha256 = "SHA2-256", u32, U64, 32 U32, [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ];
    /// SHA-384 (FIPS 180-4 section 6.5): 48-byte digest.
    Sha384 = "SHA2-384", u64, U128, 48 U48, [
        0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939,
        0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
    ];
    /// SHA-512 (FIPS 180-4 section 6.4): 64-byte digest.
    Sha512 = "SHA2-512", u64, U128, 64 U64, [
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ];
    /// SHA-512/224 (FIPS 180-4 section 6.6): 28-byte digest.
    Sha512_224 = "SHA2-512/224", u64, U128, 28 U28, [
        0x8c3d_37c8_1954_4da2, 0x73e1_9966_89dc_d4d6, 0x1dfa_b7ae_32ff_9c82, 0x679d_d514_582f_9fcf,
        0x0f6d_2b69_7bd4_4da8, 0x77e3_6f73_04c4_8942, 0x3f9d_85a8_6a1d_36c8, 0x1112_e6ad_91d6_92a1,
    ];
    /// SHA-512/256 (FIPS 180-4 section 6.7): 32-byte digest.
    Sha512_256 = "SHA2-512/256", u64, U128, 32 U32, [
        0x2231_2194_fc2b_f72c, 0x9f55_5fa3_c84c_64c2, 0x2393_b86b_6f53_b151, 0x9638_7719_5940_eabd,
        0x9628_3ee2_a88e_ffe3, 0xbe5e_1e25_5386_3992, 0x2b01_99fc_2c85_b8aa, 0x0eb7_2ddc_81c5_2ca2,
    ];
}

/// Where an engine runs a word size. No function is generic over what users choose, so that jobs are compiled for all
/// backends once, in this crate.
pub trait OnEngine: Word {
    /// The engine's choice for it.
    fn choice(engine: &Engine) -> Choice;
    /// Whole blocks into one state.
    fn compress(engine: &Engine, job: CompressJob<'_, Self>);
    /// Many messages.
    fn hash_many(engine: &Engine, job: Sha2Many<'_, Self>);
    /// Whole blocks, one after the same state.
    fn begin_many(engine: &Engine, job: BeginJob<'_, Self>);
    /// PBKDF2's iterations with digests of `len` bytes.
    fn iterate_many(engine: &Engine, job: IterateJob<'_, [Self; 8]>);
    /// Tweakable hashes.
    fn tweak_many<const N: usize>(engine: &Engine, job: TweakJob<'_, [Self; 8], N>);
}

impl OnEngine for u32 {
    fn choice(engine: &Engine) -> Choice {
        engine.sha256()
    }
    fn compress(engine: &Engine, job: CompressJob<'_, Self>) {
        engine.sha256.run(job);
    }
    fn hash_many(engine: &Engine, job: Sha2Many<'_, Self>) {
        engine.sha256.run(job);
    }
    fn begin_many(engine: &Engine, job: BeginJob<'_, Self>) {
        engine.sha256.run(job);
    }
    fn iterate_many(engine: &Engine, job: IterateJob<'_, [Self; 8]>) {
        match job.len {
            28 => engine.sha256.run(Iterate::<u32, 28>(job)),
            _ => engine.sha256.run(Iterate::<u32, 32>(job)),
        }
    }
    fn tweak_many<const N: usize>(engine: &Engine, job: TweakJob<'_, [Self; 8], N>) {
        engine.sha256.run(job);
    }
}

impl OnEngine for u64 {
    fn choice(engine: &Engine) -> Choice {
        engine.sha512()
    }
    fn compress(engine: &Engine, job: CompressJob<'_, Self>) {
        engine.sha512.run(job);
    }
    fn hash_many(engine: &Engine, job: Sha2Many<'_, Self>) {
        engine.sha512.run(job);
    }
    fn begin_many(engine: &Engine, job: BeginJob<'_, Self>) {
        engine.sha512.run(job);
    }
    fn iterate_many(engine: &Engine, job: IterateJob<'_, [Self; 8]>) {
        match job.len {
            28 => engine.sha512.run(Iterate::<u64, 28>(job)),
            32 => engine.sha512.run(Iterate::<u64, 32>(job)),
            48 => engine.sha512.run(Iterate::<u64, 48>(job)),
            _ => engine.sha512.run(Iterate::<u64, 64>(job)),
        }
    }
    fn tweak_many<const N: usize>(engine: &Engine, job: TweakJob<'_, [Self; 8], N>) {
        engine.sha512.run(job);
    }
}

const fn block_len<T: Word>() -> usize {
    16 * T::BYTES
}

/// A SHA-2 function on an engine's lanes; use the aliases, e.g. [`Sha256`].
#[derive(Clone, Copy, Debug)]
pub struct Sha2<V> {
    engine: Engine,
    variant: PhantomData<V>,
}

impl<V: Variant> Hash for Sha2<V> {
    const NAME: &'static str = V::NAME;
    const BLOCK_LEN: usize = block_len::<V::Word>();
    const DIGEST_LEN: Option<usize> = Some(V::LEN);
    type Hasher = Sha2Hasher<V>;

    fn on(engine: &Engine) -> Self {
        Self { engine: *engine, variant: PhantomData }
    }

    fn choice(&self) -> Choice {
        V::Word::choice(&self.engine)
    }

    fn hasher(&self) -> Sha2Hasher<V> {
        Sha2Hasher { engine: self.engine, state: V::INIT, block: V::Word::ZERO_BLOCK, filled: 0, length: 0 }
    }

    fn hash_many(&self, msgs: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        self.hash_many_from(&[V::INIT], 0, msgs, out)
    }
}

impl<V: Variant> Sha2<V> {
    /// Messages after `before` bytes that have led to `states`.
    fn hash_many_from(
        &self,
        states: &[[V::Word; 8]],
        before: usize,
        msgs: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let out_len = output_len::<Self>(msgs.len(), out.len())?;
        count::sha2::<V::Word>(|| msgs.iter().map(|msg| padded_blocks::<V::Word>(msg.len())).sum());
        V::Word::hash_many(&self.engine, Sha2Many { job: HashJob::new(msgs, out, out_len), states, before });
        Ok(())
    }
}

/// A message being hashed.
#[derive(Clone)]
pub struct Sha2Hasher<V: Variant> {
    engine: Engine,
    state: [V::Word; 8],
    block: <V::Word as Word>::Block,
    filled: usize,
    /// Bytes so far.
    length: u128,
}

impl<V: Variant> Sha2Hasher<V> {
    fn compress(&mut self, data: &[u8]) {
        count::sha2::<V::Word>(|| data.len() / block_len::<V::Word>());
        V::Word::compress(&self.engine, CompressJob { state: &mut self.state, data });
    }
}

impl<V: Variant> Incremental for Sha2Hasher<V> {
    fn update(&mut self, mut data: &[u8]) {
        let block_len = block_len::<V::Word>();
        self.length += data.len() as u128;
        if self.filled > 0 {
            let take = data.len().min(block_len - self.filled);
            self.block.as_mut()[self.filled..self.filled + take].copy_from_slice(&data[..take]);
            self.filled += take;
            data = &data[take..];
            if self.filled < block_len {
                return;
            }
            // where it stands: nobody would wipe a copy
            count::sha2::<V::Word>(|| 1);
            V::Word::compress(&self.engine, CompressJob { state: &mut self.state, data: self.block.as_ref() });
        }
        let whole = data.len() / block_len * block_len;
        if whole > 0 {
            self.compress(&data[..whole]);
        }
        self.filled = data.len() - whole;
        self.block.as_mut()[..self.filled].copy_from_slice(&data[whole..]);
    }

    fn finish(mut self, out: &mut [u8]) {
        let mut last = V::Word::ZERO_BLOCK;
        for i in 0..padded_blocks::<V::Word>(self.filled) {
            fill_block::<V::Word>(&[], &self.block.as_ref()[..self.filled], i, self.length, &mut last);
            self.compress(last.as_ref());
        }
        wipe(last.as_mut());
        for (word, bytes) in self.state.iter().zip(out.chunks_mut(V::Word::BYTES)) {
            word.to_be(bytes);
        }
    }
}

impl<V: Variant> Drop for Sha2Hasher<V> {
    fn drop(&mut self) {
        wipe(&mut self.state);
        wipe(self.block.as_mut());
    }
}

impl<V: Variant> fmt::Debug for Sha2Hasher<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hasher", V::NAME)
    }
}

// The digest crate's traits, for users who are generic over them.

impl<V: Variant> Default for Sha2Hasher<V> {
    /// A hasher on the fastest engine for this CPU.
    fn default() -> Self {
        Sha2::on(&Engine::get()).hasher()
    }
}

impl<V: Variant> HashMarker for Sha2Hasher<V> {}

impl<V: Variant> BlockSizeUser for Sha2Hasher<V> {
    type BlockSize = V::BlockLen;
}

impl<V: Variant> OutputSizeUser for Sha2Hasher<V> {
    type OutputSize = V::Len;
}

impl<V: Variant> digest::Update for Sha2Hasher<V> {
    fn update(&mut self, data: &[u8]) {
        Incremental::update(self, data);
    }
}

impl<V: Variant> Reset for Sha2Hasher<V> {
    fn reset(&mut self) {
        *self = Sha2::on(&self.engine).hasher();
    }
}

impl<V: Variant> FixedOutput for Sha2Hasher<V> {
    fn finalize_into(self, out: &mut Output<Self>) {
        self.finish(out);
    }
}

impl<V: Variant> FixedOutputReset for Sha2Hasher<V> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        self.clone().finish(out);
        self.reset();
    }
}

impl<V: Variant> zeroize::ZeroizeOnDrop for Sha2Hasher<V> {}

/// Blocks that a message's last `rest` bytes and its padding make: at least the bit 1 and the length (section 5.1).
const fn padded_blocks<T: Word>(rest: usize) -> usize {
    (rest + 1 + T::LENGTH_BYTES).div_ceil(block_len::<T>())
}

/// Block `i` of the padded message that ends in `head || body` and has `total` bytes in all (section 5.1). `total`
/// counts what was hashed before, whole blocks.
fn fill_block<T: Word>(head: &[u8], body: &[u8], i: usize, total: u128, block: &mut T::Block) {
    let block = block.as_mut();
    let start = i * block.len();
    block.fill(0);
    let mut at = 0;
    for part in [head, body, &[0x80]] {
        // the stretch of this part that falls into [start, start + block.len())
        let from = start.max(at) - at;
        let to = (start + block.len()).max(at).min(at + part.len()) - at;
        if from < to {
            block[at + from - start..at + to - start].copy_from_slice(&part[from..to]);
        }
        at += part.len();
    }
    if i + 1 == padded_blocks::<T>(head.len() + body.len()) {
        write_length::<T>(total, block);
    }
}

/// The length of a message of `total` bytes, in bits, at the end of its last block.
#[inline(always)]
fn write_length<T: Word>(total: u128, block: &mut [u8]) {
    let tail = block.len() - T::LENGTH_BYTES;
    block[tail..].copy_from_slice(&(8 * total).to_be_bytes()[16 - T::LENGTH_BYTES..]);
}

/// As `fill_block`, for a message that fits into one block: all copies are of known size.
#[inline(always)]
fn fill_only_block<T: Word, const N: usize>(head: &[u8; 22], nodes: &[[u8; N]], total: u128, block: &mut T::Block) {
    let block = block.as_mut();
    block.fill(0);
    block[..22].copy_from_slice(head);
    let (body, rest) = block[22..].split_at_mut(nodes.as_flattened().len());
    for (to, node) in body.as_chunks_mut().0.iter_mut().zip(nodes) {
        *to = *node;
    }
    rest[0] = 0x80;
    write_length::<T>(total, block);
}

/// Whole blocks into one state.
pub struct CompressJob<'a, T> {
    state: &'a mut [T; 8],
    data: &'a [u8],
}

impl<T> Items for CompressJob<'_, T> {
    fn len(&self) -> usize {
        1
    }
}

impl<T: Word> Sha2Job<T> for CompressJob<'_, T> {
    #[inline(always)]
    fn run<const W: usize, K: Sha2Lanes<T, W>>(&mut self, k: K, _: Range<usize>) {
        let mut s = Sha2State::<T, W>::new();
        for (row, word) in s.0.iter_mut().zip(&*self.state) {
            row[0] = *word;
        }
        let mut blocks = [T::ZERO_BLOCK; W];
        for bytes in self.data.chunks_exact(block_len::<T>()) {
            blocks[0].as_mut().copy_from_slice(bytes);
            k.compress(&mut s, &blocks);
        }
        wipe(blocks[0].as_mut());
        for (row, word) in s.0.iter().zip(&mut *self.state) {
            *word = row[0];
        }
    }
}

/// Many messages, refilling each lane when its last block is in.
pub struct Sha2Many<'a, T> {
    job: HashJob<'a>,
    states: &'a [[T; 8]],
    before: usize,
}

impl<T> Items for Sha2Many<'_, T> {
    fn len(&self) -> usize {
        self.job.msgs.len()
    }
}

impl<T: Word> Sha2Job<T> for Sha2Many<'_, T> {
    #[inline(always)]
    fn run<const W: usize, K: Sha2Lanes<T, W>>(&mut self, k: K, mut items: Range<usize>) {
        let block_len = block_len::<T>();
        let mut s = Sha2State::<T, W>::new();
        let mut blocks = [T::ZERO_BLOCK; W];
        // what each lane hashes: an item, and the number of its next block
        let mut lanes: [Option<(usize, usize)>; W] = [None; W];
        loop {
            for (i, (lane, block)) in lanes.iter_mut().zip(&mut blocks).enumerate() {
                if lane.is_none() {
                    *lane = items.next().map(|place| (self.job.order.at(place), 0));
                    for j in 0..8 {
                        let state = |(item, _)| shared(self.states, self.job.msgs.len(), item)[j];
                        s.0[j][i] = lane.map_or(T::default(), state);
                    }
                }
                let Some((item, n)) = *lane else {
                    *block = T::ZERO_BLOCK;
                    continue;
                };
                let msg = self.job.msgs[item];
                match msg.get(n * block_len..(n + 1) * block_len) {
                    Some(whole) => block.as_mut().copy_from_slice(whole),
                    None => fill_block::<T>(&[], msg, n, (self.before + msg.len()) as u128, block),
                }
            }
            if lanes.iter().all(Option::is_none) {
                break;
            }
            k.compress(&mut s, &blocks);
            for (i, lane) in lanes.iter_mut().enumerate() {
                let Some((item, n)) = lane else { continue };
                *n += 1;
                if *n == padded_blocks::<T>(self.job.msgs[*item].len()) {
                    let out = self.job.output(*item);
                    for (row, bytes) in s.0.iter().zip(out.chunks_mut(T::BYTES)) {
                        row[i].to_be(bytes);
                    }
                    *lane = None;
                }
            }
        }
        for block in &mut blocks {
            wipe(block.as_mut());
        }
    }
}

impl<V: Variant> Tweak for Sha2<V> {
    /// The state after the block PK.seed || 0.. (FIPS 205 section 11.2).
    type Prefix = [V::Word; 8];

    fn prefix(&self, pk_seed: &[u8]) -> Self::Prefix {
        let mut block = V::Word::ZERO_BLOCK;
        block.as_mut()[..pk_seed.len()].copy_from_slice(pk_seed);
        let mut state = V::INIT;
        count::sha2::<V::Word>(|| 1);
        V::Word::compress(&self.engine, CompressJob { state: &mut state, data: block.as_ref() });
        state
    }

    fn tweak_many<const N: usize>(
        &self,
        prefixes: &[Self::Prefix],
        adrs: &[Adrs],
        nodes: &[[u8; N]],
        out: &mut [[u8; N]],
    ) {
        let len = || 22 + nodes.as_flattened().len() / adrs.len().max(1);
        count::sha2::<V::Word>(|| adrs.len() * padded_blocks::<V::Word>(len()));
        V::Word::tweak_many(&self.engine, TweakJob::new(prefixes, adrs, nodes, out));
    }
}

impl<T: Word, const N: usize> Sha2Job<T> for TweakJob<'_, [T; 8], N> {
    #[inline(always)]
    fn run<const W: usize, K: Sha2Lanes<T, W>>(&mut self, k: K, items: Range<usize>) {
        let mut s = Sha2State::<T, W>::new();
        let mut blocks = [T::ZERO_BLOCK; W];
        for first in items.clone().step_by(W) {
            let group = first..items.end.min(first + W);
            let mut heads = [[0; 22]; W];
            for lane in 0..W {
                // idle lanes hash zeros from a zero state
                let live = group.contains(&(first + lane));
                for i in 0..8 {
                    s.0[i][lane] = if live { self.prefix(first + lane)[i] } else { T::default() };
                }
                if live {
                    heads[lane] = self.adrs[first + lane].compressed();
                } else {
                    blocks[lane] = T::ZERO_BLOCK;
                }
            }
            let len = 22 + self.body(first).as_flattened().len();
            let total = (block_len::<T>() + len) as u128;
            let count = padded_blocks::<T>(len);
            for n in 0..count {
                for (lane, i) in group.clone().enumerate() {
                    let (head, body, block) = (&heads[lane], self.body(i), &mut blocks[lane]);
                    if count == 1 {
                        fill_only_block::<T, N>(head, body, total, block);
                    } else {
                        fill_block::<T>(head, body.as_flattened(), n, total, block);
                    }
                }
                k.compress(&mut s, &blocks);
            }
            for (lane, i) in group.enumerate() {
                for (row, bytes) in s.0.iter().zip(self.out[i].chunks_exact_mut(T::BYTES)) {
                    row[lane].to_be(bytes);
                }
            }
        }
        for block in &mut blocks {
            wipe(block.as_mut());
        }
    }
}

impl Chains for Sha256 {
    fn chain_many<const N: usize>(
        &self,
        prefixes: &[[u32; 8]],
        chains: &[Chain],
        start: Start<'_, N>,
        nodes: &mut [[u8; N]],
    ) {
        count::sha2::<u32>(|| count::steps(chains, start));
        self.engine.sha256.run(ChainJob::new(prefixes, chains, start, nodes));
    }
}

impl<const N: usize> Sha256Job for ChainJob<'_, [u32; 8], N> {
    #[inline(always)]
    fn run<const W: usize, K: Sha256Lanes<W>>(&mut self, k: K, items: Range<usize>) {
        self.drive::<W, _>(&mut Sha256Chains::<W>::new(), items, |c, prf, steps| k.chain::<N>(c, prf, steps));
    }
}

impl<const W: usize, const N: usize> ChainLanes<N> for Sha256Chains<W> {
    type Prefix = [u32; 8];

    #[inline(always)]
    fn set_prefix(&mut self, lane: usize, prefix: &[u32; 8]) {
        for i in 0..8 {
            self.mid[i][lane] = prefix[i];
        }
    }

    #[inline(always)]
    fn set_adrs(&mut self, lane: usize, adrs: &Adrs) {
        let words = adrs.words32();
        for i in 0..5 {
            self.adrs[i][lane] = words[i];
        }
        self.hash[0][lane] = words[5];
    }

    #[inline(always)]
    fn set_values(&mut self, x: &[u8; N]) {
        for (row, bytes) in self.x.iter_mut().zip(x.as_chunks().0) {
            *row = [u32::from_be_bytes(*bytes); W];
        }
    }

    #[inline(always)]
    fn set_value(&mut self, lane: usize, x: &[u8; N]) {
        for (row, bytes) in self.x.iter_mut().zip(x.as_chunks().0) {
            row[lane] = u32::from_be_bytes(*bytes);
        }
    }

    #[inline(always)]
    fn value(&self, lane: usize, x: &mut [u8; N]) {
        for (row, bytes) in self.x.iter().zip(x.as_chunks_mut().0) {
            *bytes = row[lane].to_be_bytes();
        }
    }
}
