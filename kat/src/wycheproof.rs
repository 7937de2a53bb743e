//! Files in the form of Wycheproof's, for the verification of SLH-DSA signatures: turned into groups of sigVer.

use hashloom::slh_dsa::ParameterSet;
use serde::Deserialize;

use crate::format::{Group, Hex, Vector};

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
    public_key: Hex,
    /// The function of pre-hash groups.
    hash: Option<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u64,
    msg: Hex,
    ctx: Option<Hex>,
    sig: Hex,
    result: Verdict,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Valid,
    Invalid,
}

/// The parameter set of a file with this `algorithm` and `schema`.
pub(crate) fn set(algorithm: &str, schema: &str) -> Option<ParameterSet> {
    (schema == "slhdsa_verify_schema.json").then(|| algorithm.parse().ok()).flatten()
}

/// Groups by their place in the file, from 1: they have no numbers. One of an unknown type is kept, to be skipped.
pub(crate) fn groups(set: ParameterSet, file: File) -> Vec<Group> {
    let group = |(tg_id, group): (u64, TestGroup)| {
        let (interface, pre_hash) = match group.kind.as_str() {
            "SlhDsaVerify" => ("external", "pure"),
            "SlhDsaPreHashVerify" => ("external", "preHash"),
            "SlhDsaInternalVerify" => ("internal", "none"),
            other => (other, "none"),
        };
        let test = |test: Test| Vector {
            tc_id: test.tc_id,
            pk: Some(group.public_key.clone()),
            message: Some(test.msg),
            context: Some(test.ctx.unwrap_or_default()),
            hash_alg: group.hash.clone(),
            signature: Some(test.sig),
            test_passed: Some(test.result == Verdict::Valid),
            ..Vector::default()
        };
        Group {
            tg_id,
            test_type: "AFT".to_string(),
            parameter_set: Some(set.name().to_string()),
            signature_interface: Some(interface.to_string()),
            pre_hash: Some(pre_hash.to_string()),
            tests: group.tests.into_iter().map(test).collect(),
            ..Group::default()
        }
    };
    (1..).zip(file.test_groups).map(group).collect()
}
