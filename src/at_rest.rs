//! Private keys encrypted under a passphrase: PKCS#8 EncryptedPrivateKeyInfo (RFC 5958 section 3) with PBES2 (RFC 8018
//! section 6.2), PBKDF2 for the key and AES in CBC mode, the form that OpenSSL reads and writes.
//!
//! What is written has HMAC-SHA-256 or HMAC-SHA-512 and AES-256; what is read may also have HMAC-SHA-224 and -384, and
//! AES-128 and -192, with salts of up to 32 bytes. CBC does not authenticate: whoever can change the file can change what
//! is read from it.
//!
//! ```
//! # use hashloom::{Engine, at_rest, slh_dsa::{ParameterSet, SigningKey}};
//! # #[cfg(feature = "getrandom")] {
//! let engine = Engine::get();
//! let key = SigningKey::generate(ParameterSet::Sha2_128f, &engine, &mut getrandom::SysRng)?;
//! let protection = at_rest::Protection { iterations: 1000, ..Default::default() };
//! let locked = at_rest::encrypt(&engine, b"passphrase", &key.to_pkcs8_der(), &protection, &mut getrandom::SysRng)?;
//! let opened = at_rest::decrypt(&engine, b"passphrase", &locked, at_rest::MAX_ITERATIONS)?;
//! assert_eq!(opened, key.to_pkcs8_der());
//! # }
//! # Ok::<(), hashloom::Error>(())
//! ```

use alloc::{string::String, vec::Vec};
use core::ops::ControlFlow;

use aes::{
    Aes128, Aes192, Aes256,
    cipher::{
        BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit,
        block_padding::Pkcs7,
    },
};
use der::{
    AnyRef, Decode, ErrorKind, Reader, SecretDocument, SliceReader,
    asn1::{OctetStringRef, UintRef},
    pem::{LineEnding, PemLabel},
};
use pkcs8::{
    EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef,
    pkcs5::{
        EncryptionScheme,
        pbes2::{self, EncryptionScheme as Cipher, Kdf, PBES2_OID, PBKDF2_OID, Pbkdf2Params, Pbkdf2Prf},
    },
};
use rand_core::TryCryptoRng;
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

use crate::{
    engine::Engine,
    error::Error,
    hash::Hash,
    pbkdf2::{self, Derivation, Progress},
    secret::wipe_stack,
    sha2::{Sha224, Sha256, Sha384, Sha512},
};

/// Iterations of PBKDF2 unless others are asked for.
pub const DEFAULT_ITERATIONS: u32 = 600_000;
/// The most iterations that are written, and a sensible limit for what is read: the time that a file costs whoever opens
/// it is for its writer to say.
pub const MAX_ITERATIONS: u32 = 10_000_000;
/// Bytes of a block of AES, and so of an initialization vector.
const BLOCK: usize = 16;
/// Bytes of salt that are written.
const SALT: usize = 16;
/// The most bytes of salt that are read, which is what `pkcs5` has room for.
const MAX_SALT: usize = 32;

/// PBKDF2's function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prf {
    /// HMAC-SHA-256.
    #[default]
    HmacSha256,
    /// HMAC-SHA-512.
    HmacSha512,
}

/// How a passphrase becomes a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protection {
    /// PBKDF2's function.
    pub prf: Prf,
    /// PBKDF2's iterations, from 1 to [`MAX_ITERATIONS`].
    pub iterations: u32,
}

/// HMAC-SHA-256 and [`DEFAULT_ITERATIONS`].
impl Default for Protection {
    fn default() -> Self {
        Self { prf: Prf::default(), iterations: DEFAULT_ITERATIONS }
    }
}

/// Encrypts a private key, PKCS#8 in DER, with AES-256; the result is DER as well. Salt and initialization vector are
/// fresh.
///
/// # Errors
/// [`Error::InvalidEncoding`] if `key` is not PKCS#8, [`Error::NothingToDerive`], [`Error::TooManyIterations`],
/// [`Error::Randomness`].
pub fn encrypt<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    passphrase: &[u8],
    key: &[u8],
    protection: &Protection,
    rng: &mut R,
) -> Result<Vec<u8>, Error> {
    encrypt_with(engine, passphrase, key, protection, rng, &mut |_| ControlFlow::Continue(()))
}

