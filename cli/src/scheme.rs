//! The signature schemes under one set of names: parameter sets, keys and signatures, whichever scheme they are of. No
//! other part of the program that signs or verifies tells schemes apart.

use std::{
    fmt,
    io::{ErrorKind, Read, Seek},
    str::FromStr,
};

use clap::ValueEnum;
use hashloom::{Engine, Error, ml_dsa, slh_dsa};
use ml_dsa::{Mu, PrivateKeyForm};
use pkcs8::ObjectIdentifier;
use slh_dsa::{Mode, Randomness, Reader};
use zeroize::Zeroizing;

/// Bytes of mu.
const MU: usize = 64;

/// What [`Subject::check`] and [`Signer::reads_twice`] tell before.
const UNSUPPORTED: Error = Error::Read(ErrorKind::Unsupported);

/// The same for the value of either scheme.
macro_rules! either {
    ($self:expr, $value:pat => $body:expr) => {
        match $self {
            Self::SlhDsa($value) => $body,
            Self::MlDsa($value) => $body,
        }
    };
}

/// A parameter set of either scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    SlhDsa(slh_dsa::ParameterSet),
    MlDsa(ml_dsa::ParameterSet),
}

impl Set {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let slh_dsa = slh_dsa::ParameterSet::ALL.into_iter().map(Self::SlhDsa);
        slh_dsa.chain(ml_dsa::ParameterSet::ALL.into_iter().map(Self::MlDsa))
    }

    /// The standard's name.
    pub const fn name(self) -> &'static str {
        either!(self, set => set.name())
    }

    /// The set with this object identifier.
    pub fn from_oid(oid: ObjectIdentifier) -> Option<Self> {
        Self::all().find(|set| either!(set, set => set.oid()) == oid)
    }

    /// Bytes of a signature.
    pub fn signature_len(self) -> usize {
        either!(self, set => set.signature_len())
    }

    /// Bytes of what a key is made from: SK.seed, SK.prf and PK.seed, or xi.
    pub fn seed_len(self) -> usize {
        match self {
            Self::SlhDsa(set) => 3 * set.n(),
            Self::MlDsa(_) => 32,
        }
    }

    /// Bytes of a raw public key.
    pub fn public_len(self) -> usize {
        either!(self, set => set.verifying_key_len())
    }

    /// Bytes of a raw private key, in each of its forms.
    pub fn private_lens(self) -> Vec<usize> {
        match self {
            Self::SlhDsa(set) => vec![set.signing_key_len()],
            Self::MlDsa(set) => vec![self.seed_len(), set.signing_key_len()],
        }
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Set {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self, Error> {
        name.parse().map(Self::SlhDsa).or_else(|_| name.parse().map(Self::MlDsa))
    }
}

/// What of a file is signed.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    /// Its bytes, as a message.
    Message(Mode<'a>),
    /// The message whose mu it holds.
    Mu,
}

impl Subject<'_> {
    /// Whether a set's signatures can be of it; the text of the error goes with a key's file.
    pub fn check(self, set: Set) -> Result<(), String> {
        match (self, set) {
            (Self::Mu, Set::SlhDsa(_)) => Err(format!("is a key of {set}; mu is signed by ML-DSA alone")),
            _ => Ok(()),
        }
    }
}

/// Form of an ML-DSA private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The seed alone, from which everything follows
    Seed,
    /// The expanded key alone, which does not tell the seed
    Expanded,
    /// Both
    Both,
}

impl Form {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Expanded => "expanded",
            Self::Both => "both",
        }
    }

    /// Reads the first byte of the octets that PKCS#8 holds (RFC 9881 section 6).
    pub fn of_encoding(private_key: &[u8]) -> Option<Self> {
        match private_key.first() {
            Some(0x80) => Some(Self::Seed),
            Some(0x04) => Some(Self::Expanded),
            Some(0x30) => Some(Self::Both),
            _ => None,
        }
    }
}

impl From<Form> for PrivateKeyForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Seed => Self::Seed,
            Form::Expanded => Self::Expanded,
            Form::Both => Self::Both,
        }
    }
}

