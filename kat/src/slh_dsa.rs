//! SLH-DSA: keyGen, sigGen, sigVer.

use hashloom::{
    Engine, Error,
    hash::Hash,
    sha2::Sha256,
    slh_dsa::{Item, Mode, ParameterSet, Randomness, SigningKey, VerifyingKey, verify_batch},
};

use crate::{
    format::{Group, Vector, need, unknown},
    report::{Label, Trouble, Verdict, same},
};

/// A file's `mode`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    KeyGen,
    SigGen,
    SigVer,
}

impl Operation {
    /// The file's `algorithm`.
    pub(crate) const ALGORITHM: &str = "SLH-DSA";
    const ALL: [Self; 3] = [Self::KeyGen, Self::SigGen, Self::SigVer];

    pub(crate) fn mode(self) -> &'static str {
        match self {
            Self::KeyGen => "keyGen",
            Self::SigGen => "sigGen",
            Self::SigVer => "sigVer",
        }
    }

    pub(crate) fn from_mode(mode: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.mode() == mode)
    }
}

/// Which of the standard's functions a group is for.
#[derive(Clone, Copy, Debug)]
enum Interface {
    Internal,
    Pure,
    PreHash,
}

impl Interface {
    /// Files from before the external interface have no `signatureInterface`.
    fn of(group: &Group) -> Result<Self, Trouble> {
        match (group.signature_interface.as_deref(), group.pre_hash.as_deref()) {
            (None | Some("internal"), _) => Ok(Self::Internal),
            (Some("external"), Some("pure")) => Ok(Self::Pure),
            (Some("external"), Some("preHash")) => Ok(Self::PreHash),
            (Some("external"), other) => Err(unknown("preHash", other.unwrap_or_default())),
            (Some(other), _) => Err(unknown("signatureInterface", other)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::Pure => "pure",
            Self::PreHash => "preHash",
        }
    }

    fn mode(self, test: &Vector) -> Result<Mode<'_>, Trouble> {
        let context = || need(&test.context, "context").map(|context| &**context);
        Ok(match self {
            Self::Internal => Mode::Internal,
            Self::Pure => Mode::Pure { context: context()? },
            Self::PreHash => {
                let name = need(&test.hash_alg, "hashAlg")?;
                let function = name.parse().map_err(|_| unknown("hashAlg", name))?;
                Mode::PreHash { context: context()?, function }
            }
        })
    }
}

/// The row of a group.
pub(crate) fn label(operation: Operation, group: &Group) -> Label {
    let subject = match (parameter_set(group), &group.parameter_set) {
        (Ok(set), _) => set.name().to_string(),
        (Err(_), Some(other)) => other.escape_debug().to_string(),
        (Err(_), None) => Operation::ALGORITHM.to_string(),
    };
    let interface = Interface::of(group).map_or("unknown", Interface::name);
    let (kind, mode) = match operation {
        Operation::KeyGen => (operation.mode(), ""),
        Operation::SigGen => {
            (interface, group.deterministic.map_or("", |yes| if yes { "deterministic" } else { "hedged" }))
        }
        Operation::SigVer => (interface, operation.mode()),
    };
    Label { subject, kind: kind.to_string(), mode }
}

fn parameter_set(group: &Group) -> Result<ParameterSet, Trouble> {
    let name = need(&group.parameter_set, "parameterSet")?;
    name.parse().map_err(|_| unknown("parameterSet", name))
}

/// Runs a group of cases.
pub(crate) fn run(operation: Operation, engine: &Engine, group: &Group, done: &mut impl FnMut(&Vector, Verdict)) {
    if let Err(trouble) = run_known(operation, engine, group, done) {
        group.tests.iter().for_each(|test| done(test, Err(trouble.clone())));
    }
}

/// The error is about the group, none of whose cases ran.
fn run_known(
    operation: Operation,
    engine: &Engine,
    group: &Group,
    done: &mut impl FnMut(&Vector, Verdict),
) -> Result<(), Trouble> {
    if group.test_type != "AFT" {
        return Err(unknown("testType", &group.test_type));
    }
    let set = parameter_set(group)?;
    match operation {
        Operation::KeyGen => group.tests.iter().for_each(|test| done(test, key_gen(set, engine, test))),
        Operation::SigGen => {
            let interface = Interface::of(group)?;
            let deterministic = *need(&group.deterministic, "deterministic")?;
            for test in &group.tests {
                done(test, sig_gen(set, engine, interface, deterministic, test));
            }
        }
        Operation::SigVer => sig_ver(set, engine, Interface::of(group)?, &group.tests, done),
    }
    Ok(())
}

fn failed(what: &str) -> impl Fn(Error) -> Trouble {
    move |error| Trouble::Failed(format!("{what}: {error}"))
}

