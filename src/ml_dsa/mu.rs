//! The message representative mu (FIPS 204 Alg. 7 line 6, Alg. 8 line 7), computed where the message is.

use alloc::vec::Vec;
use core::fmt;

use super::{
    functions::H,
    params::{ParameterSet, WIDE},
};
use crate::{
    engine::Engine,
    error::Error,
    hash::{Hash, Incremental},
    message::Message,
    prehash::{Mode, PreHash, PreHasher, domain},
};

/// What a signature of ML-DSA is made of in place of the message: mu, 64 bytes, from tr = H(pk) and M'. It is all that a
/// signer needs to know of a message, and tells no more about it than a hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Mu([u8; WIDE]);

impl Mu {
    /// Takes mu as another implementation has computed it.
    pub const fn from_bytes(bytes: [u8; WIDE]) -> Self {
        Self(bytes)
    }

    /// Its 64 bytes.
    pub const fn as_bytes(&self) -> &[u8; WIDE] {
        &self.0
    }

    /// mu of a message that is read once.
    pub(crate) fn of<M: Message>(engine: &Engine, tr: &[u8], mut message: M, mode: &Mode<'_>) -> Result<Self, Error> {
        let mut hasher = MuHasher::new(engine, tr, mode)?;
        message.feed(&mut |data| hasher.update(data))?;
        hasher.finish()
    }
}

impl fmt::Debug for Mu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mu(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

/// mu in progress, made by [`VerifyingKey::mu`](super::VerifyingKey::mu).
pub struct MuHasher {
    outer: <H as Hash>::Hasher,
    body: Body,
}

/// What becomes of the message.
enum Body {
    /// It ends M'.
    Plain,
    /// Its digest does.
    Hashed(PreHash, PreHasher),
    /// It is the digest, which has a length.
    Digest { expected: usize, actual: usize },
}

impl MuHasher {
    /// H of tr and the head of M' (Alg. 2 line 10, Alg. 4 line 23, and the same of Alg. 3 and 5).
    pub(crate) fn new(engine: &Engine, tr: &[u8], mode: &Mode<'_>) -> Result<Self, Error> {
        let (head, body) = match *mode {
            Mode::Internal => (Vec::new(), Body::Plain),
            Mode::Pure { context } => (domain(0, context)?, Body::Plain),
            Mode::PreHash { context, function } => {
                (domain(1, context)?, Body::Hashed(function, function.hasher(engine)))
            }
            Mode::Digest { context, function } => {
                (domain(1, context)?, Body::Digest { expected: function.digest_len(), actual: 0 })
            }
        };
        let mut outer = H::on(engine).hasher();
        outer.update(tr);
        outer.update(&head);
        if let Mode::PreHash { function, .. } | Mode::Digest { function, .. } = *mode {
            outer.update(&function.oid_der());
        }
        Ok(Self { outer, body })
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, data: &[u8]) {
        match &mut self.body {
            Body::Hashed(_, inner) => return inner.update(data),
            Body::Digest { actual, .. } => *actual = actual.saturating_add(data.len()),
            Body::Plain => {}
        }
        self.outer.update(data);
    }

    /// mu of everything.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if a digest was to be given and has another length.
    pub fn finish(mut self) -> Result<Mu, Error> {
        match self.body {
            Body::Hashed(function, inner) => {
                let mut digest = [0; 64];
                let digest = &mut digest[..function.digest_len()];
                inner.finish(digest);
                self.outer.update(digest);
            }
            Body::Digest { expected, actual } if actual != expected => {
                return Err(Error::WrongLength { expected, actual });
            }
            Body::Digest { .. } | Body::Plain => {}
        }
        let mut mu = [0; WIDE];
        self.outer.finish(&mut mu);
        Ok(Mu(mu))
    }
}

impl fmt::Debug for MuHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MuHasher").finish_non_exhaustive()
    }
}

/// tr = H(pk) (Alg. 6 line 9, Alg. 8 line 6).
pub(crate) fn tr(engine: &Engine, set: ParameterSet, public: &[u8]) -> [u8; WIDE] {
    debug_assert_eq!(public.len(), set.verifying_key_len());
    let mut hasher = H::on(engine).hasher();
    hasher.update(public);
    let mut tr = [0; WIDE];
    hasher.finish(&mut tr);
    tr
}
