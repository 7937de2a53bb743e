//! Keys with everything computed that does not depend on the message, for those who sign or verify often by one key.

use alloc::vec::Vec;
use core::fmt;

use super::{
    keys::{Signature, VerifyingKey},
    mu::{Mu, MuHasher},
    params::{ParameterSet, SEED},
    private::Private,
    sign::{self, Task},
    verify::{self, Public},
};
#[cfg(feature = "std")]
use crate::message::Stream;
use crate::{
    engine::Engine, error::Error, message::Message, prehash::Mode, random::Randomness, secret::wipe_stack, threads,
};

/// Messages or signatures that one thread takes at a time: enough to fill its lanes, few enough to be shared out.
const GROUP: usize = 32;

/// A private key ready to sign: A, s1, s2 and t0 in the NTT domain, K and tr. Wiped on drop.
///
/// | set | bytes |
/// |---|---|
/// | ML-DSA-44 | 28 KiB |
/// | ML-DSA-65 | 47 KiB |
/// | ML-DSA-87 | 79 KiB |
#[derive(Clone)]
pub struct ExpandedSigningKey {
    private: Private,
    public: VerifyingKey,
}

impl ExpandedSigningKey {
    pub(crate) fn new(set: ParameterSet, engine: &Engine, private: &[u8], public: &[u8]) -> Self {
        let public = VerifyingKey::new(set, engine, public);
        let private = Private::expand(set, engine, private);
        wipe_stack();
        Self { private, public }
    }

    /// The parameter set.
    pub fn set(&self) -> ParameterSet {
        self.public.set()
    }

    /// The engine that signs.
    pub fn engine(&self) -> &Engine {
        self.public.engine()
    }

    /// The public key.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.public.clone()
    }

    /// Signs a message, as [`SigningKey::sign`](super::SigningKey::sign).
    ///
    /// # Errors
    /// As there.
    pub fn sign<M: Message>(
        &self,
        message: M,
        mode: &Mode<'_>,
        randomness: Randomness<'_>,
    ) -> Result<Signature, Error> {
        let rnd = randomness.draw(SEED, 1)?;
        let mu = Mu::of(self.engine(), self.private.tr(), message, mode)?;
        Ok(self.sign_with(&mu, rnd.as_ref().map(|bytes| &bytes[..])))
    }

    /// Signs everything that `reader` still has to give, which need not be seekable.
    ///
    /// # Errors
    /// As [`ExpandedSigningKey::sign`].
    #[cfg(feature = "std")]
    pub fn sign_reader(
        &self,
        reader: impl std::io::Read,
        mode: &Mode<'_>,
        randomness: Randomness<'_>,
    ) -> Result<Signature, Error> {
        self.sign(Stream(reader), mode, randomness)
    }

    /// Signs a message by its mu, as [`SigningKey::sign_mu`](super::SigningKey::sign_mu).
    ///
    /// # Errors
    /// As there.
    pub fn sign_mu(&self, mu: &Mu, randomness: Randomness<'_>) -> Result<Signature, Error> {
        let rnd = randomness.draw(SEED, 1)?;
        Ok(self.sign_with(mu, rnd.as_ref().map(|bytes| &bytes[..])))
    }

    fn sign_with(&self, mu: &Mu, rnd: Option<&[u8]>) -> Signature {
        let mut signature = Vec::new();
        let rnd = rnd.unwrap_or(&[0; SEED]);
        sign::sign_many(&self.private, &mut [Task { mu, rnd, signature: &mut signature }]);
        Signature(signature)
    }

    /// Signs many messages: the result of each, in order.
    pub fn sign_batch(
        &self,
        messages: &[&[u8]],
        mode: &Mode<'_>,
        randomness: Randomness<'_>,
    ) -> Vec<Result<Signature, Error>> {
        let rnd = match randomness.draw(SEED, messages.len()) {
            Err(error) => return messages.iter().map(|_| Err(error)).collect(),
            Ok(rnd) => rnd,
        };
        let rnd_of = |i: usize| rnd.as_ref().map_or(&[0; SEED][..], |bytes| &bytes[i * SEED..(i + 1) * SEED]);
        let groups = messages.chunks(GROUP).enumerate().collect();
        let signed = threads::map(groups, |(group, messages): (usize, &[&[u8]])| {
            let mu = |message| Mu::of(self.engine(), self.private.tr(), message, mode);
            let mus: Vec<Result<Mu, Error>> = messages.iter().map(|message| mu(*message)).collect();
            let mut signatures = alloc::vec![Vec::new(); messages.len()];
            let mut jobs: Vec<Task<'_>> = mus
                .iter()
                .zip(&mut signatures)
                .enumerate()
                .filter_map(|(i, (mu, signature))| {
                    Some(Task { mu: mu.as_ref().ok()?, rnd: rnd_of(group * GROUP + i), signature })
                })
                .collect();
            sign::sign_many(&self.private, &mut jobs);
            let results = mus.into_iter().zip(signatures);
            results.map(|(mu, signature)| mu.map(|_| Signature(signature))).collect::<Vec<_>>()
        });
        signed.into_iter().flatten().collect()
    }
}

