//! The file: groups of tests that share a public key and an interface, in the form of Wycheproof's files for ML-DSA.

use std::collections::BTreeMap;

use hashloom::{
    Engine, Error, ml_dsa,
    slh_dsa::{self, Mode, PreHash},
};
use serde::{Deserialize, Serialize};

/// A parameter set of either scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    SlhDsa(slh_dsa::ParameterSet),
    MlDsa(ml_dsa::ParameterSet),
}

impl Set {
    /// All, in the order of their object identifiers.
    pub fn all() -> impl Iterator<Item = Self> {
        let ml_dsa = ml_dsa::ParameterSet::ALL.into_iter().map(Self::MlDsa);
        ml_dsa.chain(slh_dsa::ParameterSet::ALL.into_iter().map(Self::SlhDsa))
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::SlhDsa(set) => set.name(),
            Self::MlDsa(set) => set.name(),
        }
    }

    /// Names of the scheme in types of groups, in the schema, in print, and of its standard.
    fn scheme(self) -> [&'static str; 4] {
        match self {
            Self::SlhDsa(_) => ["SlhDsa", "slhdsa", "SLH-DSA", "FIPS 205"],
            Self::MlDsa(_) => ["MlDsa", "mldsa", "ML-DSA", "FIPS 204"],
        }
    }

    fn verify(self, public: &[u8], message: &[u8], mode: &Mode<'_>, signature: &[u8]) -> Result<(), Error> {
        let engine = &Engine::get();
        match self {
            Self::SlhDsa(set) => {
                slh_dsa::VerifyingKey::from_bytes(set, engine, public)?.verify(message, mode, signature)
            }
            Self::MlDsa(set) => ml_dsa::VerifyingKey::from_bytes(set, engine, public)?.verify(message, mode, signature),
        }
    }

    /// A SubjectPublicKeyInfo (RFC 9881, RFC 9909) around any bytes.
    fn der(self, key: &[u8]) -> Vec<u8> {
        let tagged = |tag: u8, content: &[u8]| {
            let length = match content.len() {
                len @ 0..128 => vec![len as u8],
                len @ 128..256 => vec![0x81, len as u8],
                len => vec![0x82, (len >> 8) as u8, len as u8],
            };
            [&[tag], &length[..], content].concat()
        };
        let id = match self {
            Self::SlhDsa(set) => set.oid(),
            Self::MlDsa(set) => set.oid(),
        };
        let bits = tagged(0x03, &[&[0], key].concat());
        tagged(0x30, &[tagged(0x30, &tagged(0x06, id.as_bytes())), bits].concat())
    }
}

/// Which function of the standard verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// `slh_verify` (FIPS 205 Alg. 24), `ML-DSA.Verify` (FIPS 204 Alg. 3).
    Pure,
    /// `hash_slh_verify` (FIPS 205 Alg. 25), `HashML-DSA.Verify` (FIPS 204 Alg. 5).
    PreHash(PreHash),
    /// `slh_verify_internal` (FIPS 205 Alg. 20), `ML-DSA.Verify_internal` (FIPS 204 Alg. 8); the message is M'.
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
    BoundaryCondition,
    InvalidHintsEncoding,
    LargeResponse,
    WrongRepresentative,
    FlawedVerifier,
    ChallengeComparison,
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
            Self::BoundaryCondition => [
                "EDGE_CASE",
                "The signature is valid. It is at the limits of what is. The public key's t1 is zero, so that signatures \
                 can be made without a private key.",
            ],
            Self::InvalidHintsEncoding => [
                "MISSING_STEP",
                "The hint has an encoding that HintBitPack does not make. A verifier that takes what it says accepts.",
            ],
            Self::LargeResponse => [
                "MISSING_STEP",
                "A coefficient of z is gamma1 - beta or more. All else is right: a verifier without the check accepts.",
            ],
            Self::WrongRepresentative => [
                "WRONG_PRIMITIVE",
                "The message representative mu that was signed is made as the comment tells, not as FIPS 204 says.",
            ],
            Self::FlawedVerifier => [
                "WRONG_PRIMITIVE",
                "The signature holds in a verifier that departs from FIPS 204 as the comment tells.",
            ],
            Self::ChallengeComparison => [
                "MISSING_STEP",
                "c~ agrees with the hash of the commitment in part. A verifier that compares that part accepts. The public \
                 key's t1 is zero, so that c plays no part.",
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
    pub fn new(set: Set) -> Self {
        let [kind, prefix, scheme, standard] = set.scheme();
        let functions = match set {
            Set::SlhDsa(_) => ["slh_verify", "hash_slh_verify", "slh_verify_internal"],
            Set::MlDsa(_) => ["ML-DSA.Verify", "HashML-DSA.Verify", "ML-DSA.Verify_internal"],
        };
        let [pure, prehash, internal] = functions;
        let header = [
            format!(
                "Test vectors of type {kind}Verify, {kind}PreHashVerify and {kind}InternalVerify are meant for the \
                 verification of {scheme} signatures ({standard}) by {pure}, {prehash} with the function that the \
                 group names, and {internal}."
            ),
            format!("A test without ctx has the empty context. A message of {kind}InternalVerify is M'."),
        ];
        Self {
            algorithm: set.name().to_string(),
            schema: format!("{prefix}_verify_schema.json"),
            number_of_tests: 0,
            header: header.to_vec(),
            notes: BTreeMap::new(),
            test_groups: Vec::new(),
        }
    }

    /// Adds a test, after asking the library, whose verdict must be the same.
    pub fn add(&mut self, set: Set, case: &Case<'_>) {
        let context = case.context.unwrap_or_default();
        let mode = match case.interface {
            Interface::Pure => Mode::Pure { context },
            Interface::PreHash(function) => Mode::PreHash { context, function },
            Interface::Internal => Mode::Internal,
        };
        let verdict = set.verify(case.public, case.message, &mode, case.signature);
        assert_eq!(verdict.is_ok(), case.valid, "{}, {}: {verdict:?}", set.name(), case.comment);

        let [scheme, ..] = set.scheme();
        let (kind, hash) = match case.interface {
            Interface::Pure => (format!("{scheme}Verify"), None),
            Interface::PreHash(function) => (format!("{scheme}PreHashVerify"), Some(function.name().to_string())),
            Interface::Internal => (format!("{scheme}InternalVerify"), None),
        };
        let same = |group: &Group| group.kind == kind && group.hash == hash && group.public_key == case.public;
        let at = self.test_groups.iter().position(same).unwrap_or_else(|| {
            self.test_groups.push(Group {
                kind,
                source: Source { name: "hashloom".to_string(), version: env!("CARGO_PKG_VERSION").to_string() },
                public_key: case.public.to_vec(),
                public_key_der: set.der(case.public),
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
