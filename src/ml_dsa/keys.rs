//! Private keys, public keys and signatures as users hold them.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::{
    expanded::{ExpandedSigningKey, ExpandedVerifyingKey},
    mu::{self, Mu, MuHasher},
    params::{ParameterSet, SEED, WIDE},
    private, verify,
};
#[cfg(feature = "std")]
use crate::message::Stream;
use crate::{
    ct,
    engine::Engine,
    error::Error,
    message::Message,
    prehash::Mode,
    random::{Random, Randomness, check_len},
    secret::wipe_stack,
};

/// A private key (FIPS 204 section 4): rho, K, tr, s1, s2 and t0, and the seed that they come from, unless the key was
/// read without it. Wiped on drop.
///
/// A key that signs often is better expanded once, by [`SigningKey::expand`].
#[derive(Clone)]
pub struct SigningKey {
    set: ParameterSet,
    engine: Engine,
    seed: Option<Zeroizing<Vec<u8>>>,
    /// The expanded form (Alg. 24).
    private: Zeroizing<Vec<u8>>,
    public: Vec<u8>,
}

impl SigningKey {
    /// `ML-DSA.KeyGen` (Alg. 1): a key from a fresh seed.
    ///
    /// # Errors
    /// [`Error::Randomness`] if the generator fails.
    pub fn generate<R: TryCryptoRng + ?Sized>(set: ParameterSet, engine: &Engine, rng: &mut R) -> Result<Self, Error> {
        let mut seed = Zeroizing::new(alloc::vec![0; SEED]);
        rng.fill(&mut seed)?;
        Ok(Self::with_seed(set, engine, seed))
    }

    /// `ML-DSA.KeyGen_internal` (Alg. 6): the key that a seed xi of 32 bytes makes.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are 32 bytes.
    pub fn from_seed(set: ParameterSet, engine: &Engine, seed: &[u8]) -> Result<Self, Error> {
        check_len(SEED, seed)?;
        Ok(Self::with_seed(set, engine, Zeroizing::new(seed.to_vec())))
    }

    fn with_seed(set: ParameterSet, engine: &Engine, mut seed: Zeroizing<Vec<u8>>) -> Self {
        ct::secret(&mut seed);
        let (private, public) = private::generate(set, engine, &seed);
        wipe_stack();
        Self { set, engine: *engine, seed: Some(seed), private, public }
    }

    /// Reads the expanded form, `skDecode` (Alg. 25), and computes the public key from it, which takes as long as key
    /// generation. A key read so does not know its seed.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidEncoding`] if a coefficient of s1 or s2 is larger than eta;
    /// [`Error::InconsistentKey`] if t0 or tr does not follow from rho, s1 and s2.
    pub fn from_bytes(set: ParameterSet, engine: &Engine, bytes: &[u8]) -> Result<Self, Error> {
        check_len(set.signing_key_len(), bytes)?;
        let mut private = Zeroizing::new(bytes.to_vec());
        ct::secret(&mut private[SEED..2 * SEED]);
        ct::secret(&mut private[2 * SEED + WIDE..]);
        let public = private::public_key(set, engine, &private);
        wipe_stack();
        Ok(Self { set, engine: *engine, seed: None, private, public: public? })
    }

    /// The seed of 32 bytes, if the key was not read without it.
    pub fn seed(&self) -> Option<Zeroizing<Vec<u8>>> {
        self.seed.clone()
    }

