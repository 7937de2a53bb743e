//! HMAC (FIPS 198-1, RFC 2104) with every SHA-2 and SHA-3 function: one message, a message in pieces, many messages.
//!
//! ```
//! use hashloom::{Engine, hash::Hash, hmac, sha2::Sha256};
//!
//! let hash = Sha256::on(&Engine::get());
//! let mut tag = [0; 32];
//! hmac::mac(hash, b"key", &[b"a message ", b"in parts"], &mut tag)?;
//! hmac::verify(hash, b"key", &[b"a message in parts"], &tag)?;
//!
//! let key = [hmac::HmacKey::new(hash, b"key")];
//! let mut tags = [0; 3 * 32];
//! hmac::mac_many(&key, &[b"many", b"messages", b""], &mut tags)?;
//! # Ok::<(), hashloom::Error>(())
//! ```
//!
//! SHAKE is no [`FixedHash`], and HMAC with it is no standard's:
//!
//! ```compile_fail,E0277
//! use hashloom::{Engine, hash::Hash, hmac::HmacKey, keccak::Shake256};
//!
//! let key = HmacKey::new(Shake256::on(&Engine::get()), b"key");
//! ```

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use digest::{
    FixedOutput, FixedOutputReset, KeyInit, MacMarker, Output, OutputSizeUser, Reset, block_api::BlockSizeUser,
    common::KeySizeUser,
};
use subtle::ConstantTimeEq;

use crate::{
    ct,
    engine::Engine,
    error::Error,
    hash::{FixedHash, Incremental, check_output, output_len},
    secret::{Wiped, scrubbed, wipe, wipe_stack},
};

/// Largest block of the hashes that HMAC is used with, SHA3-224's.
const MAX_BLOCK: usize = 144;
/// Largest digest, SHA-512's.
const MAX_DIGEST: usize = 64;
/// Bytes that the inner and the outer pad repeat.
const PADS: [u8; 2] = [0x36, 0x5c];

/// Bytes that a truncated tag must have to be accepted: half of the digest, and 80 bits (RFC 2104 section 5).
pub const fn min_tag_len<H: FixedHash>() -> usize {
    let half = H::LEN.div_ceil(2);
    if half > 10 { half } else { 10 }
}

/// A key, with the hash states after its two pads: each message costs two blocks less. They are on the heap, so that a
/// key that is moved leaves no copy behind.
#[derive(Clone)]
pub struct HmacKey<H: FixedHash> {
    hash: H,
    states: Box<[H::State; 2]>,
}

impl<H: FixedHash> HmacKey<H> {
    /// A key of any length; one that is longer than a block is hashed first (FIPS 198-1 section 4, step 2).
    pub fn new(hash: H, key: &[u8]) -> Self {
        let mut this = Self::blank(hash);
        scrubbed(|| begin(hash, key, &mut this.states));
        this
    }

    /// Many keys, made side by side.
    pub fn many(hash: H, keys: &[&[u8]]) -> Vec<Self> {
        let mut blocks = Wiped::zeroed(2 * H::BLOCK_LEN * keys.len());
        for (key, blocks) in keys.iter().zip(blocks.chunks_exact_mut(2 * H::BLOCK_LEN)) {
            pad(hash, key, blocks);
        }
        let mut states = Wiped::zeroed(2 * keys.len());
        hash.begin_many(&blocks, &mut states);
        let mut keys: Vec<_> = keys.iter().map(|_| Self::blank(hash)).collect();
        keys.iter_mut().zip(states.as_chunks().0).for_each(|(key, states)| *key.states = *states);
        wipe_stack();
        keys
    }

    /// No key yet: it is set where it will stay.
    pub(crate) fn blank(hash: H) -> Self {
        Self { hash, states: Box::new([H::State::default(); 2]) }
    }

    /// For [`begin`].
    pub(crate) fn states_mut(&mut self) -> &mut [H::State; 2] {
        &mut self.states
    }

    /// The hash function that it is a key for, on its engine.
    pub fn hash(&self) -> H {
        self.hash
    }

    /// Begins a message.
    pub fn hmac(&self) -> Hmac<H> {
        let mut hmac = Hmac { key: self.clone(), inner: Box::new(self.hash.hasher()) };
        hmac.reset();
        hmac
    }

    /// The leading `out.len()` bytes of the tag of a message, given in parts.
    ///
    /// # Errors
    /// [`Error::OutputTooLong`] if the digest has fewer bytes.
    pub fn mac(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        check_output::<H>(out.len())?;
        scrubbed(|| tag(self.hash, &self.states, parts, out));
        Ok(())
    }

    /// Checks a tag of a message, given in parts, in time that does not depend on where they differ. The tag is the
    /// leading bytes of the whole one, at least [`min_tag_len`].
    ///
    /// # Errors
    /// [`Error::TagTooShort`], [`Error::InvalidTag`].
    pub fn verify(&self, parts: &[&[u8]], tag: &[u8]) -> Result<(), Error> {
        check_tag::<H>(tag, |whole| self::tag(self.hash, &self.states, parts, whole))
    }
}

