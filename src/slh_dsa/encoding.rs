//! Keys as PKCS#8 and SubjectPublicKeyInfo, DER and PEM (RFC 9909): the private key is the raw 4n bytes, the public
//! key the raw 2n, and algorithm parameters are absent.

use alloc::{string::String, vec::Vec};

use der::{
    AnyRef, Decode, Document, EncodePem, SecretDocument,
    asn1::{BitStringRef, OctetStringRef},
    pem::{LineEnding, PemLabel},
};
use pkcs8::{EncodePrivateKey, PrivateKeyInfoRef};
use spki::{AlgorithmIdentifier, AlgorithmIdentifierRef, EncodePublicKey, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

use super::{
    keys::{SigningKey, VerifyingKey},
    params::ParameterSet,
};
use crate::{engine::Engine, error::Error};

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
        let key = Self::from_bytes(set_of(&info.algorithm)?, engine, info.private_key.as_bytes())?;
        match info.public_key {
            Some(public) if public.as_bytes() != Some(key.verifying_key().as_bytes()) => Err(Error::InconsistentKey),
            _ => Ok(key),
        }
    }

    /// Reads PKCS#8 in DER and checks the key as [`SigningKey::from_bytes`] does, and a public key that comes with it.
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

    fn document(&self) -> pkcs8::Result<SecretDocument> {
        let bytes = self.to_bytes();
        let info = PrivateKeyInfoRef::new(algorithm(self.set()), OctetStringRef::new(&bytes)?);
        SecretDocument::try_from(&info)
    }

    /// Writes PKCS#8 in DER.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        self.document().expect("a key of at most 128 bytes can be encoded").to_bytes()
    }

    /// Writes PKCS#8 in PEM.
    pub fn to_pkcs8_pem(&self) -> Zeroizing<String> {
        let document = self.document().expect("a key of at most 128 bytes can be encoded");
        document.to_pem(PrivateKeyInfoRef::PEM_LABEL, LineEnding::LF).expect("DER can be written as PEM")
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

impl EncodePrivateKey for SigningKey {
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        self.document()
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
        let key = BitStringRef::from_bytes(self.as_bytes()).expect("a key of at most 64 bytes is a BIT STRING");
        SubjectPublicKeyInfoRef { algorithm: algorithm(self.set()), subject_public_key: key }
    }

    /// Writes a SubjectPublicKeyInfo in DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        Document::encode_msg(&self.info()).expect("a key of at most 64 bytes can be encoded").into_vec()
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