/// What one scheme made of an encoding, or the other if that is of an algorithm that the first does not know.
fn or_else<T>(first: Result<T, Error>, other: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    match first {
        Err(Error::InvalidEncoding) => other(),
        known => known,
    }
}

/// A private key.
pub enum SigningKey {
    SlhDsa(slh_dsa::SigningKey),
    MlDsa(ml_dsa::SigningKey),
}

impl SigningKey {
    /// A key from the operating system's randomness.
    pub fn generate(set: Set, engine: &Engine) -> Result<Self, Error> {
        let rng = &mut getrandom::SysRng;
        Ok(match set {
            Set::SlhDsa(set) => Self::SlhDsa(slh_dsa::SigningKey::generate(set, engine, rng)?),
            Set::MlDsa(set) => Self::MlDsa(ml_dsa::SigningKey::generate(set, engine, rng)?),
        })
    }

    /// The key that [`Set::seed_len`] bytes make.
    pub fn from_seed(set: Set, engine: &Engine, seed: &[u8]) -> Result<Self, Error> {
        if seed.len() != set.seed_len() {
            return Err(Error::WrongLength { expected: set.seed_len(), actual: seed.len() });
        }
        Ok(match set {
            Set::SlhDsa(set) => {
                let (sk_seed, rest) = seed.split_at(set.n());
                let (sk_prf, pk_seed) = rest.split_at(set.n());
                Self::SlhDsa(slh_dsa::SigningKey::from_seeds(set, engine, sk_seed, sk_prf, pk_seed)?)
            }
            Set::MlDsa(set) => Self::MlDsa(ml_dsa::SigningKey::from_seed(set, engine, seed)?),
        })
    }

    /// Reads the bytes of the standard, whose length is one of [`Set::private_lens`].
    pub fn from_raw(set: Set, engine: &Engine, bytes: &[u8]) -> Result<Self, Error> {
        match set {
            Set::SlhDsa(set) => slh_dsa::SigningKey::from_bytes(set, engine, bytes).map(Self::SlhDsa),
            Set::MlDsa(_) if bytes.len() == set.seed_len() => Self::from_seed(set, engine, bytes),
            Set::MlDsa(set) => ml_dsa::SigningKey::from_bytes(set, engine, bytes).map(Self::MlDsa),
        }
    }

    /// Reads PKCS#8 in DER.
    pub fn from_der(engine: &Engine, der: &[u8]) -> Result<Self, Error> {
        or_else(slh_dsa::SigningKey::from_pkcs8_der(engine, der).map(Self::SlhDsa), || {
            ml_dsa::SigningKey::from_pkcs8_der(engine, der).map(Self::MlDsa)
        })
    }

    /// Reads PKCS#8 in PEM.
    pub fn from_pem(engine: &Engine, pem: &str) -> Result<Self, Error> {
        or_else(slh_dsa::SigningKey::from_pkcs8_pem(engine, pem).map(Self::SlhDsa), || {
            ml_dsa::SigningKey::from_pkcs8_pem(engine, pem).map(Self::MlDsa)
        })
    }

    /// The parameter set.
    pub fn set(&self) -> Set {
        match self {
            Self::SlhDsa(key) => Set::SlhDsa(key.set()),
            Self::MlDsa(key) => Set::MlDsa(key.set()),
        }
    }