/// As [`encrypt`], telling `progress` how far PBKDF2 is.
///
/// # Errors
/// As [`encrypt`], and [`Error::Cancelled`].
pub fn encrypt_with<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    passphrase: &[u8],
    key: &[u8],
    protection: &Protection,
    rng: &mut R,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<u8>, Error> {
    PrivateKeyInfoRef::from_der(key).map_err(|_| Error::InvalidEncoding)?;
    if protection.iterations > MAX_ITERATIONS {
        return Err(Error::TooManyIterations { limit: MAX_ITERATIONS });
    }
    let (mut salt, mut iv) = ([0; SALT], [0; BLOCK]);
    for bytes in [&mut salt[..], &mut iv] {
        rng.try_fill_bytes(bytes).map_err(|_| Error::Randomness)?;
    }
    let kdf = Pbkdf2Params {
        salt: salt[..].try_into().map_err(|_| Error::InvalidEncoding)?,
        iteration_count: protection.iterations,
        key_length: None,
        prf: match protection.prf {
            Prf::HmacSha256 => Pbkdf2Prf::HmacWithSha256,
            Prf::HmacSha512 => Pbkdf2Prf::HmacWithSha512,
        },
    };
    let parameters = pbes2::Parameters { kdf: kdf.into(), encryption: Cipher::Aes256Cbc { iv } };
    let aes_key = derive(engine, passphrase, &parameters, progress)?;
    let mut data = Zeroizing::new(alloc::vec![0; key.len() + BLOCK]);
    data[..key.len()].copy_from_slice(key);
    let len = lock::<Aes256>(&aes_key, &iv, &mut data, key.len())?;
    wipe_stack();
    let encrypted_data = OctetStringRef::new(&data[..len]).map_err(|_| Error::InvalidEncoding)?;
    let info = EncryptedPrivateKeyInfoRef { encryption_algorithm: parameters.into(), encrypted_data };
    Ok(SecretDocument::try_from(&info).map_err(|_| Error::InvalidEncoding)?.as_bytes().to_vec())
}

/// Decrypts EncryptedPrivateKeyInfo in DER; the result is PKCS#8 in DER. What asks for more than `limit` iterations is
/// refused before any work.
///
/// # Errors
/// [`Error::WrongPassphrase`], which a damaged file makes as well, [`Error::TooManyIterations`],
/// [`Error::UnsupportedEncryption`], [`Error::InvalidEncoding`].
pub fn decrypt(engine: &Engine, passphrase: &[u8], der: &[u8], limit: u32) -> Result<Zeroizing<Vec<u8>>, Error> {
    decrypt_with(engine, passphrase, der, limit, &mut |_| ControlFlow::Continue(()))
}

/// As [`decrypt`], telling `progress` how far PBKDF2 is.
///
/// # Errors
/// As [`decrypt`], and [`Error::Cancelled`].
pub fn decrypt_with(
    engine: &Engine,
    passphrase: &[u8],
    der: &[u8],
    limit: u32,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    check_cost(der, limit)?;
    let info = EncryptedPrivateKeyInfoRef::from_der(der).map_err(|error| unreadable(&error))?;
    let EncryptionScheme::Pbes2(parameters) = &info.encryption_algorithm else {
        return Err(Error::UnsupportedEncryption);
    };
    let data = info.encrypted_data.as_bytes();
    if data.is_empty() || !data.len().is_multiple_of(BLOCK) {
        return Err(Error::InvalidEncoding);
    }
    let unlock = match parameters.encryption {
        Cipher::Aes128Cbc { iv } => (unlock::<Aes128> as Unlock, iv),
        Cipher::Aes192Cbc { iv } => (unlock::<Aes192> as Unlock, iv),
        Cipher::Aes256Cbc { iv } => (unlock::<Aes256> as Unlock, iv),
        _ => return Err(Error::UnsupportedEncryption),
    };
    let aes_key = derive(engine, passphrase, parameters, progress)?;
    let mut key = Zeroizing::new(data.to_vec());
    let (unlock, iv) = unlock;
    let len = unlock(&aes_key, &iv, &mut key);
    wipe_stack();
    key.truncate(len?);
    // one wrong passphrase in 256 leaves good padding
    PrivateKeyInfoRef::from_der(&key).map_err(|_| Error::WrongPassphrase)?;
    Ok(key)
}

/// EncryptedPrivateKeyInfo as text (`ENCRYPTED PRIVATE KEY`).
///
/// # Errors
/// [`Error::InvalidEncoding`] if `der` is too long.
pub fn to_pem(der: &[u8]) -> Result<String, Error> {
    der::pem::encode_string(EncryptedPrivateKeyInfoRef::PEM_LABEL, LineEnding::LF, der)
        .map_err(|_| Error::InvalidEncoding)
}

/// Whether a text is PEM with the label of an encrypted key.
pub fn is_pem(text: &str) -> bool {
    der::pem::decode_label(text.as_bytes()).is_ok_and(|label| label == EncryptedPrivateKeyInfoRef::PEM_LABEL)
}

/// The DER of [`to_pem`]'s text.
///
/// # Errors
/// [`Error::InvalidEncoding`].
pub fn from_pem(pem: &str) -> Result<Vec<u8>, Error> {
    match der::pem::decode_vec(pem.as_bytes()) {
        Ok((EncryptedPrivateKeyInfoRef::PEM_LABEL, der)) => Ok(der),
        _ => Err(Error::InvalidEncoding),
    }
}

/// Whether DER has the outer form of an encrypted key: a SEQUENCE of a SEQUENCE and an OCTET STRING.
pub fn is_der(der: &[u8]) -> bool {
    parts(der).is_ok()
}

