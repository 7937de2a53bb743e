//! Keys as PKCS#8 and SubjectPublicKeyInfo, DER and PEM (RFC 9881): the private key in one of three forms, the public
//! key raw, and algorithm parameters absent.

use alloc::{string::String, vec::Vec};

use der::{
    AnyRef, Decode, Document, Encode, EncodePem, EncodeValue, FixedTag, Length, SecretDocument, Tag, TagMode,
    TagNumber, Tagged, Writer,
    asn1::{BitStringRef, ContextSpecificRef, OctetStringRef},
    pem::{LineEnding, PemLabel},
};
use pkcs8::{EncodePrivateKey, PrivateKeyInfoRef};
use spki::{AlgorithmIdentifier, AlgorithmIdentifierRef, EncodePublicKey, SubjectPublicKeyInfoRef};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{
    keys::{SigningKey, VerifyingKey},
    params::ParameterSet,
};
use crate::{ct, engine::Engine, error::Error};

/// What PKCS#8 holds of a private key (RFC 9881 section 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivateKeyForm {
    /// The seed alone, 32 bytes.
    #[default]
    Seed,
    /// The expanded form alone (FIPS 204 Alg. 24).
    Expanded,
    /// Both.
    Both,
}

/// The seed's tag, `[0]`.
const SEED_TAG: TagNumber = TagNumber(0);

/// The third form, a SEQUENCE of the seed and the expanded key.
struct Both<'a>(&'a OctetStringRef, &'a OctetStringRef);

impl FixedTag for Both<'_> {
    const TAG: Tag = Tag::Sequence;
}

impl EncodeValue for Both<'_> {
    fn value_len(&self) -> der::Result<Length> {
        self.0.encoded_len()? + self.1.encoded_len()?
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        self.0.encode(writer)?;
        self.1.encode(writer)
    }
}

/// The set that an AlgorithmIdentifier names; parameters, NULL among them, are refused.
fn set_of(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<ParameterSet, Error> {
    if algorithm.parameters.is_some() {
        return Err(Error::InvalidEncoding);
    }
    ParameterSet::from_oid(algorithm.oid).ok_or(Error::InvalidEncoding)
}

fn algorithm(set: ParameterSet) -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifier { oid: set.oid(), parameters: None::<AnyRef<'_>> }
}

impl SigningKey {
    fn from_info(engine: &Engine, info: &PrivateKeyInfoRef<'_>) -> Result<Self, Error> {
        let set = set_of(&info.algorithm)?;
        let form = AnyRef::from_der(info.private_key.as_bytes()).map_err(|_| Error::InvalidEncoding)?;
        let key = match form.tag() {
            Tag::ContextSpecific { constructed: false, number: SEED_TAG } => {
                Self::from_seed(set, engine, form.value())?
            }
            Tag::OctetString => Self::from_bytes(set, engine, form.value())?,
            Tag::Sequence => {
                let both = form.sequence(|reader| {
                    Ok::<_, der::Error>((<&OctetStringRef>::decode(reader)?, <&OctetStringRef>::decode(reader)?))
                });
                let (seed, expanded) = both.map_err(|_| Error::InvalidEncoding)?;
                let key = Self::from_seed(set, engine, seed.as_bytes())?;
                let expected = key.to_bytes();
                if expanded.as_bytes().len() != expected.len() {
                    return Err(Error::WrongLength { expected: expected.len(), actual: expanded.as_bytes().len() });
                }
                if !ct::verdict(expanded.as_bytes().ct_eq(&expected)) {
                    return Err(Error::InconsistentKey);
                }
                key
            }
            _ => return Err(Error::InvalidEncoding),
        };
        match info.public_key {
            Some(public) if public.as_bytes() != Some(key.verifying_key().as_bytes()) => Err(Error::InconsistentKey),
            _ => Ok(key),
        }
    }

    /// Reads PKCS#8 in DER, any of the three forms, and checks the key: an expanded form as [`SigningKey::from_bytes`]
    /// does, or against the seed that comes with it, and a public key that comes with either.
    ///
    /// # Errors
    /// [`Error::InvalidEncoding`], [`Error::WrongLength`], [`Error::InconsistentKey`].
    pub fn from_pkcs8_der(engine: &Engine, der: &[u8]) -> Result<Self, Error> {
        let info = PrivateKeyInfoRef::from_der(der).map_err(|_| Error::InvalidEncoding)?;
        Self::from_info(engine, &info)
    }

    /// Reads PKCS#8 in PEM (`PRIVATE KEY`), as [`SigningKey::from_pkcs8_der`].
    ///
    /// # Errors
    /// As [`SigningKey::from_pkcs8_der`].
    pub fn from_pkcs8_pem(engine: &Engine, pem: &str) -> Result<Self, Error> {
        // a buffer of our own, since a document that turns out to be malformed leaves what it has read unwiped
        let mut der = Zeroizing::new(alloc::vec![0; pem.len()]);
        let (label, der) = der::pem::decode(pem.as_bytes(), &mut der).map_err(|_| Error::InvalidEncoding)?;
        PrivateKeyInfoRef::validate_pem_label(label).map_err(|_| Error::InvalidEncoding)?;
        Self::from_pkcs8_der(engine, der)
    }

    /// The key in a form; the error is that there is no seed.
    fn document(&self, form: PrivateKeyForm) -> Result<SecretDocument, Error> {
        let (seed, expanded) = (self.seed(), self.to_bytes());
        let octets = |bytes| OctetStringRef::new(bytes).expect("a key is shorter than a DER document may be");
        let seed = || seed.as_ref().map(|seed| octets(seed)).ok_or(Error::NoSeed);
        let expanded = octets(&expanded);
        // room for either, and for their headers: a vector that grows leaves its old bytes behind
        let mut key = Zeroizing::new(Vec::with_capacity(self.set().signing_key_len() + 64));
        match form {
            PrivateKeyForm::Seed => {
                let value = &seed()?;
                ContextSpecificRef { tag_number: SEED_TAG, tag_mode: TagMode::Implicit, value }.encode_to_vec(&mut key)
            }
            PrivateKeyForm::Expanded => expanded.encode_to_vec(&mut key),
            PrivateKeyForm::Both => Both(seed()?, expanded).encode_to_vec(&mut key),
        }
        .expect("a key can be encoded");
        let info = PrivateKeyInfoRef::new(algorithm(self.set()), octets(&key));
        Ok(SecretDocument::try_from(&info).expect("a key can be encoded"))
    }

    /// The seed where there is one, the expanded form otherwise.
    fn usual(&self) -> SecretDocument {
        let expanded = |_| self.document(PrivateKeyForm::Expanded);
        self.document(PrivateKeyForm::Seed).or_else(expanded).expect("the expanded form needs no seed")
    }

    /// Writes PKCS#8 in DER.
    ///
    /// # Errors
    /// [`Error::NoSeed`] if the form has the seed and the key was read without it.
    pub fn to_pkcs8_der(&self, form: PrivateKeyForm) -> Result<Zeroizing<Vec<u8>>, Error> {
        Ok(self.document(form)?.to_bytes())
    }

    /// Writes PKCS#8 in PEM.
    ///
    /// # Errors
    /// As [`SigningKey::to_pkcs8_der`].
    pub fn to_pkcs8_pem(&self, form: PrivateKeyForm) -> Result<Zeroizing<String>, Error> {
        let document = self.document(form)?;
        Ok(document.to_pem(PrivateKeyInfoRef::PEM_LABEL, LineEnding::LF).expect("DER can be written as PEM"))
    }
}

/// On the fastest engine for this CPU.
impl TryFrom<PrivateKeyInfoRef<'_>> for SigningKey {
    type Error = pkcs8::Error;
    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        let oid = info.algorithm.oid;
        ParameterSet::from_oid(oid).ok_or(spki::Error::OidUnknown { oid })?;
        Self::from_info(&Engine::get(), &info).map_err(|_| pkcs8::Error::KeyMalformed(pkcs8::KeyError::Invalid))
    }
}