    /// The public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        match self {
            Self::SlhDsa(key) => VerifyingKey::SlhDsa(key.verifying_key()),
            Self::MlDsa(key) => VerifyingKey::MlDsa(key.verifying_key()),
        }
    }

    /// The form to write the key in, if its scheme has several: the one asked for, or that with the seed if there is one.
    fn form(&self, asked: Option<Form>) -> Option<Form> {
        match self {
            Self::SlhDsa(_) => None,
            Self::MlDsa(key) => Some(asked.unwrap_or(if key.seed().is_some() { Form::Seed } else { Form::Expanded })),
        }
    }

    /// Writes PKCS#8 in DER.
    pub fn to_der(&self, form: Option<Form>) -> Result<Zeroizing<Vec<u8>>, Error> {
        match self {
            Self::SlhDsa(key) => Ok(key.to_pkcs8_der()),
            Self::MlDsa(key) => key.to_pkcs8_der(self.form(form).map(Into::into).unwrap_or_default()),
        }
    }

    /// Writes PKCS#8 in PEM.
    pub fn to_pem(&self, form: Option<Form>) -> Result<Zeroizing<String>, Error> {
        match self {
            Self::SlhDsa(key) => Ok(key.to_pkcs8_pem()),
            Self::MlDsa(key) => key.to_pkcs8_pem(self.form(form).map(Into::into).unwrap_or_default()),
        }
    }

    /// Writes the bytes of the standard; `None` if there are none for both the seed and the expanded key.
    pub fn to_raw(&self, form: Option<Form>) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        Ok(match (self, self.form(form)) {
            (Self::SlhDsa(key), _) => Some(key.to_bytes()),
            (Self::MlDsa(key), Some(Form::Seed)) => Some(key.seed().ok_or(Error::NoSeed)?),
            (Self::MlDsa(_), Some(Form::Both)) => None,
            (Self::MlDsa(key), _) => Some(key.to_bytes()),
        })
    }

    /// The key, ready to sign many messages.
    pub fn into_signer(self) -> Signer {
        match self {
            Self::SlhDsa(key) => Signer::SlhDsa(key),
            Self::MlDsa(key) => Signer::MlDsa(Box::new(key.expand())),
        }
    }
}

/// A public key.
#[derive(Clone, PartialEq, Eq)]
pub enum VerifyingKey {
    SlhDsa(slh_dsa::VerifyingKey),
    MlDsa(ml_dsa::VerifyingKey),
}

impl VerifyingKey {
    /// Reads the bytes of the standard.
    pub fn from_raw(set: Set, engine: &Engine, bytes: &[u8]) -> Result<Self, Error> {
        match set {
            Set::SlhDsa(set) => slh_dsa::VerifyingKey::from_bytes(set, engine, bytes).map(Self::SlhDsa),
            Set::MlDsa(set) => ml_dsa::VerifyingKey::from_bytes(set, engine, bytes).map(Self::MlDsa),
        }
    }

    /// Reads a SubjectPublicKeyInfo in DER.
    pub fn from_der(engine: &Engine, der: &[u8]) -> Result<Self, Error> {
        or_else(slh_dsa::VerifyingKey::from_spki_der(engine, der).map(Self::SlhDsa), || {
            ml_dsa::VerifyingKey::from_spki_der(engine, der).map(Self::MlDsa)
        })
    }

    /// Reads a SubjectPublicKeyInfo in PEM.
    pub fn from_pem(engine: &Engine, pem: &str) -> Result<Self, Error> {
        or_else(slh_dsa::VerifyingKey::from_spki_pem(engine, pem).map(Self::SlhDsa), || {
            ml_dsa::VerifyingKey::from_spki_pem(engine, pem).map(Self::MlDsa)
        })
    }

    /// The parameter set.
    pub fn set(&self) -> Set {
        match self {
            Self::SlhDsa(key) => Set::SlhDsa(key.set()),
            Self::MlDsa(key) => Set::MlDsa(key.set()),
        }
    }

    /// The engine that verifies.
    pub fn engine(&self) -> &Engine {
        either!(self, key => key.engine())
    }

    /// The bytes of the standard.
    pub fn as_bytes(&self) -> &[u8] {
        either!(self, key => key.as_bytes())
    }

    /// Writes a SubjectPublicKeyInfo in DER.
    pub fn to_der(&self) -> Vec<u8> {
        either!(self, key => key.to_spki_der())
    }

    /// Writes a SubjectPublicKeyInfo in PEM.
    pub fn to_pem(&self) -> String {
        either!(self, key => key.to_spki_pem())
    }

    /// The key, ready to verify many signatures.
    pub fn into_verifier(self) -> Verifier {
        match self {
            Self::SlhDsa(key) => Verifier::SlhDsa(key),
            Self::MlDsa(key) => Verifier::MlDsa(key.expand()),
        }
    }
}