fn parts(der: &[u8]) -> der::Result<(AlgorithmIdentifierRef<'_>, &OctetStringRef)> {
    let mut reader = SliceReader::new(der)?;
    let parts = reader.sequence(|reader| Ok::<_, der::Error>((reader.decode()?, reader.decode()?)))?;
    reader.finish()?;
    Ok(parts)
}

fn unreadable(error: &der::Error) -> Error {
    match error.kind() {
        ErrorKind::OidUnknown { .. } => Error::UnsupportedEncryption,
        _ => Error::InvalidEncoding,
    }
}

/// Reads the number of iterations, however large, and the length of the salt before anything else is looked at: what
/// parses the rest gives up on large ones without saying why.
fn check_cost(der: &[u8], limit: u32) -> Result<(), Error> {
    let (scheme, _) = parts(der).map_err(|_| Error::InvalidEncoding)?;
    let (Some(parameters), PBES2_OID) = (scheme.parameters, scheme.oid) else {
        return Err(Error::UnsupportedEncryption);
    };
    let kdf: AlgorithmIdentifierRef<'_> = parameters
        .sequence(|reader| {
            let kdf = reader.decode()?;
            reader.decode::<AnyRef<'_>>()?;
            Ok::<_, der::Error>(kdf)
        })
        .map_err(|_| Error::InvalidEncoding)?;
    let (Some(parameters), PBKDF2_OID) = (kdf.parameters, kdf.oid) else {
        return Err(Error::UnsupportedEncryption);
    };
    let (salt, count): (usize, u64) = parameters
        .sequence(|reader| {
            let salt = reader.decode::<AnyRef<'_>>()?;
            let count = reader.decode::<UintRef<'_>>()?;
            while !reader.is_finished() {
                reader.decode::<AnyRef<'_>>()?;
            }
            let bytes = count.as_bytes();
            let value = bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
            Ok::<_, der::Error>((salt.value().len(), if bytes.len() > 8 { u64::MAX } else { value }))
        })
        .map_err(|_| Error::InvalidEncoding)?;
    match count {
        0 => Err(Error::InvalidEncoding),
        _ if count > limit.into() => Err(Error::TooManyIterations { limit }),
        _ if salt > MAX_SALT => Err(Error::UnsupportedEncryption),
        _ => Ok(()),
    }
}

/// RFC 8018 section 6.2.1 steps 2 and 3: the cipher's key.
fn derive(
    engine: &Engine,
    passphrase: &[u8],
    parameters: &pbes2::Parameters,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let len = parameters.encryption.key_size();
    let Kdf::Pbkdf2(kdf) = &parameters.kdf else {
        return Err(Error::UnsupportedEncryption);
    };
    if kdf.key_length.is_some_and(|said| usize::from(said) != len) {
        return Err(Error::InvalidEncoding);
    }
    let mut key = Zeroizing::new(alloc::vec![0; len]);
    let mut one = [Derivation { password: passphrase, salt: kdf.salt.as_bytes(), out: &mut key }];
    let count = kdf.iteration_count;
    match kdf.prf {
        Pbkdf2Prf::HmacWithSha224 => pbkdf2::derive_many_with(Sha224::on(engine), count, &mut one, progress),
        Pbkdf2Prf::HmacWithSha256 => pbkdf2::derive_many_with(Sha256::on(engine), count, &mut one, progress),
        Pbkdf2Prf::HmacWithSha384 => pbkdf2::derive_many_with(Sha384::on(engine), count, &mut one, progress),
        Pbkdf2Prf::HmacWithSha512 => pbkdf2::derive_many_with(Sha512::on(engine), count, &mut one, progress),
        _ => Err(Error::UnsupportedEncryption),
    }?;
    Ok(key)
}

/// Encrypts the first `len` bytes of `data`, which has a block more than that; returns how much of it is used.
#[inline(never)]
fn lock<C: BlockCipherEncrypt + KeyInit>(
    key: &[u8],
    iv: &[u8; BLOCK],
    data: &mut [u8],
    len: usize,
) -> Result<usize, Error> {
    let cipher = C::new_from_slice(key).map_err(|_| Error::InvalidEncoding)?;
    let cbc = cbc::Encryptor::<C>::inner_iv_slice_init(cipher, iv).map_err(|_| Error::InvalidEncoding)?;
    cbc.encrypt_padded::<Pkcs7>(data, len).map(<[u8]>::len).map_err(|_| Error::InvalidEncoding)
}

type Unlock = fn(&[u8], &[u8; BLOCK], &mut [u8]) -> Result<usize, Error>;

/// Decrypts in place; returns how many bytes are left without the padding.
#[inline(never)]
fn unlock<C: BlockCipherDecrypt + KeyInit>(key: &[u8], iv: &[u8; BLOCK], data: &mut [u8]) -> Result<usize, Error> {
    let cipher = C::new_from_slice(key).map_err(|_| Error::InvalidEncoding)?;
    let cbc = cbc::Decryptor::<C>::inner_iv_slice_init(cipher, iv).map_err(|_| Error::InvalidEncoding)?;
    cbc.decrypt_padded::<Pkcs7>(data).map(<[u8]>::len).map_err(|_| Error::WrongPassphrase)
}