impl fmt::Debug for ExpandedSigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandedSigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}

impl zeroize::ZeroizeOnDrop for ExpandedSigningKey {}

/// A public key ready to verify: A and t1 in the NTT domain, and tr.
///
/// | set | bytes |
/// |---|---|
/// | ML-DSA-44 | 20 KiB |
/// | ML-DSA-65 | 36 KiB |
/// | ML-DSA-87 | 64 KiB |
#[derive(Clone)]
pub struct ExpandedVerifyingKey {
    parts: Public,
    key: VerifyingKey,
}

impl ExpandedVerifyingKey {
    pub(crate) fn new(key: &VerifyingKey) -> Self {
        Self { parts: Public::expand(key), key: key.clone() }
    }

    /// The parameter set.
    pub fn set(&self) -> ParameterSet {
        self.key.set()
    }

    /// The engine that verifies.
    pub fn engine(&self) -> &Engine {
        self.key.engine()
    }

    /// The key as it is written.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.key
    }

    /// Begins mu, as [`VerifyingKey::mu`].
    ///
    /// # Errors
    /// As there.
    pub fn mu(&self, mode: &Mode<'_>) -> Result<MuHasher, Error> {
        MuHasher::new(self.engine(), self.parts.tr(), mode)
    }

    /// Verifies a signature, as [`VerifyingKey::verify`].
    ///
    /// # Errors
    /// As there.
    pub fn verify<M: Message>(&self, message: M, mode: &Mode<'_>, signature: &[u8]) -> Result<(), Error> {
        let mu = Mu::of(self.engine(), self.parts.tr(), message, mode)?;
        self.verify_mu(&mu, signature)
    }

    /// Verifies a signature of everything that `reader` still has to give, which need not be seekable.
    ///
    /// # Errors
    /// As [`VerifyingKey::verify`].
    #[cfg(feature = "std")]
    pub fn verify_reader(&self, reader: impl std::io::Read, mode: &Mode<'_>, signature: &[u8]) -> Result<(), Error> {
        self.verify(Stream(reader), mode, signature)
    }

    /// Verifies a signature by the message's mu.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`].
    pub fn verify_mu(&self, mu: &Mu, signature: &[u8]) -> Result<(), Error> {
        verify::expanded(&self.parts, mu, signature)
    }

    /// Verifies signatures of many messages, each with its signature: a verdict for each, in order.
    pub fn verify_batch(&self, items: &[(&[u8], &[u8])], mode: &Mode<'_>) -> Vec<Result<(), Error>> {
        let groups = items.chunks(GROUP).collect();
        let judged = threads::map(groups, |items: &[(&[u8], &[u8])]| {
            let claims = items
                .iter()
                .map(|&(message, signature)| (Mu::of(self.engine(), self.parts.tr(), message, mode), signature));
            verify::expanded_many(&self.parts, claims.collect())
        });
        judged.into_iter().flatten().collect()
    }
}

impl fmt::Debug for ExpandedVerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExpandedVerifyingKey").field(&self.key).finish()
    }
}
