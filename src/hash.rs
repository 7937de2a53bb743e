//! What schemes and users see of hashing: one message, many messages, and SLH-DSA's tweakable hashes and chains as
//! verbs on slices. How many items run at once is the engine's business.

use crate::{
    adrs::Adrs,
    engine::{Choice, Engine},
    error::Error,
};

/// A hash function bound to an engine's choice of backend.
///
/// How items are put on lanes depends on counts, lengths and public indices only, never on the data.
pub trait Hash: Copy + Send + Sync {
    /// The standard's name, e.g. `SHA3-256`.
    const NAME: &'static str;
    /// Bytes of an input block.
    const BLOCK_LEN: usize;
    /// Bytes of the digest; `None` for an extendable-output function, which makes as many as asked for.
    const DIGEST_LEN: Option<usize>;
    /// A message in progress.
    type Hasher: Incremental;

    /// The function on the backends that `engine` chose for it.
    fn on(engine: &Engine) -> Self;

    /// The backends and lanes that will run.
    fn choice(&self) -> Choice;

    /// Begins a message.
    fn hasher(&self) -> Self::Hasher;

    /// Hashes one message, given in parts that are not copied to be joined, into the leading `out.len()` bytes of its
    /// digest.
    ///
    /// # Errors
    /// [`Error::OutputTooLong`] if the digest has fewer bytes.
    fn hash(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        check_output::<Self>(out.len())?;
        let mut hasher = self.hasher();
        for part in parts {
            hasher.update(part);
        }
        hasher.finish(out);
        Ok(())
    }

    /// Hashes many messages of any lengths side by side. `out` holds `msgs.len()` outputs of equal length, back to
    /// back, each the leading bytes of a digest.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `out` is not a multiple of the number of messages, [`Error::OutputTooLong`] as for
    /// [`Hash::hash`].
    fn hash_many(&self, msgs: &[&[u8]], out: &mut [u8]) -> Result<(), Error>;
}

/// A message in progress.
pub trait Incremental: Clone + Send {
    /// Appends bytes to the message.
    fn update(&mut self, data: &[u8]);
    /// Writes the leading `out.len()` bytes of the digest; at most all of them, for a fixed-length hash.
    fn finish(self, out: &mut [u8]);
}

/// A hash with a digest of fixed length, as HMAC (FIPS 198-1) wants it: SHA-2 and SHA-3, and no SHAKE. What follows a
/// first block that many messages share, as HMAC's padded key, can be hashed without hashing that block again. These verbs
/// leave the stack as it is: [`hmac`](crate::hmac) and what is built on it overwrite it.
pub trait FixedHash: Hash {
    /// Bytes of the digest.
    const LEN: usize;
    /// The state after a block.
    type State: Copy + Default + Send + Sync;

    /// The states after first blocks, `BLOCK_LEN` bytes each, back to back.
    ///
    /// # Panics
    /// If there is not one block for each state.
    fn begin_many(&self, blocks: &[u8], states: &mut [Self::State]);

    /// Begins a message anew, after its first block: `hasher` takes the state, on its own engine.
    fn resume(hasher: &mut Self::Hasher, state: &Self::State);

    /// As [`Hash::hash_many`] for messages without their first blocks. They share the states evenly, in order: one state
    /// serves all, or each message has its own.
    ///
    /// # Errors
    /// As [`Hash::hash_many`].
    ///
    /// # Panics
    /// If the messages cannot share the states evenly.
    fn resume_many(&self, states: &[Self::State], msgs: &[&[u8]], out: &mut [u8]) -> Result<(), Error>;

    /// `count` iterations of PBKDF2 (RFC 8018 section 5.2) on each of many values: u <- HMAC(key, u), sum <- sum ^ u. A
    /// key is the states after its inner and its outer pad. Values are digests, back to back.
    ///
    /// # Panics
    /// If `u` and `sum` do not have one digest for each key.
    fn iterate_many(&self, keys: &[[Self::State; 2]], count: u32, u: &mut [u8], sum: &mut [u8]);
}

/// Checks that `H` can make `len` bytes.
pub(crate) fn check_output<H: Hash>(len: usize) -> Result<(), Error> {
    match H::DIGEST_LEN {
        Some(limit) if len > limit => Err(Error::OutputTooLong { limit }),
        _ => Ok(()),
    }
}

/// Bytes of each output of a `hash_many` call.
pub(crate) fn output_len<H: Hash>(msgs: usize, out: usize) -> Result<usize, Error> {
    let len = out.checked_div(msgs).unwrap_or(0);
    if len * msgs != out {
        return Err(Error::WrongLength { expected: len * msgs, actual: out });
    }
    check_output::<H>(len)?;
    Ok(len)
}

/// Tweakable hashes of short inputs, PK.seed || ADRS || nodes truncated to N bytes (FIPS 205 section 11).
pub trait Tweak: Hash {
    /// PK.seed absorbed once; public data.
    type Prefix: Copy + Send + Sync;

    /// Absorbs PK.seed, 16 to 32 bytes.
    fn prefix(&self, pk_seed: &[u8]) -> Self::Prefix;

    /// `out[i]` = first N bytes of the hash of `adrs[i]` and the i-th group of `nodes`: H with two nodes each, T_l
    /// with l. Groups are of equal size.
    ///
    /// The items share the prefixes evenly, in order: one prefix serves all, or each of s prefixes the next 1/s. N is
    /// 16, 24 or 32.
    ///
    /// # Panics
    /// If the slices do not fit together.
    fn tweak_many<const N: usize>(
        &self,
        prefixes: &[Self::Prefix],
        adrs: &[Adrs],
        nodes: &[[u8; N]],
        out: &mut [[u8; N]],
    );
}

/// Chains of one-node hashes (FIPS 205 section 5, Alg. 5). PRF and F are chains of one step.
pub trait Chains: Tweak {
    /// Advances every chain by its own number of steps and leaves the value reached in `nodes`.
    ///
    /// Prefixes are shared as in [`Tweak::tweak_many`].
    ///
    /// # Panics
    /// If the slices do not fit together, or a chain has more than 255 steps.
    fn chain_many<const N: usize>(
        &self,
        prefixes: &[Self::Prefix],
        chains: &[Chain],
        start: Start<'_, N>,
        nodes: &mut [[u8; N]],
    );
}

/// One chain: where it starts and how far it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Address of the first step; the last word is the position, which counts up, to 255 at most.
    pub adrs: Adrs,
    /// Applications of F; public.
    pub steps: u32,
}

/// What chains start from.
#[derive(Clone, Copy)]
pub enum Start<'a, const N: usize> {
    /// The values in `nodes`.
    Nodes,
    /// PRF of SK.seed at each chain's address (Alg. 6, 7, 14); what `nodes` held is overwritten.
    Prf(&'a [u8; N]),
}
