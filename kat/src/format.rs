//! The files: what of their fields is read, and how.

use std::{borrow::Cow, fmt, io::Read, ops::Deref};

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{error::KatError, hashes::Function, keyed::Kind, ml_dsa, report::Trouble, slh_dsa::Operation, wycheproof};

/// Bytes that a gzipped file may unpack to; the largest published vector set has a tenth of it.
const LIMIT: u64 = 1 << 29;

/// The vectors of one file, ready to run.
#[derive(Debug)]
pub struct VectorFile {
    pub(crate) suite: Suite,
    pub(crate) groups: Vec<Group>,
}

/// Names the algorithm and mode.
impl fmt::Display for VectorFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.suite {
            Suite::MlDsa(operation) => write!(f, "{} {}", ml_dsa::ALGORITHM, operation.mode()),
            Suite::SlhDsa(operation) => write!(f, "{} {}", Operation::ALGORITHM, operation.mode()),
            Suite::Hash(function) => f.write_str(function.name()),
            Suite::Keyed(kind) => f.write_str(kind.name()),
        }
    }
}

/// What a file tests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Suite {
    MlDsa(Operation),
    SlhDsa(Operation),
    Hash(Function),
    Keyed(Kind),
}

/// Reads a vector file: a JSON object with `testGroups`, or an array of a version object and such an object, plain or
/// gzipped. Files in Wycheproof's form, which name a `schema`, are read as well.
pub fn read(bytes: &[u8]) -> Result<VectorFile, KatError> {
    let json = unpack(bytes, LIMIT)?;
    let Header { algorithm, mode, schema } = parse(&json)?;
    if let Some(schema) = schema {
        if let Some((kind, function)) = wycheproof::keyed(&algorithm, &schema) {
            return Ok(VectorFile {
                suite: Suite::Keyed(kind),
                groups: wycheproof::keyed_groups(&function, parse(&json)?),
            });
        }
        let suite = wycheproof::suite(&algorithm, &schema);
        let Some(suite) = suite else { return Err(KatError::Unsupported { algorithm, mode }) };
        return Ok(VectorFile { suite, groups: wycheproof::groups(&algorithm, parse(&json)?) });
    }
    if let Some((kind, function)) = Kind::from_name(&algorithm, mode.as_deref()) {
        let Body { test_groups: mut groups } = parse(&json)?;
        if function.is_some() {
            groups.iter_mut().for_each(|group| group.hmac_alg.clone_from(&function));
        }
        return Ok(VectorFile { suite: Suite::Keyed(kind), groups });
    }
    let suite = match (algorithm.as_str(), mode.as_deref()) {
        (Operation::ALGORITHM, Some(mode)) => Operation::from_mode(mode).map(Suite::SlhDsa),
        (ml_dsa::ALGORITHM, Some(mode)) => Operation::from_mode(mode).map(Suite::MlDsa),
        (name, None) => Function::from_name(name).map(Suite::Hash),
        _ => None,
    };
    let suite = suite.ok_or(KatError::Unsupported { algorithm, mode })?;
    let Body { test_groups } = parse(&json)?;
    Ok(VectorFile { suite, groups: test_groups })
}

fn unpack(bytes: &[u8], limit: u64) -> Result<Cow<'_, [u8]>, KatError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut json = Vec::new();
    MultiGzDecoder::new(bytes).take(limit + 1).read_to_end(&mut json).map_err(KatError::Gzip)?;
    if json.len() as u64 > limit {
        return Err(KatError::TooLarge { limit });
    }
    Ok(Cow::Owned(json))
}

/// The vector set's object, of which `T` reads what it knows.
fn parse<T: DeserializeOwned>(json: &[u8]) -> Result<T, KatError> {
    if json.trim_ascii_start().starts_with(b"[") {
        serde_json::from_slice::<(Version, T)>(json).map(|(_, set)| set)
    } else {
        serde_json::from_slice(json)
    }
    .map_err(KatError::Json)
}

/// The object that precedes a vector set in the protocol's messages.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    #[serde(rename = "acvVersion")]
    _acv_version: String,
}

#[derive(Deserialize)]
struct Header {
    algorithm: String,
    mode: Option<String>,
    schema: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    test_groups: Vec<Group>,
}

/// Cases that share their parameters. What a field means, and whether it must be there, depends on the algorithm.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Group {
    pub tg_id: u64,
    pub test_type: String,
    pub parameter_set: Option<String>,
    pub deterministic: Option<bool>,
    pub signature_interface: Option<String>,
    pub pre_hash: Option<String>,
    pub external_mu: Option<bool>,
    pub mct_version: Option<String>,
    pub min_out_len: Option<u64>,
    pub max_out_len: Option<u64>,
    pub hmac_alg: Option<String>,
    pub key_len: Option<u64>,
    pub msg_len: Option<u64>,
    pub mac_len: Option<u64>,
    pub kdf_configuration: Option<KdfConfiguration>,
    pub tests: Vec<Vector>,
}

