//! Private keys, public keys and signatures as users hold them.

use alloc::{sync::Arc, vec::Vec};
use core::fmt;

use rand_core::TryCryptoRng;
use signature::{Keypair, MultipartVerifier, RandomizedMultipartSigner, SignatureEncoding};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{
    cache::Cache,
    params::ParameterSet,
    scheme::{self, Claim, KeyParts},
};
use crate::{
    ct,
    engine::Engine,
    error::Error,
    message::Message,
    prehash::{Framed, Mode},
    random::{Random, Randomness, check_len},
    threads,
};

/// Bytes of the longest public key.
const MAX_PUBLIC: usize = 64;
/// Bytes of the longest seed.
const MAX_SEED: usize = 32;

/// A private key: SK.seed, SK.prf, PK.seed and PK.root (FIPS 205 section 9.1). Wiped on drop.
#[derive(Clone)]
pub struct SigningKey {
    set: ParameterSet,
    engine: Engine,
    bytes: Zeroizing<Vec<u8>>,
    /// Upper trees, shared by clones.
    cache: Option<Arc<Cache>>,
    check: bool,
}

impl SigningKey {
    /// `slh_keygen` (Alg. 21): a key from fresh seeds.
    ///
    /// # Errors
    /// [`Error::Randomness`] if the generator fails.
    pub fn generate<R: TryCryptoRng + ?Sized>(set: ParameterSet, engine: &Engine, rng: &mut R) -> Result<Self, Error> {
        let mut bytes = Zeroizing::new(alloc::vec![0; set.signing_key_len()]);
        rng.fill(&mut bytes[..3 * set.n()])?;
        Ok(Self::with_root(set, engine, bytes))
    }

    /// `slh_keygen_internal` (Alg. 18): the key that three seeds of n bytes make.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if a seed does not have n bytes.
    pub fn from_seeds(
        set: ParameterSet,
        engine: &Engine,
        sk_seed: &[u8],
        sk_prf: &[u8],
        pk_seed: &[u8],
    ) -> Result<Self, Error> {
        let mut bytes = Zeroizing::new(alloc::vec![0; set.signing_key_len()]);
        for (part, seed) in bytes.chunks_exact_mut(set.n()).zip([sk_seed, sk_prf, pk_seed]) {
            check_len(part.len(), seed)?;
            part.copy_from_slice(seed);
        }
        Ok(Self::with_root(set, engine, bytes))
    }

    /// Completes seeds to a key.
    fn with_root(set: ParameterSet, engine: &Engine, mut bytes: Zeroizing<Vec<u8>>) -> Self {
        ct::secret(&mut bytes[..2 * set.n()]);
        let (seeds, pk_root) = bytes.split_at_mut(3 * set.n());
        scheme::root(set, engine, &seeds[..set.n()], &seeds[2 * set.n()..], pk_root);
        Self { set, engine: *engine, bytes, cache: None, check: false }
    }

    /// Reads SK.seed || SK.prf || PK.seed || PK.root and checks that PK.root is the root that the seeds make, which
    /// takes as long as key generation.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are 4n bytes, [`Error::InconsistentKey`] if PK.root does not match.
    pub fn from_bytes(set: ParameterSet, engine: &Engine, bytes: &[u8]) -> Result<Self, Error> {
        let key = Self::from_bytes_unchecked(set, engine, bytes)?;
        let parts = key.parts();
        let mut root = [0; MAX_SEED];
        let root = &mut root[..set.n()];
        scheme::root(set, engine, parts.sk_seed, parts.pk_seed, root);
        if bool::from(root.ct_eq(parts.pk_root)) { Ok(key) } else { Err(Error::InconsistentKey) }
    }

    /// As [`SigningKey::from_bytes`], trusting PK.root. A key with a wrong root makes signatures that do not verify.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are 4n bytes.
    pub fn from_bytes_unchecked(set: ParameterSet, engine: &Engine, bytes: &[u8]) -> Result<Self, Error> {
        check_len(set.signing_key_len(), bytes)?;
        let mut bytes = Zeroizing::new(bytes.to_vec());
        ct::secret(&mut bytes[..2 * set.n()]);
        Ok(Self { set, engine: *engine, bytes, cache: None, check: false })
    }

    /// SK.seed || SK.prf || PK.seed || PK.root, 4n bytes.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.bytes.clone()
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