/// The states after the two pads of a key.
pub(crate) fn begin<H: FixedHash>(hash: H, key: &[u8], states: &mut [H::State; 2]) {
    let mut blocks = [0; 2 * MAX_BLOCK];
    let blocks = &mut blocks[..2 * H::BLOCK_LEN];
    pad(hash, key, blocks);
    hash.begin_many(blocks, states);
    wipe(blocks);
}

/// The leading bytes of the tag of a message, given in parts. For callers who check the length and scrub the stack.
pub(crate) fn tag<H: FixedHash>(hash: H, states: &[H::State; 2], parts: &[&[u8]], out: &mut [u8]) {
    let mut inner = hash.hasher();
    H::resume(&mut inner, &states[0]);
    parts.iter().for_each(|part| inner.update(part));
    end::<H>(inner, &states[1], out);
}

/// The leading bytes of the tag from the inner hash and the state after the outer pad.
fn end<H: FixedHash>(mut hasher: H::Hasher, outer: &H::State, out: &mut [u8]) {
    let mut digest = [0; MAX_DIGEST];
    let digest = &mut digest[..H::LEN];
    hasher.clone().finish(digest);
    H::resume(&mut hasher, outer);
    hasher.update(digest);
    hasher.finish(out);
    wipe(digest);
}

/// Compares a tag with the whole one that `make` writes.
fn check_tag<H: FixedHash>(tag: &[u8], make: impl FnOnce(&mut [u8])) -> Result<(), Error> {
    let minimum = min_tag_len::<H>();
    if tag.len() < minimum {
        return Err(Error::TagTooShort { minimum });
    }
    let equal = scrubbed(|| {
        let mut whole = [0; MAX_DIGEST];
        let whole = &mut whole[..H::LEN];
        make(whole);
        // a longer one has another length and so is not equal
        whole[..tag.len().min(H::LEN)].ct_eq(tag)
    });
    // RFC 2104 section 5: what is compared is sent in the clear
    if ct::verdict(equal) { Ok(()) } else { Err(Error::InvalidTag) }
}

/// The two blocks that a key becomes (FIPS 198-1 section 4, steps 1 to 4 and 7).
fn pad<H: FixedHash>(hash: H, key: &[u8], blocks: &mut [u8]) {
    let (inner, outer) = blocks.split_at_mut(H::BLOCK_LEN);
    inner.fill(0);
    if key.len() > H::BLOCK_LEN {
        let mut hasher = hash.hasher();
        hasher.update(key);
        hasher.finish(&mut inner[..H::LEN]);
    } else {
        inner[..key.len()].copy_from_slice(key);
    }
    outer.copy_from_slice(inner);
    for (block, byte) in [inner, outer].into_iter().zip(PADS) {
        block.iter_mut().for_each(|x| *x ^= byte);
    }
}

impl<H: FixedHash> Drop for HmacKey<H> {
    fn drop(&mut self) {
        wipe(&mut self.states[..]);
    }
}

impl<H: FixedHash> zeroize::ZeroizeOnDrop for HmacKey<H> {}

impl<H: FixedHash> fmt::Debug for HmacKey<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HMAC-{} key", H::NAME)
    }
}

/// HMAC in progress, on the heap as its key is.
///
/// As a `digest::Mac` it is checked by the methods of that trait as well, whose truncated forms take tags of any length:
/// [`Hmac::verify`] does not.
pub struct Hmac<H: FixedHash> {
    key: HmacKey<H>,
    inner: Box<H::Hasher>,
}

impl<H: FixedHash> Hmac<H> {
    /// Begins a message under a key of any length.
    pub fn new(hash: H, key: &[u8]) -> Self {
        let mut hmac = Self { key: HmacKey::new(hash, key), inner: Box::new(hash.hasher()) };
        hmac.reset();
        hmac
    }

    /// Begins another message under the same key.
    pub fn reset(&mut self) {
        H::resume(&mut self.inner, &self.key.states[0]);
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    /// The leading `out.len()` bytes of the tag. What follows is another message under the same key.
    ///
    /// # Errors
    /// [`Error::OutputTooLong`] if the digest has fewer bytes; then the message goes on.
    pub fn finish(&mut self, out: &mut [u8]) -> Result<(), Error> {
        check_output::<H>(out.len())?;
        scrubbed(|| self.tag(out));
        Ok(())
    }

    /// Checks a tag as [`HmacKey::verify`] does. What follows is another message under the same key.
    ///
    /// # Errors
    /// [`Error::TagTooShort`], and the message goes on; [`Error::InvalidTag`].
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        check_tag::<H>(tag, |whole| self.tag(whole))
    }

    /// As [`Hmac::finish`], for callers who check the length and scrub the stack.
    pub(crate) fn tag(&mut self, out: &mut [u8]) {
        end::<H>((*self.inner).clone(), &self.key.states[1], out);
        self.reset();
    }
}

impl<H: FixedHash> Clone for Hmac<H> {
    fn clone(&self) -> Self {
        let mut clone = Self { key: self.key.clone(), inner: Box::new(self.key.hash.hasher()) };
        scrubbed(|| *clone.inner = (*self.inner).clone());
        clone
    }
}

