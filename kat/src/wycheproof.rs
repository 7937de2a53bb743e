//! Files in the form of Wycheproof's: for ML-DSA and for the verification of SLH-DSA signatures, turned into groups of
//! sigGen and sigVer; and for HMAC, HKDF and PBKDF2, turned into groups of NIST's form.

use hashloom::{ml_dsa, slh_dsa};
use serde::Deserialize;

use crate::{
    format::{Group, Hex, Password, Suite, Vector},
    keyed::Kind,
    slh_dsa::Operation,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct File {
    test_groups: Vec<TestGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TestGroup {
    #[serde(rename = "type")]
    kind: String,
    public_key: Option<Hex>,
    public_key_der: Option<Hex>,
    private_key: Option<Hex>,
    private_seed: Option<Hex>,
    private_key_pkcs8: Option<Hex>,
    /// The function of pre-hash groups.
    hash: Option<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u64,
    msg: Option<Hex>,
    mu: Option<Hex>,
    ctx: Option<Hex>,
    rnd: Option<Hex>,
    sig: Hex,
    result: Verdict,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Valid,
    Invalid,
}

/// What a file with this `algorithm` and `schema` tests.
pub(crate) fn suite(algorithm: &str, schema: &str) -> Option<Suite> {
    let ml_dsa = |operation| algorithm.parse::<ml_dsa::ParameterSet>().ok().map(|_| Suite::MlDsa(operation));
    match schema {
        "slhdsa_verify_schema.json" => {
            algorithm.parse::<slh_dsa::ParameterSet>().ok().map(|_| Suite::SlhDsa(Operation::SigVer))
        }
        "mldsa_verify_schema.json" => ml_dsa(Operation::SigVer),
        "mldsa_sign_seed_schema.json" | "mldsa_sign_noseed_schema.json" => ml_dsa(Operation::SigGen),
        _ => None,
    }
}

/// Groups by their place in the file, from 1: they have no numbers. One of an unknown type is kept, to be skipped.
pub(crate) fn groups(set: &str, file: File) -> Vec<Group> {
    let group = |(tg_id, group): (u64, TestGroup)| {
        let (interface, pre_hash) = match group.kind.as_str() {
            "SlhDsaVerify" | "MlDsaVerify" | "MlDsaSign" => ("external", "pure"),
            "SlhDsaPreHashVerify" | "MlDsaPreHashVerify" => ("external", "preHash"),
            "SlhDsaInternalVerify" | "MlDsaInternalVerify" => ("internal", "none"),
            other => (other, "none"),
        };
        // an empty field stands for a key that has no encoding
        let encoded = |der: &Option<Hex>| der.clone().filter(|der| !der.is_empty());
        let test = |test: Test| Vector {
            tc_id: test.tc_id,
            pk: group.public_key.clone(),
            spki: encoded(&group.public_key_der),
            sk: group.private_key.clone(),
            seed: group.private_seed.clone(),
            pkcs8: encoded(&group.private_key_pkcs8),
            message: test.msg,
            mu: test.mu,
            context: Some(test.ctx.unwrap_or_default()),
            rnd: test.rnd,
            hash_alg: group.hash.clone(),
            signature: Some(test.sig),
            test_passed: Some(test.result == Verdict::Valid),
            ..Vector::default()
        };
        Group {
            tg_id,
            test_type: "AFT".to_string(),
            parameter_set: Some(set.to_string()),
            signature_interface: Some(interface.to_string()),
            pre_hash: Some(pre_hash.to_string()),
            tests: group.tests.into_iter().map(test).collect(),
            ..Group::default()
        }
    };
    (1..).zip(file.test_groups).map(group).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyedFile {
    test_groups: Vec<KeyedGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyedGroup {
    key_size: Option<u64>,
    tag_size: Option<u64>,
    tests: Vec<KeyedTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyedTest {
    tc_id: u64,
    key: Option<Hex>,
    msg: Option<Hex>,
    tag: Option<Hex>,
    ikm: Option<Hex>,
    salt: Option<Hex>,
    info: Option<Hex>,
    size: Option<u64>,
    okm: Option<Hex>,
    password: Option<Hex>,
    iteration_count: Option<u64>,
    dk_len: Option<u64>,
    dk: Option<Hex>,
    result: Verdict,
}

/// What a file with this `algorithm` and `schema` tests, and NIST's name of the hash function: `HMACSHA3-224`,
/// `HKDF-SHA-256` and `PBKDF2-HMACSHA512` are all of them.
pub(crate) fn keyed(algorithm: &str, schema: &str) -> Option<(Kind, String)> {
    let (kind, prefix) = match schema {
        "mac_test_schema_v1.json" => (Kind::Hmac, "HMACSHA"),
        "hkdf_test_schema_v1.json" => (Kind::Hkdf, "HKDF-SHA-"),
        "pbkdf_test_schema.json" => (Kind::Pbkdf2, "PBKDF2-HMACSHA"),
        _ => return None,
    };
    let size = algorithm.strip_prefix(prefix)?;
    Some((kind, if size.starts_with("3-") { format!("SHA{size}") } else { format!("SHA2-{size}") }))
}

/// Groups by their place in the file, from 1.
pub(crate) fn keyed_groups(function: &str, file: KeyedFile) -> Vec<Group> {
    let test = |test: KeyedTest| Vector {
        tc_id: test.tc_id,
        key: test.key,
        msg: test.msg,
        mac: test.tag,
        ikm: test.ikm,
        salt: test.salt,
        info: test.info,
        length: test.size,
        okm: test.okm,
        password: test.password.map(|password| Password(password.to_vec())),
        iteration_count: test.iteration_count,
        key_len: test.dk_len.map(|bytes| bytes.saturating_mul(8)),
        derived_key: test.dk,
        test_passed: Some(test.result == Verdict::Valid),
        ..Vector::default()
    };
    let group = |(tg_id, group): (u64, KeyedGroup)| Group {
        tg_id,
        test_type: "AFT".to_string(),
        hmac_alg: Some(function.to_string()),
        key_len: group.key_size,
        mac_len: group.tag_size,
        tests: group.tests.into_iter().map(test).collect(),
        ..Group::default()
    };
    (1..).zip(file.test_groups).map(group).collect()
}