    /// The same key, which keeps trees of the upper layers between signatures: as many whole layers as fit into `budget`
    /// bytes, each tree from when it is first met. Signatures are the same bytes. Layers of more than
    /// 2^20 trees are never kept.
    ///
    /// | set | layers kept | bytes | of the hypertree's work |
    /// |---|---|---|---|
    /// | 128s | 1 / 2 of 7 | 16 KiB / 8.0 MiB | 1/7 / 2/7 |
    /// | 128f | 3 / 5 of 22 | 22 KiB / 1.4 MiB | 3/22 / 5/22 |
    /// | 192s | 1 / 2 of 7 | 24 KiB / 12.0 MiB | 1/7 / 2/7 |
    /// | 192f | 3 / 5 of 22 | 30 KiB / 1.9 MiB | 3/22 / 5/22 |
    /// | 256s | 1 / 2 of 8 | 16 KiB / 4.0 MiB | 1/8 / 2/8 |
    /// | 256f | 2 / 4 of 17 | 18 KiB / 4.4 MiB | 2/17 / 4/17 |
    ///
    /// A kept tree carries a digest that every use checks, so that a bit that flips in memory ends in
    /// [`Error::Fault`] and not in a signature over a wrong root: two signatures by one WOTS+ key over different
    /// roots would let anybody forge. Faults in the computation itself are what
    /// [`SigningKey::verify_after_sign`] is for.
    #[must_use]
    pub fn expand(mut self, budget: usize) -> Self {
        self.cache = Some(Arc::new(Cache::new(self.set.params(), budget)));
        self
    }

    /// Computes all trees that [`SigningKey::expand`] made room for, rather than as signatures meet them.
    pub fn fill(&self) {
        if let Some(cache) = &self.cache {
            scheme::fill(self.set, &self.engine, self.parts(), cache);
        }
    }

    /// Whole layers of trees that this key keeps.
    pub fn kept_layers(&self) -> u32 {
        self.cache.as_ref().map_or(0, |cache| cache.layers())
    }

    /// The same key, which verifies each signature before it hands it out, if `check`: a fault while signing ends in
    /// [`Error::Fault`]. The message is read once more.
    #[must_use]
    pub fn verify_after_sign(mut self, check: bool) -> Self {
        self.check = check;
        self
    }