fn key_gen(set: ParameterSet, engine: &Engine, test: &Vector) -> Verdict {
    let (sk, pk) = (need(&test.sk, "sk")?, need(&test.pk, "pk")?);
    let sk_seed = need(&test.sk_seed, "skSeed")?;
    let sk_prf = need(&test.sk_prf, "skPrf")?;
    let pk_seed = need(&test.pk_seed, "pkSeed")?;
    let key = SigningKey::from_seeds(set, engine, sk_seed, sk_prf, pk_seed).map_err(failed("from_seeds"))?;
    same("sk", &key.to_bytes(), sk)?;
    same("pk", key.verifying_key().as_bytes(), pk)?;
    SigningKey::from_bytes(set, engine, sk).map_err(failed("from_bytes"))?;
    Ok(())
}

fn sig_gen(set: ParameterSet, engine: &Engine, interface: Interface, deterministic: bool, test: &Vector) -> Verdict {
    let message: &[u8] = need(&test.message, "message")?;
    let mode = interface.mode(test)?;
    let randomness = if deterministic {
        Randomness::Deterministic
    } else {
        Randomness::Given(need(&test.additional_randomness, "additionalRandomness")?)
    };
    need_signature(test)?;
    let key = SigningKey::from_bytes(set, engine, need(&test.sk, "sk")?).map_err(failed("from_bytes"))?;
    let signature = key.sign(message, &mode, randomness).map_err(failed("sign"))?;
    let signature = signature.as_ref();
    same_signature("signature", engine, signature, test)?;
    key.verifying_key().verify(message, &mode, signature).map_err(failed("verify"))
}

/// Compares a signature with that of the file, or with its digest where the file has no more.
pub(crate) fn same_signature(what: &str, engine: &Engine, signature: &[u8], test: &Vector) -> Verdict {
    if let Some(expected) = &test.signature {
        return same(what, signature, expected);
    }
    let expected = need(&test.signature_sha256, "signature")?;
    let mut digest = [0; 32];
    Sha256::on(engine).hash(&[signature], &mut digest).map_err(failed("SHA-256"))?;
    same("SHA-256 of the signature", &digest, expected)
}

/// Skips a case that [`same_signature`] could not judge.
pub(crate) fn need_signature(test: &Vector) -> Verdict {
    if test.signature.is_none() {
        need(&test.signature_sha256, "signature")?;
    }
    Ok(())
}

/// A signature and what is said about it.
struct Claim<'a> {
    /// Nothing if the bytes are no key, as they should be then.
    key: Option<VerifyingKey>,
    message: &'a [u8],
    mode: Mode<'a>,
    signature: &'a [u8],
    valid: bool,
}

impl<'a> Claim<'a> {
    fn of(set: ParameterSet, engine: &Engine, interface: Interface, test: &'a Vector) -> Result<Self, Trouble> {
        let valid = *need(&test.test_passed, "testPassed")?;
        let key = match VerifyingKey::from_bytes(set, engine, need(&test.pk, "pk")?) {
            Err(Error::WrongLength { .. }) if !valid => None,
            key => Some(key.map_err(failed("from_bytes"))?),
        };
        let (message, signature) = (need(&test.message, "message")?, need(&test.signature, "signature")?);
        Ok(Self { key, message, mode: interface.mode(test)?, signature, valid })
    }

    fn judge(&self, way: &str, result: Result<(), Error>) -> Verdict {
        match (result, self.valid) {
            (Ok(()), true) | (Err(Error::InvalidSignature | Error::ContextTooLong { .. }), false) => Ok(()),
            (Ok(()), false) => Err(Trouble::Failed(format!("{way}: accepted an invalid signature"))),
            (Err(error), _) => Err(failed(way)(error)),
        }
    }
}

/// Each signature is verified by itself, and all of them in one call.
fn sig_ver(
    set: ParameterSet,
    engine: &Engine,
    interface: Interface,
    tests: &[Vector],
    done: &mut impl FnMut(&Vector, Verdict),
) {
    let claims: Vec<_> = tests.iter().map(|test| Claim::of(set, engine, interface, test)).collect();
    let item = |&Claim { ref key, message, mode, signature, .. }| {
        key.as_ref().map(|key| Item { key, message, mode, signature })
    };
    let items: Vec<Item<'_>> = claims.iter().flatten().filter_map(item).collect();
    let mut batch = verify_batch(&items).into_iter();
    for (test, claim) in tests.iter().zip(&claims) {
        done(
            test,
            claim.as_ref().map_err(Trouble::clone).and_then(|claim| {
                let Some(key) = &claim.key else { return Ok(()) };
                let together = batch.next().unwrap_or(Err(Error::InvalidSignature));
                claim.judge("verify", key.verify(claim.message, &claim.mode, claim.signature))?;
                claim.judge("verify_batch", together)
            }),
        );
    }
}
