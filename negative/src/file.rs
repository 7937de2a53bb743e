//! The file: groups of tests that share a public key and an interface, in the form of Wycheproof's files for ML-DSA.

use std::collections::BTreeMap;

use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, PreHash, VerifyingKey},
};
use serde::{Deserialize, Serialize};

/// Which function of the standard verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// `slh_verify` (Alg. 24).
    Pure,
    /// `hash_slh_verify` (Alg. 25).
    PreHash(PreHash),
    /// `slh_verify_internal` (Alg. 20); the message is M'.
    Internal,
}

/// What a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    ValidSignature,
    BoundaryIndex,
    ArbitraryRandomizer,
    IncorrectSignatureLength,
    IncorrectPublicKeyLength,
    ModifiedSignature,
    ExchangedParts,
    ConstantSignature,
    MixedSignatures,
    ModifiedMessage,
    WrongPublicKey,
    OtherParameterSet,
    WrongContext,
    InvalidContext,
    MessageEncoding,
    OtherInterface,
    PreHashConfusion,
    FlawedScheme,
    RootComparison,
}

impl Flag {
    /// The kind of fault and its description.
    fn note(self) -> [&'static str; 2] {
        match self {
            Self::ValidSignature => ["BASIC", "The signature is valid."],
            Self::BoundaryIndex => [
                "EDGE_CASE",
                "The signature is valid. The digest selects an outermost leaf, or bits of it that do not count are all set.",
            ],
            Self::ArbitraryRandomizer => [
                "EDGE_CASE",
                "The signature is valid. Its R is not the one that PRF_msg makes, which no verifier can know.",
            ],
            Self::IncorrectSignatureLength => ["BASIC", "The signature is too short or too long."],
            Self::IncorrectPublicKeyLength => ["BASIC", "The public key is too short or too long."],
            Self::ModifiedSignature => ["BASIC", "A bit of a valid signature is flipped."],
            Self::ExchangedParts => ["MODIFIED_PARAMETER", "Parts of a valid signature have changed places."],
            Self::ConstantSignature => ["MODIFIED_PARAMETER", "The signature or a part of it is all zeros or ones."],
            Self::MixedSignatures => ["MODIFIED_PARAMETER", "A part is that of another signature by the same key."],
            Self::ModifiedMessage => ["BASIC", "The message is not the one that was signed."],
            Self::WrongPublicKey => ["AUTH_BYPASS", "The public key is not the signer's."],
            Self::OtherParameterSet => [
                "AUTH_BYPASS",
                "Key and signature are those of another parameter set in which they have the same lengths.",
            ],
            Self::WrongContext => ["AUTH_BYPASS", "The context is not the one that was signed."],
            Self::InvalidContext => ["BASIC", "The context has more than 255 bytes."],
            Self::MessageEncoding => ["AUTH_BYPASS", "What was signed is not the encoding M' of message and context."],
            Self::OtherInterface => ["AUTH_BYPASS", "The signature was made with another interface."],
            Self::PreHashConfusion => ["AUTH_BYPASS", "What was signed has another digest or object identifier."],
            Self::FlawedScheme => [
                "WRONG_PRIMITIVE",
                "Signer, and where the comment says so key generation, depart from FIPS 205 as the comment tells. A \
                 verifier that departs likewise accepts.",
            ],
            Self::RootComparison => [
                "MISSING_STEP",
                "The signature leads to a root that agrees with PK.root in part. A verifier that compares that part \
                 accepts.",
            ],
        }
    }

    fn name(self) -> String {
        format!("{self:?}")
    }
}