/// The seed where there is one, the expanded form otherwise.
impl EncodePrivateKey for SigningKey {
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        Ok(self.usual())
    }
}

impl VerifyingKey {
    fn from_info(engine: &Engine, info: &SubjectPublicKeyInfoRef<'_>) -> Result<Self, Error> {
        let set = set_of(&info.algorithm)?;
        Self::from_bytes(set, engine, info.subject_public_key.as_bytes().ok_or(Error::InvalidEncoding)?)
    }

    /// Reads a SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// [`Error::InvalidEncoding`], [`Error::WrongLength`].
    pub fn from_spki_der(engine: &Engine, der: &[u8]) -> Result<Self, Error> {
        let info = SubjectPublicKeyInfoRef::from_der(der).map_err(|_| Error::InvalidEncoding)?;
        Self::from_info(engine, &info)
    }

    /// Reads a SubjectPublicKeyInfo in PEM (`PUBLIC KEY`).
    ///
    /// # Errors
    /// As [`VerifyingKey::from_spki_der`].
    pub fn from_spki_pem(engine: &Engine, pem: &str) -> Result<Self, Error> {
        let (label, document) = Document::from_pem(pem).map_err(|_| Error::InvalidEncoding)?;
        SubjectPublicKeyInfoRef::validate_pem_label(label).map_err(|_| Error::InvalidEncoding)?;
        Self::from_spki_der(engine, document.as_bytes())
    }

    fn info(&self) -> SubjectPublicKeyInfoRef<'_> {
        let key = BitStringRef::from_bytes(self.as_bytes()).expect("a key is shorter than a BIT STRING may be");
        SubjectPublicKeyInfoRef { algorithm: algorithm(self.set()), subject_public_key: key }
    }

    /// Writes a SubjectPublicKeyInfo in DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        Document::encode_msg(&self.info()).expect("a key can be encoded").into_vec()
    }

    /// Writes a SubjectPublicKeyInfo in PEM.
    pub fn to_spki_pem(&self) -> String {
        self.info().to_pem(LineEnding::LF).expect("DER can be written as PEM")
    }
}

/// On the fastest engine for this CPU.
impl TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey {
    type Error = spki::Error;
    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        let oid = info.algorithm.oid;
        ParameterSet::from_oid(oid).ok_or(spki::Error::OidUnknown { oid })?;
        Self::from_info(&Engine::get(), &info).map_err(|_| spki::Error::KeyMalformed)
    }
}

impl EncodePublicKey for VerifyingKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        Ok(Document::encode_msg(&self.info())?)
    }
}