    /// The public key.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::new(self.set, &self.engine, &self.bytes[2 * self.set.n()..])
    }

    fn parts(&self) -> KeyParts<'_> {
        KeyParts::new(self.set.n(), &self.bytes)
    }

    /// Signs a message (Alg. 22, 23). Except with a pre-hash the message is read twice, so its source must be able to
    /// start again.
    ///
    /// # Errors
    /// [`Error::ContextTooLong`], [`Error::WrongLength`] of a digest or of given randomness, [`Error::Randomness`],
    /// [`Error::Read`] and [`Error::MessageChanged`] from the message's source, [`Error::Fault`].
    pub fn sign<M: Message>(
        &self,
        message: M,
        mode: &Mode<'_>,
        randomness: Randomness<'_>,
    ) -> Result<Signature, Error> {
        let opt_rand = randomness.draw(self.set.n(), 1)?;
        self.sign_with(message, mode, opt_rand.as_ref().map(|bytes| &bytes[..]))
    }

    fn sign_with<M: Message>(&self, message: M, mode: &Mode<'_>, opt_rand: Option<&[u8]>) -> Result<Signature, Error> {
        let mut message = Framed::new(&self.engine, mode, message)?;
        let key = self.parts();
        let opt_rand = opt_rand.unwrap_or(key.pk_seed);
        let signature = scheme::sign(self.set, &self.engine, key, self.cache.as_deref(), &mut message, opt_rand)?;
        if self.check {
            let verdict = self.verifying_key().judge(&mut message, &signature);
            verdict.map_err(|error| if error == Error::InvalidSignature { Error::Fault } else { error })?;
        }
        Ok(Signature(signature))
    }

    /// Signs many messages: the result of each, in order.
    pub fn sign_batch(
        &self,
        messages: &[&[u8]],
        mode: &Mode<'_>,
        randomness: Randomness<'_>,
    ) -> Vec<Result<Signature, Error>> {
        let n = self.set.n();
        match randomness.draw(n, messages.len()) {
            Err(error) => messages.iter().map(|_| Err(error)).collect(),
            Ok(opt_rand) => threads::map(messages.iter().enumerate().collect(), |(i, message)| {
                self.sign_with(*message, mode, opt_rand.as_ref().map(|bytes| &bytes[i * n..(i + 1) * n]))
            }),
        }
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

/// A public key: PK.seed and PK.root (FIPS 205 section 9.1).
#[derive(Clone, Copy)]
pub struct VerifyingKey {
    set: ParameterSet,
    engine: Engine,
    bytes: [u8; MAX_PUBLIC],
}

impl VerifyingKey {
    fn new(set: ParameterSet, engine: &Engine, bytes: &[u8]) -> Self {
        let mut key = Self { set, engine: *engine, bytes: [0; MAX_PUBLIC] };
        key.bytes[..bytes.len()].copy_from_slice(bytes);
        key
    }

    /// Reads PK.seed || PK.root. Any 2n bytes are a public key.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are 2n bytes.
    pub fn from_bytes(set: ParameterSet, engine: &Engine, bytes: &[u8]) -> Result<Self, Error> {
        check_len(set.verifying_key_len(), bytes)?;
        Ok(Self::new(set, engine, bytes))
    }

    /// PK.seed || PK.root, 2n bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.set.verifying_key_len()]
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

    /// What it takes to verify a signature by this key of M'.
    pub(crate) fn claim<'a>(&'a self, message: &'a mut dyn Message, signature: &'a [u8]) -> Claim<'a> {
        let (pk_seed, pk_root) = self.as_bytes().split_at(self.set.n());
        Claim { pk_seed, pk_root, message, signature }
    }

    /// Verifies a signature (Alg. 24, 25); the message is read once.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`] for anything wrong with the signature, its length included;
    /// [`Error::ContextTooLong`], [`Error::WrongLength`] of a digest, [`Error::Read`].
    pub fn verify<M: Message>(&self, message: M, mode: &Mode<'_>, signature: &[u8]) -> Result<(), Error> {
        let mut message = Framed::new(&self.engine, mode, message)?;
        self.judge(&mut message, signature)
    }

    /// The verdict on one signature of M'.
    fn judge(&self, message: &mut dyn Message, signature: &[u8]) -> Result<(), Error> {
        let claims = alloc::vec![self.claim(message, signature)];
        scheme::verify(self.set, &self.engine, claims).pop().unwrap_or(Err(Error::InvalidSignature))
    }

    /// Verifies a signature of everything that `reader` still has to give, which need not be seekable.
    ///
    /// # Errors
    /// As [`VerifyingKey::verify`].
    #[cfg(feature = "std")]
    pub fn verify_reader(&self, reader: impl std::io::Read, mode: &Mode<'_>, signature: &[u8]) -> Result<(), Error> {
        self.verify(crate::message::Stream(reader), mode, signature)
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

/// A signature as bytes (FIPS 205 section 9.2, figure 17).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature(Vec<u8>);

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

impl SignatureEncoding for Signature {
    type Repr = Vec<u8>;
}

// The signature crate's traits: pure mode, empty context.

impl Keypair for SigningKey {
    type VerifyingKey = VerifyingKey;
    fn verifying_key(&self) -> VerifyingKey {
        Self::verifying_key(self)
    }
}

/// Hedged by the operating system, unlike in some other crates, where this trait is deterministic.
#[cfg(feature = "getrandom")]
impl signature::Signer<Signature> for SigningKey {
    fn try_sign(&self, message: &[u8]) -> Result<Signature, signature::Error> {
        signature::MultipartSigner::try_multipart_sign(self, &[message])
    }
}

/// Hedged by the operating system.
#[cfg(feature = "getrandom")]
impl signature::MultipartSigner<Signature> for SigningKey {
    fn try_multipart_sign(&self, message: &[&[u8]]) -> Result<Signature, signature::Error> {
        Ok(self.sign(message, &Mode::default(), Randomness::os())?)
    }
}

impl signature::RandomizedSigner<Signature> for SigningKey {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature, signature::Error> {
        self.try_multipart_sign_with_rng(rng, &[message])
    }
}

impl RandomizedMultipartSigner<Signature> for SigningKey {
    fn try_multipart_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[&[u8]],
    ) -> Result<Signature, signature::Error> {
        let mut opt_rand = Zeroizing::new([0; MAX_SEED]);
        let opt_rand = &mut opt_rand[..self.set.n()];
        rng.fill(opt_rand)?;
        Ok(self.sign_with(message, &Mode::default(), Some(opt_rand))?)
    }
}

impl signature::Verifier<Signature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), signature::Error> {
        self.multipart_verify(&[message], signature)
    }
}

impl MultipartVerifier<Signature> for VerifyingKey {
    fn multipart_verify(&self, message: &[&[u8]], signature: &Signature) -> Result<(), signature::Error> {
        Ok(Self::verify(self, message, &Mode::default(), signature.as_ref())?)
    }
}