impl<H: FixedHash> Drop for Hmac<H> {
    /// Also of what `update` left on the stack.
    fn drop(&mut self) {
        wipe_stack();
    }
}

impl<H: FixedHash> fmt::Debug for Hmac<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HMAC-{}", H::NAME)
    }
}

/// The leading `out.len()` bytes of the tag of one message, given in parts, under a key of any length.
///
/// # Errors
/// [`Error::OutputTooLong`] if the digest has fewer bytes.
pub fn mac<H: FixedHash>(hash: H, key: &[u8], parts: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    check_output::<H>(out.len())?;
    scrubbed(|| {
        let mut states = [H::State::default(); 2];
        begin(hash, key, &mut states);
        tag(hash, &states, parts, out);
    });
    Ok(())
}

/// Checks the tag of one message, given in parts, as [`HmacKey::verify`] does.
///
/// # Errors
/// [`Error::TagTooShort`], [`Error::InvalidTag`].
pub fn verify<H: FixedHash>(hash: H, key: &[u8], parts: &[&[u8]], tag: &[u8]) -> Result<(), Error> {
    check_tag::<H>(tag, |whole| {
        let mut states = [H::State::default(); 2];
        begin(hash, key, &mut states);
        self::tag(hash, &states, parts, whole);
    })
}

/// Tags of many messages of any lengths, side by side, on the engine of the first key: under one key, or each under its
/// own. `out` holds `msgs.len()` tags of equal length, back to back, each the leading bytes of a whole one.
///
/// # Errors
/// [`Error::WrongCount`] if there is neither one key nor one for each message, [`Error::WrongLength`] if `out` is not a
/// multiple of the number of messages, [`Error::OutputTooLong`] if the digest has fewer bytes.
pub fn mac_many<H: FixedHash>(keys: &[HmacKey<H>], msgs: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    mac_many_by(keys, |key| key, msgs, out)
}

/// As [`mac_many`] with what has an HMAC key.
pub(crate) fn mac_many_by<H: FixedHash, K>(
    keys: &[K],
    key: impl Fn(&K) -> &HmacKey<H>,
    msgs: &[&[u8]],
    out: &mut [u8],
) -> Result<(), Error> {
    check_keys(keys.len(), msgs.len())?;
    output_len::<H>(msgs.len(), out.len())?;
    let Some(hash) = keys.first().filter(|_| !msgs.is_empty()).map(|first| key(first).hash) else { return Ok(()) };
    let mut states = Wiped::zeroed(keys.len());
    let mut digests = Wiped::zeroed(msgs.len() * H::LEN);
    states.iter_mut().zip(keys).for_each(|(state, k)| *state = key(k).states[0]);
    hash.resume_many(&states, msgs, &mut digests)?;
    states.iter_mut().zip(keys).for_each(|(state, k)| *state = key(k).states[1]);
    hash.resume_many(&states, &digests.chunks_exact(H::LEN).collect::<Vec<_>>(), out)?;
    wipe_stack();
    Ok(())
}

/// Checks that there is one key, or one for each item.
pub(crate) fn check_keys(keys: usize, items: usize) -> Result<(), Error> {
    if keys == 1 || keys == items { Ok(()) } else { Err(Error::WrongCount { expected: items, actual: keys }) }
}

// The digest crate's traits, for users who are generic over them.

impl<H: FixedHash> MacMarker for Hmac<H> {}

impl<H: FixedHash> KeySizeUser for Hmac<H>
where
    H::Hasher: BlockSizeUser,
{
    type KeySize = <H::Hasher as BlockSizeUser>::BlockSize;
}

impl<H: FixedHash> KeyInit for Hmac<H>
where
    H::Hasher: BlockSizeUser,
{
    /// On the fastest engine for this CPU.
    fn new(key: &digest::Key<Self>) -> Self {
        Hmac::new(H::on(&Engine::get()), key)
    }

    /// On the fastest engine for this CPU, a key of any length.
    fn new_from_slice(key: &[u8]) -> Result<Self, digest::InvalidLength> {
        Ok(Hmac::new(H::on(&Engine::get()), key))
    }
}

impl<H: FixedHash> digest::Update for Hmac<H> {
    fn update(&mut self, data: &[u8]) {
        Hmac::update(self, data);
    }
}

impl<H: FixedHash> Reset for Hmac<H> {
    fn reset(&mut self) {
        Hmac::reset(self);
    }
}

impl<H: FixedHash> OutputSizeUser for Hmac<H>
where
    H::Hasher: OutputSizeUser,
{
    type OutputSize = <H::Hasher as OutputSizeUser>::OutputSize;
}

impl<H: FixedHash> FixedOutput for Hmac<H>
where
    H::Hasher: OutputSizeUser,
{
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.finish(out).expect("the whole digest");
    }
}

impl<H: FixedHash> FixedOutputReset for Hmac<H>
where
    H::Hasher: OutputSizeUser,
{
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        self.finish(out).expect("the whole digest");
    }
}

impl<H: FixedHash> zeroize::ZeroizeOnDrop for Hmac<H> {}