/// A whole file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    pub algorithm: String,
    pub schema: String,
    pub number_of_tests: usize,
    pub header: Vec<String>,
    pub notes: BTreeMap<String, Note>,
    pub test_groups: Vec<Group>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    pub bug_type: String,
    pub description: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    #[serde(rename = "type")]
    pub kind: String,
    pub source: Source,
    #[serde(with = "hex::serde")]
    pub public_key: Vec<u8>,
    #[serde(with = "hex::serde")]
    pub public_key_der: Vec<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    pub tests: Vec<Test>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Source {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Test {
    pub tc_id: usize,
    pub comment: String,
    pub flags: Vec<String>,
    #[serde(with = "hex::serde")]
    pub msg: Vec<u8>,
    /// Hexadecimal; a context that is not there is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ctx: Option<String>,
    #[serde(with = "hex::serde")]
    pub sig: Vec<u8>,
    pub result: String,
}

/// A test and where it belongs.
pub struct Case<'a> {
    pub public: &'a [u8],
    pub interface: Interface,
    pub flag: Flag,
    pub comment: String,
    pub message: &'a [u8],
    pub context: Option<&'a [u8]>,
    pub signature: &'a [u8],
    pub valid: bool,
}

impl File {
    pub fn new(set: ParameterSet) -> Self {
        let header = [
            "Test vectors of type SlhDsaVerify, SlhDsaPreHashVerify and SlhDsaInternalVerify are meant for the \
             verification of SLH-DSA signatures (FIPS 205) by slh_verify, hash_slh_verify with the function that the \
             group names, and slh_verify_internal.",
            "A test without ctx has the empty context. A message of SlhDsaInternalVerify is M'.",
        ];
        Self {
            algorithm: set.name().to_string(),
            schema: "slhdsa_verify_schema.json".to_string(),
            number_of_tests: 0,
            header: header.map(str::to_string).to_vec(),
            notes: BTreeMap::new(),
            test_groups: Vec::new(),
        }
    }

    /// Adds a test, after asking the library, whose verdict must be the same.
    pub fn add(&mut self, set: ParameterSet, case: &Case<'_>) {
        let verdict = VerifyingKey::from_bytes(set, &Engine::get(), case.public).and_then(|key| {
            let context = case.context.unwrap_or_default();
            let mode = match case.interface {
                Interface::Pure => Mode::Pure { context },
                Interface::PreHash(function) => Mode::PreHash { context, function },
                Interface::Internal => Mode::Internal,
            };
            key.verify(case.message, &mode, case.signature)
        });
        assert_eq!(verdict.is_ok(), case.valid, "{set}, {}: {verdict:?}", case.comment);

        let (kind, hash) = match case.interface {
            Interface::Pure => ("SlhDsaVerify", None),
            Interface::PreHash(function) => ("SlhDsaPreHashVerify", Some(function.name().to_string())),
            Interface::Internal => ("SlhDsaInternalVerify", None),
        };
        let same = |group: &Group| group.kind == kind && group.hash == hash && group.public_key == case.public;
        let at = self.test_groups.iter().position(same).unwrap_or_else(|| {
            self.test_groups.push(Group {
                kind: kind.to_string(),
                source: Source { name: "hashloom".to_string(), version: env!("CARGO_PKG_VERSION").to_string() },
                public_key: case.public.to_vec(),
                public_key_der: der(set, case.public),
                hash,
                tests: Vec::new(),
            });
            self.test_groups.len() - 1
        });
        let [bug_type, description] = case.flag.note().map(str::to_string);
        self.notes.insert(case.flag.name(), Note { bug_type, description });
        self.number_of_tests += 1;
        self.test_groups[at].tests.push(Test {
            tc_id: 0,
            comment: case.comment.clone(),
            flags: vec![case.flag.name()],
            msg: case.message.to_vec(),
            ctx: case.context.map(hex::encode),
            sig: case.signature.to_vec(),
            result: if case.valid { "valid" } else { "invalid" }.to_string(),
        });
    }

    /// Numbers the tests in their final order.
    pub fn number(mut self) -> Self {
        for (id, test) in (1..).zip(self.test_groups.iter_mut().flat_map(|group| &mut group.tests)) {
            test.tc_id = id;
        }
        self
    }
}

/// A SubjectPublicKeyInfo (RFC 9909) around any bytes of less than a hundred.
fn der(set: ParameterSet, key: &[u8]) -> Vec<u8> {
    let tagged = |tag: u8, content: &[u8]| [&[tag, content.len() as u8], content].concat();
    let oid = tagged(0x06, set.oid().as_bytes());
    let bits = tagged(0x03, &[&[0], key].concat());
    tagged(0x30, &[tagged(0x30, &oid), bits].concat())
}