    /// The expanded form, `skEncode` (Alg. 24).
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.private.clone()
    }

    /// The parameter set.
    pub fn set(&self) -> ParameterSet {
        self.set
    }

    /// The engine that signs.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The same key on another engine.
    #[must_use]
    pub fn with_engine(mut self, engine: &Engine) -> Self {
        self.engine = *engine;
        self
    }

    /// The public key.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey { set: self.set, engine: self.engine, bytes: self.public.clone() }
    }

    /// The same key with everything computed that does not depend on the message.
    pub fn expand(&self) -> ExpandedSigningKey {
        ExpandedSigningKey::new(self.set, &self.engine, &self.private, &self.public)
    }

    /// Signs a message, which is read once (Alg. 2, 4).
    ///
    /// # Errors
    /// [`Error::ContextTooLong`], [`Error::WrongLength`] of a digest or of given randomness, [`Error::Randomness`],
    /// [`Error::Read`] from the message's source.
    pub fn sign<M: Message>(
        &self,
        message: M,
        mode: &Mode<'_>,
        randomness: Randomness<'_>,
    ) -> Result<Signature, Error> {
        self.expand().sign(message, mode, randomness)
    }

    /// Signs everything that `reader` still has to give, which need not be seekable.
    ///
    /// # Errors
    /// As [`SigningKey::sign`].
    #[cfg(feature = "std")]
    pub fn sign_reader(
        &self,
        reader: impl std::io::Read,
        mode: &Mode<'_>,
        randomness: Randomness<'_>,
    ) -> Result<Signature, Error> {
        self.sign(Stream(reader), mode, randomness)
    }

    /// Signs a message by its mu, computed where the message is ([`VerifyingKey::mu`]).
    ///
    /// # Errors
    /// [`Error::WrongLength`] of given randomness, [`Error::Randomness`].
    pub fn sign_mu(&self, mu: &Mu, randomness: Randomness<'_>) -> Result<Signature, Error> {
        self.expand().sign_mu(mu, randomness)
    }

    /// Signs many messages: the result of each, in order.
    pub fn sign_batch(
        &self,
        messages: &[&[u8]],
        mode: &Mode<'_>,
        randomness: Randomness<'_>,
    ) -> Vec<Result<Signature, Error>> {
        self.expand().sign_batch(messages, mode, randomness)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("set", &self.set)
            .field("public", &self.verifying_key())
            .finish_non_exhaustive()
    }
}

impl zeroize::ZeroizeOnDrop for SigningKey {}

/// A public key (FIPS 204 section 4): rho and t1.
#[derive(Clone)]
pub struct VerifyingKey {
    set: ParameterSet,
    engine: Engine,
    bytes: Vec<u8>,
}

impl VerifyingKey {
    /// For bytes whose length has been checked.
    pub(crate) fn new(set: ParameterSet, engine: &Engine, bytes: &[u8]) -> Self {
        Self { set, engine: *engine, bytes: bytes.to_vec() }
    }

    /// Reads a public key, `pkDecode` (Alg. 23). Any bytes of the right length are one.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn from_bytes(set: ParameterSet, engine: &Engine, bytes: &[u8]) -> Result<Self, Error> {
        check_len(set.verifying_key_len(), bytes)?;
        Ok(Self::new(set, engine, bytes))
    }

    /// `pkEncode` (Alg. 22).
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The parameter set.
    pub fn set(&self) -> ParameterSet {
        self.set
    }

    /// The engine that verifies.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The same key on another engine.
    #[must_use]
    pub fn with_engine(mut self, engine: &Engine) -> Self {
        self.engine = *engine;
        self
    }

    /// The same key with everything computed that does not depend on the signature.
    pub fn expand(&self) -> ExpandedVerifyingKey {
        ExpandedVerifyingKey::new(self)
    }

    /// Begins mu of a message that the owner of this key is to sign by [`SigningKey::sign_mu`].
    ///
    /// # Errors
    /// [`Error::ContextTooLong`].
    pub fn mu(&self, mode: &Mode<'_>) -> Result<MuHasher, Error> {
        MuHasher::new(&self.engine, &mu::tr(&self.engine, self.set, &self.bytes), mode)
    }

    /// Verifies a signature (Alg. 3, 5); the message is read once.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`] for anything wrong with the signature, its length included;
    /// [`Error::ContextTooLong`], [`Error::WrongLength`] of a digest, [`Error::Read`].
    pub fn verify<M: Message>(&self, message: M, mode: &Mode<'_>, signature: &[u8]) -> Result<(), Error> {
        verify::from_bytes(self, signature, |tr| Mu::of(&self.engine, tr, message, mode))
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
        verify::from_bytes(self, signature, |_| Ok(*mu))
    }
}

impl PartialEq for VerifyingKey {
    /// Same set and bytes; the engine does not matter.
    fn eq(&self, other: &Self) -> bool {
        (self.set, self.as_bytes()) == (other.set, other.as_bytes())
    }
}

impl Eq for VerifyingKey {}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({}, ", self.set)?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

/// A signature as bytes, `sigEncode` (FIPS 204 Alg. 26).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature(pub(crate) Vec<u8>);

impl AsRef<[u8]> for Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Signature> for Vec<u8> {
    fn from(signature: Signature) -> Self {
        signature.0
    }
}

impl TryFrom<&[u8]> for Signature {
    type Error = Error;
    /// Takes bytes of the length of any set's signatures.
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let known = ParameterSet::ALL.iter().any(|set| set.signature_len() == bytes.len());
        if known { Ok(Self(bytes.to_vec())) } else { Err(Error::InvalidSignature) }
    }
}

impl signature::SignatureEncoding for Signature {
    type Repr = Vec<u8>;
}
