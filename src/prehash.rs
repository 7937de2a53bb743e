//! The interfaces of both signature schemes (FIPS 204 sections 5.2 to 5.4, FIPS 205 section 10.2): how a message, a
//! context and a pre-hash function become M'. The two standards frame alike.

use alloc::{boxed::Box, vec::Vec};
use core::{fmt, str::FromStr};

use crate::{
    engine::Engine,
    error::Error,
    hash::{Hash, Incremental},
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256},
    message::Message,
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};

/// Which interface, and the context string of the external ones, 0 to 255 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode<'a> {
    /// `slh_sign_internal`, `ML-DSA.Sign_internal` and their likes: the message is M' itself. For tests and for protocols
    /// that frame messages themselves.
    Internal,
    /// `slh_sign`, `ML-DSA.Sign` and their likes.
    Pure {
        /// Bound to the signature; empty unless a protocol says otherwise.
        context: &'a [u8],
    },
    /// `hash_slh_sign`, `HashML-DSA.Sign` and their likes.
    PreHash {
        /// As for [`Mode::Pure`].
        context: &'a [u8],
        /// Hashes the message.
        function: PreHash,
    },
    /// As [`Mode::PreHash`], and the message given is the digest that the function has made elsewhere.
    Digest {
        /// As for [`Mode::Pure`].
        context: &'a [u8],
        /// What made the digest.
        function: PreHash,
    },
}

impl Default for Mode<'_> {
    /// Pure, with an empty context.
    fn default() -> Self {
        Self::Pure { context: &[] }
    }
}

macro_rules! functions {
    ($($function:ident = $name:literal $(| $alias:literal)*, $len:literal, $hash:ty;)*) => {
        /// A pre-hash function (FIPS 204 section 5.4, FIPS 205 section 10.2.2), in the order of the object identifiers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PreHash {
            $(#[doc = concat!($name, ", ", stringify!($len), "-byte digest.")] $function),*
        }

        impl PreHash {
            /// All twelve.
            pub const ALL: [Self; 12] = [$(Self::$function),*];

            /// The name, e.g. `SHA2-256`, `SHAKE128`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$function => $name),*
                }
            }

            /// Bytes of the digest; those of SHAKE are fixed by the standards.
            pub const fn digest_len(self) -> usize {
                match self {
                    $(Self::$function => $len),*
                }
            }

            /// The name and its other spellings.
            const fn spellings(self) -> &'static [&'static str] {
                match self {
                    $(Self::$function => &[$name $(, $alias)*]),*
                }
            }

            /// A digest in progress.
            pub(crate) fn hasher(self, engine: &Engine) -> PreHasher {
                match self {
                    $(Self::$function => PreHasher(Box::new(<$hash>::on(engine).hasher()))),*
                }
            }
        }
    };
}
functions! {
    Sha2_256 = "SHA2-256" | "SHA-256" | "SHA256", 32, Sha256;
    Sha2_384 = "SHA2-384" | "SHA-384" | "SHA384", 48, Sha384;
    Sha2_512 = "SHA2-512" | "SHA-512" | "SHA512", 64, Sha512;
    Sha2_224 = "SHA2-224" | "SHA-224" | "SHA224", 28, Sha224;
    Sha2_512_224 = "SHA2-512/224" | "SHA-512/224" | "SHA512/224", 28, Sha512_224;
    Sha2_512_256 = "SHA2-512/256" | "SHA-512/256" | "SHA512/256", 32, Sha512_256;
    Sha3_224 = "SHA3-224", 28, Sha3_224;
    Sha3_256 = "SHA3-256", 32, Sha3_256;
    Sha3_384 = "SHA3-384", 48, Sha3_384;
    Sha3_512 = "SHA3-512", 64, Sha3_512;
    Shake128 = "SHAKE128" | "SHAKE-128", 32, Shake128;
    Shake256 = "SHAKE256" | "SHAKE-256", 64, Shake256;
}

impl PreHash {
    /// The DER encoding of the function's object identifier, 2.16.840.1.101.3.4.2.1 to .12.
    pub(crate) const fn oid_der(self) -> [u8; 11] {
        [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 1 + self as u8]
    }
}

/// A message in progress, whichever function hashes it.
pub(crate) struct PreHasher(Box<dyn Absorb>);

impl PreHasher {
    pub(crate) fn update(&mut self, data: &[u8]) {
        self.0.absorb(data);
    }

    /// Writes the leading `out.len()` bytes of the digest.
    pub(crate) fn finish(self, out: &mut [u8]) {
        self.0.end(out);
    }
}

/// [`Incremental`] without its type.
trait Absorb: Send {
    fn absorb(&mut self, data: &[u8]);
    fn end(self: Box<Self>, out: &mut [u8]);
}

impl<I: Incremental> Absorb for I {
    fn absorb(&mut self, data: &[u8]) {
        self.update(data);
    }

    fn end(self: Box<Self>, out: &mut [u8]) {
        (*self).finish(out);
    }
}

impl fmt::Display for PreHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for PreHash {
    type Err = Error;
    /// Reads a name in upper or lower case; `SHA2-256` may be written `SHA-256` or `SHA256`, `SHAKE128` with a dash.
    fn from_str(name: &str) -> Result<Self, Error> {
        let is_spelled = |function: &Self| function.spellings().iter().any(|known| known.eq_ignore_ascii_case(name));
        Self::ALL.into_iter().find(is_spelled).ok_or(Error::UnknownName)
    }
}

/// M', read as often as needed; its readings must agree in length.
pub(crate) struct Framed<M> {
    head: Vec<u8>,
    body: Option<M>,
    length: Option<u64>,
}

impl<M: Message> Framed<M> {
    /// Builds M'. A pre-hash reads the message here, once.
    pub(crate) fn new(engine: &Engine, mode: &Mode<'_>, mut message: M) -> Result<Self, Error> {
        let head = match *mode {
            Mode::Internal => Vec::new(),
            Mode::Pure { context } => domain(0, context)?,
            Mode::PreHash { context, function } => {
                let mut head = domain(1, context)?;
                head.extend(function.oid_der());
                let at = head.len();
                head.resize(at + function.digest_len(), 0);
                let mut hasher = function.hasher(engine);
                message.feed(&mut |data| hasher.update(data))?;
                hasher.finish(&mut head[at..]);
                return Ok(Self { head, body: None, length: None });
            }
            Mode::Digest { context, function } => {
                let mut head = domain(1, context)?;
                head.extend(function.oid_der());
                let at = head.len();
                message.feed(&mut |data| head.extend(data))?;
                let (expected, actual) = (function.digest_len(), head.len() - at);
                if actual != expected {
                    return Err(Error::WrongLength { expected, actual });
                }
                return Ok(Self { head, body: None, length: None });
            }
        };
        Ok(Self { head, body: Some(message), length: None })
    }
}

/// The domain separator, the context's length and the context.
pub(crate) fn domain(separator: u8, context: &[u8]) -> Result<Vec<u8>, Error> {
    let length = u8::try_from(context.len()).map_err(|_| Error::ContextTooLong { length: context.len() })?;
    Ok([&[separator, length], context].concat())
}

impl<M: Message> Message for Framed<M> {
    fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        sink(&self.head);
        let Some(body) = &mut self.body else { return Ok(()) };
        let mut length = 0;
        body.feed(&mut |data| {
            length += data.len() as u64;
            sink(data);
        })?;
        match self.length.replace(length) {
            Some(before) if before != length => Err(Error::MessageChanged),
            _ => Ok(()),
        }
    }
}
