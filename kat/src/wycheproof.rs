//! Files in the form of Wycheproof's, for ML-DSA and for the verification of SLH-DSA signatures: turned into groups of
//! sigGen and sigVer.

use hashloom::{ml_dsa, slh_dsa};
use serde::Deserialize;

use crate::{
    format::{Group, Hex, Suite, Vector},
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
            "SlhDsaPreHashVerify" => ("external", "preHash"),
            "SlhDsaInternalVerify" => ("internal", "none"),
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