/// A case: inputs and expected outputs.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Vector {
    pub tc_id: u64,
    pub seed: Option<Hex>,
    pub sk_seed: Option<Hex>,
    pub sk_prf: Option<Hex>,
    pub pk_seed: Option<Hex>,
    pub sk: Option<Hex>,
    pub pk: Option<Hex>,
    pub message: Option<Hex>,
    pub context: Option<Hex>,
    pub hash_alg: Option<String>,
    pub additional_randomness: Option<Hex>,
    pub rnd: Option<Hex>,
    pub mu: Option<Hex>,
    pub signature: Option<Hex>,
    /// Not NIST's: SHA-256 of the expected signature, in files that leave the signature itself out.
    pub signature_sha256: Option<Hex>,
    pub test_passed: Option<bool>,
    /// Not NIST's: the private key and the public key as files have them.
    pub pkcs8: Option<Hex>,
    pub spki: Option<Hex>,
    pub msg: Option<Hex>,
    pub len: Option<u64>,
    pub out_len: Option<u64>,
    pub md: Option<Hex>,
    pub results_array: Option<Vec<Checkpoint>>,
    pub large_msg: Option<LargeMessage>,
    pub key: Option<Hex>,
    pub mac: Option<Hex>,
    pub key_len: Option<u64>,
    pub msg_len: Option<u64>,
    pub mac_len: Option<u64>,
    pub ikm: Option<Hex>,
    pub salt: Option<Hex>,
    pub info: Option<Hex>,
    pub length: Option<u64>,
    pub prk: Option<Hex>,
    pub okm: Option<Hex>,
    pub password: Option<Password>,
    pub iteration_count: Option<u64>,
    pub derived_key: Option<Hex>,
    pub fixed_info_party_u: Option<Party>,
    pub fixed_info_party_v: Option<Party>,
    pub kdf_parameter: Option<KdfParameter>,
    pub dkm: Option<Hex>,
}

/// A password, which is text in NIST's files.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Password(pub Vec<u8>);

impl From<String> for Password {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

/// How FixedInfo is put together.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KdfConfiguration {
    pub fixed_info_pattern: String,
    pub fixed_info_encoding: String,
}

/// What a party adds to FixedInfo.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Party {
    pub party_id: Hex,
    pub ephemeral_data: Option<Hex>,
}

/// Inputs of a key derivation; `l` is the length of its output in bits.
#[derive(Debug, Deserialize)]
pub(crate) struct KdfParameter {
    pub salt: Hex,
    pub z: Hex,
    pub l: u64,
}

/// One of the outputs of a Monte Carlo test.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checkpoint {
    pub md: Hex,
    pub out_len: Option<u64>,
}

/// The message of a large-data test: `content` over and over, lengths in bits.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LargeMessage {
    pub content: Hex,
    pub content_length: u64,
    pub full_length: u64,
    pub expansion_technique: String,
}

/// Bytes that are hexadecimal in the file.
#[derive(Clone, Default, Deserialize, PartialEq, Eq)]
pub(crate) struct Hex(#[serde(with = "hex::serde")] Vec<u8>);

impl Deref for Hex {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

/// A field that the case cannot be judged without.
#[allow(clippy::ref_option)] // the callers' fields are options
pub(crate) fn need<'a, T>(field: &'a Option<T>, name: &str) -> Result<&'a T, Trouble> {
    field.as_ref().ok_or_else(|| Trouble::Skipped(format!("no {name:?} in the file")))
}

/// A value that means nothing here.
pub(crate) fn unknown(field: &str, value: &str) -> Trouble {
    Trouble::Skipped(format!("{field} {value:?} is unknown"))
}

/// Whole bytes of a length in bits.
pub(crate) fn whole_bytes(field: &str, bits: u64) -> Result<usize, Trouble> {
    match usize::try_from(bits / 8) {
        Ok(bytes) if bits.is_multiple_of(8) => Ok(bytes),
        _ => Err(Trouble::Skipped(format!("{field} of {bits} bits is not a usable number of whole bytes"))),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn unpacks_up_to_the_limit() {
        let packed = gzip(&[b' '; 1000]);
        assert_eq!(unpack(&packed, 1000).unwrap().len(), 1000);
        assert!(matches!(unpack(&packed, 999), Err(KatError::TooLarge { limit: 999 })));
    }

    #[test]
    fn joins_gzip_members_and_refuses_damaged_ones() {
        let members = [gzip(b"{\"a\":"), gzip(b"1}")].concat();
        assert_eq!(*unpack(&members, LIMIT).unwrap(), *b"{\"a\":1}");
        for damaged in [&members[..members.len() - 1], &[&*members, b"rest"].concat(), &[0x1f, 0x8b]] {
            assert!(matches!(unpack(damaged, LIMIT), Err(KatError::Gzip(_))));
        }
    }
}