/// Reads mu, which must be all that there is.
fn read_mu(reader: impl Read) -> Result<Mu, Error> {
    let mut bytes = Vec::new();
    reader.take(MU as u64 + 1).read_to_end(&mut bytes)?;
    mu(&bytes)
}

fn mu(bytes: &[u8]) -> Result<Mu, Error> {
    let wrong = |_| Error::WrongLength { expected: MU, actual: bytes.len() };
    bytes.try_into().map(Mu::from_bytes).map_err(wrong)
}

/// Where a message comes from.
pub enum Source<'a> {
    /// What can be read again.
    Again(Box<dyn Again>),
    /// What cannot.
    Once(Box<dyn Read + 'a>),
}

/// A source that can be read again.
pub trait Again: Read + Seek {}
impl<T: Read + Seek> Again for T {}

impl Read for Source<'_> {
    fn read(&mut self, piece: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Again(source) => source.read(piece),
            Self::Once(source) => source.read(piece),
        }
    }
}

/// A private key ready to sign.
pub enum Signer {
    SlhDsa(slh_dsa::SigningKey),
    MlDsa(Box<ml_dsa::ExpandedSigningKey>),
}

impl Signer {
    /// Whether messages must be [`Source::Again`].
    pub fn reads_twice(&self) -> bool {
        matches!(self, Self::SlhDsa(_))
    }

    /// Signs a message.
    pub fn sign(&self, source: Source<'_>, subject: Subject<'_>, randomness: Randomness<'_>) -> Result<Vec<u8>, Error> {
        match (self, subject, source) {
            (Self::SlhDsa(key), Subject::Message(mode), Source::Again(source)) => {
                key.sign(Reader::new(source)?, &mode, randomness).map(Into::into)
            }
            (Self::SlhDsa(_), ..) => Err(UNSUPPORTED),
            (Self::MlDsa(key), Subject::Message(mode), source) => {
                key.sign_reader(source, &mode, randomness).map(Into::into)
            }
            (Self::MlDsa(key), Subject::Mu, source) => key.sign_mu(&read_mu(source)?, randomness).map(Into::into),
        }
    }
}

/// A public key ready to verify.
pub enum Verifier {
    SlhDsa(slh_dsa::VerifyingKey),
    MlDsa(ml_dsa::ExpandedVerifyingKey),
}

impl Verifier {
    /// Verifies the signature of a message that is read once.
    pub fn verify_reader(&self, reader: impl Read, subject: Subject<'_>, signature: &[u8]) -> Result<(), Error> {
        match (self, subject) {
            (Self::SlhDsa(key), Subject::Message(mode)) => key.verify_reader(reader, &mode, signature),
            (Self::MlDsa(key), Subject::Message(mode)) => key.verify_reader(reader, &mode, signature),
            (Self::MlDsa(key), Subject::Mu) => key.verify_mu(&read_mu(reader)?, signature),
            (Self::SlhDsa(_), Subject::Mu) => Err(UNSUPPORTED),
        }
    }

    /// mu of a message that is read once.
    pub fn mu(&self, mut reader: impl Read, mode: &Mode<'_>) -> Result<Mu, Error> {
        let Self::MlDsa(key) = self else { return Err(UNSUPPORTED) };
        let (mut hasher, mut piece) = (key.mu(mode)?, vec![0; 1 << 16]);
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return hasher.finish(),
                Ok(read) => hasher.update(&piece[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Verifies signatures of many messages, given with them: a verdict for each, in order.
    pub fn verify_batch(&self, items: &[(&[u8], &[u8])], subject: Subject<'_>) -> Vec<Result<(), Error>> {
        match (self, subject) {
            (Self::SlhDsa(key), Subject::Message(mode)) => {
                let item = |&(message, signature)| slh_dsa::Item { key, message, mode, signature };
                slh_dsa::verify_batch(&items.iter().map(item).collect::<Vec<_>>())
            }
            (Self::MlDsa(key), Subject::Message(mode)) => key.verify_batch(items, &mode),
            (_, Subject::Mu) => {
                items.iter().map(|&(message, signature)| self.verify_reader(message, subject, signature)).collect()
            }
        }
    }
}
