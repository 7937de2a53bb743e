//! ML-DSA: keyGen, sigGen, sigVer.

use hashloom::{
    Engine, Error,
    ml_dsa::{
        ExpandedVerifyingKey, Item, Mode, Mu, ParameterSet, PrivateKeyForm, Randomness, Signature, SigningKey,
        VerifyingKey, verify_batch,
    },
};

use crate::{
    format::{Group, Vector, need, unknown},
    report::{Label, Trouble, Verdict, same},
    slh_dsa::{Operation, need_signature, same_signature},
};

/// The files' `algorithm`.
pub(crate) const ALGORITHM: &str = "ML-DSA";

/// Which of the standard's functions a group is for.
#[derive(Clone, Copy, Debug)]
enum Interface {
    Internal,
    ExternalMu,
    Pure,
    PreHash,
}

impl Interface {
    fn of(group: &Group) -> Result<Self, Trouble> {
        let interface = group.signature_interface.as_deref();
        match (interface, group.pre_hash.as_deref(), group.external_mu) {
            (Some("internal"), _, Some(true)) => Ok(Self::ExternalMu),
            (Some("internal"), _, _) => Ok(Self::Internal),
            (Some("external"), Some("pure"), _) => Ok(Self::Pure),
            (Some("external"), Some("preHash"), _) => Ok(Self::PreHash),
            (Some("external"), other, _) => Err(unknown("preHash", other.unwrap_or_default())),
            (other, ..) => Err(unknown("signatureInterface", other.unwrap_or_default())),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::ExternalMu => "externalMu",
            Self::Pure => "pure",
            Self::PreHash => "preHash",
        }
    }

    /// What the case signs. A message whose mu the file also gives is signed both ways.
    fn subject(self, test: &Vector) -> Result<Subject<'_>, Trouble> {
        let mu = match &test.mu {
            None => None,
            Some(bytes) => Some(Mu::from_bytes(
                (**bytes).try_into().map_err(|_| unknown("mu", &format!("of {} bytes", bytes.len())))?,
            )),
        };
        let context = || need(&test.context, "context").map(|context| &**context);
        let mode = match self {
            Self::Internal => Mode::Internal,
            Self::ExternalMu => return need(&mu, "mu").map(|&mu| Subject { message: None, mu: Some(mu) }),
            Self::Pure => Mode::Pure { context: context()? },
            Self::PreHash => {
                let name = need(&test.hash_alg, "hashAlg")?;
                let function = name.parse().map_err(|_| unknown("hashAlg", name))?;
                Mode::PreHash { context: context()?, function }
            }
        };
        if test.message.is_none() && mu.is_some() {
            return Ok(Subject { message: None, mu });
        }
        Ok(Subject { message: Some((need(&test.message, "message")?, mode)), mu })
    }
}

/// What is signed: a message, its mu, or both.
struct Subject<'a> {
    message: Option<(&'a [u8], Mode<'a>)>,
    mu: Option<Mu>,
}

/// The row of a group.
pub(crate) fn label(operation: Operation, group: &Group) -> Label {
    let subject = match (parameter_set(group), &group.parameter_set) {
        (Ok(set), _) => set.name().to_string(),
        (Err(_), Some(other)) => other.escape_debug().to_string(),
        (Err(_), None) => ALGORITHM.to_string(),
    };
    let interface = Interface::of(group).map_or("unknown", Interface::name);
    let (kind, mode) = match operation {
        Operation::KeyGen => (operation.mode(), ""),
        Operation::SigGen => {
            (interface, group.deterministic.map_or("sigGen", |yes| if yes { "deterministic" } else { "hedged" }))
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
            for test in &group.tests {
                done(test, sig_gen(set, engine, interface, group.deterministic, test));
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
    let key = SigningKey::from_seed(set, engine, need(&test.seed, "seed")?).map_err(failed("from_seed"))?;
    same("sk", &key.to_bytes(), sk)?;
    same("pk", key.verifying_key().as_bytes(), pk)?;
    let read = SigningKey::from_bytes(set, engine, sk).map_err(failed("from_bytes"))?;
    same("pk of sk", read.verifying_key().as_bytes(), pk)
}

/// The case's private key, from whichever forms the file has; they must agree.
fn signing_key(set: ParameterSet, engine: &Engine, test: &Vector) -> Result<Result<SigningKey, Error>, Trouble> {
    let mut keys = Vec::new();
    if let Some(seed) = &test.seed {
        keys.push(SigningKey::from_seed(set, engine, seed));
    }
    if let Some(sk) = &test.sk {
        keys.push(SigningKey::from_bytes(set, engine, sk));
    }
    if let Some(der) = &test.pkcs8 {
        keys.push(SigningKey::from_pkcs8_der(engine, der));
        if let Ok(key) = &keys[keys.len() - 1] {
            let again = key.to_pkcs8_der(PrivateKeyForm::Seed).map_err(failed("to_pkcs8_der"))?;
            same("PKCS#8", &again, der)?;
        }
    }
    let Some(first) = keys.pop() else { return Err(Trouble::Skipped("no private key in the file".to_string())) };
    for other in keys {
        match (&first, &other) {
            (Ok(first), Ok(other)) => same("private key in another form", &other.to_bytes(), &first.to_bytes())?,
            (Err(_), Err(_)) => {}
            (Err(error), _) | (_, Err(error)) => return Err(failed("private key in another form")(*error)),
        }
    }
    Ok(first)
}

fn sig_gen(
    set: ParameterSet,
    engine: &Engine,
    interface: Interface,
    deterministic: Option<bool>,
    test: &Vector,
) -> Verdict {
    let subject = interface.subject(test)?;
    // Wycheproof's files say nothing, and give the randomness where there is any
    let deterministic = deterministic.unwrap_or(test.rnd.is_none());
    let rnd = if deterministic { None } else { Some(&**need(&test.rnd, "rnd")?) };
    let valid = test.test_passed.unwrap_or(true);
    need_signature(test)?;

    let key = match (signing_key(set, engine, test)?, valid) {
        (Ok(key), _) => key,
        (Err(Error::WrongLength { .. } | Error::InvalidEncoding), false) => return Ok(()),
        (Err(error), _) => return Err(failed("private key")(error)),
    };
    if let Some(pk) = &test.pk {
        same("pk", key.verifying_key().as_bytes(), pk)?;
    }
    for (way, signature) in signatures(&key, &subject, rnd) {
        match (signature, valid) {
            (Ok(signature), true) => {
                same_signature(way, engine, signature.as_ref(), test)?;
                Claim::new(&key.verifying_key(), &subject, signature.as_ref(), true).judge_alone()?;
            }
            (Err(Error::ContextTooLong { .. }), false) => {}
            (Ok(_), false) => return Err(Trouble::Failed(format!("{way}: signed what must not be"))),
            (Err(error), _) => return Err(failed(way)(error)),
        }
    }
    Ok(())
}

/// The signature by every function that makes one.
fn signatures(
    key: &SigningKey,
    subject: &Subject<'_>,
    rnd: Option<&[u8]>,
) -> Vec<(&'static str, Result<Signature, Error>)> {
    let randomness = || rnd.map_or(Randomness::Deterministic, Randomness::Given);
    let expanded = key.expand();
    let mut made = Vec::new();
    if let Some((message, mode)) = &subject.message {
        made.push(("sign", key.sign(*message, mode, randomness())));
        made.push(("sign, expanded", expanded.sign(*message, mode, randomness())));
        made.extend(key.sign_batch(&[message], mode, randomness()).into_iter().map(|result| ("sign_batch", result)));
    }
    if let Some(mu) = &subject.mu {
        made.push(("sign_mu", key.sign_mu(mu, randomness())));
        made.push(("sign_mu, expanded", expanded.sign_mu(mu, randomness())));
    }
    made
}

/// A signature and what is said about it.
struct Claim<'a> {
    /// Nothing if the bytes are no key, as they should be then.
    key: Option<(VerifyingKey, ExpandedVerifyingKey)>,
    message: Option<(&'a [u8], Mode<'a>)>,
    mu: Option<Mu>,
    signature: &'a [u8],
    valid: bool,
}

impl<'a> Claim<'a> {
    fn new(key: &VerifyingKey, subject: &Subject<'a>, signature: &'a [u8], valid: bool) -> Self {
        let key = Some((key.clone(), key.expand()));
        Self { key, message: subject.message, mu: subject.mu, signature, valid }
    }

    fn of(set: ParameterSet, engine: &Engine, interface: Interface, test: &'a Vector) -> Result<Self, Trouble> {
        let valid = *need(&test.test_passed, "testPassed")?;
        let key = match VerifyingKey::from_bytes(set, engine, need(&test.pk, "pk")?) {
            Err(Error::WrongLength { .. }) if !valid => None,
            key => Some(key.map_err(failed("from_bytes"))?),
        };
        if let (Some(key), Some(der)) = (&key, &test.spki) {
            let read = VerifyingKey::from_spki_der(engine, der).map_err(failed("from_spki_der"))?;
            same("key of the SubjectPublicKeyInfo", read.as_bytes(), key.as_bytes())?;
            same("SubjectPublicKeyInfo", &key.to_spki_der(), der)?;
        }
        let subject = interface.subject(test)?;
        let key = key.map(|key| (key.clone(), key.expand()));
        Ok(Self {
            key,
            message: subject.message,
            mu: subject.mu,
            signature: need(&test.signature, "signature")?,
            valid,
        })
    }

    fn judge(&self, way: &str, result: Result<(), Error>) -> Verdict {
        match (result, self.valid) {
            (Ok(()), true) | (Err(Error::InvalidSignature | Error::ContextTooLong { .. }), false) => Ok(()),
            (Ok(()), false) => Err(Trouble::Failed(format!("{way}: accepted an invalid signature"))),
            (Err(error), _) => Err(failed(way)(error)),
        }
    }

    /// By every function that verifies a single signature.
    fn judge_alone(&self) -> Verdict {
        let Some((key, expanded)) = &self.key else { return Ok(()) };
        if let Some((message, mode)) = &self.message {
            self.judge("verify", key.verify(*message, mode, self.signature))?;
            self.judge("verify, expanded", expanded.verify(*message, mode, self.signature))?;
            if let Ok(mut hasher) = key.mu(mode) {
                hasher.update(message);
                let mu = hasher.finish().map_err(failed("mu"))?;
                self.judge("verify_mu of the message's mu", key.verify_mu(&mu, self.signature))?;
                if let Some(expected) = &self.mu {
                    same("mu", mu.as_bytes(), expected.as_bytes())?;
                }
            }
        }
        if let Some(mu) = &self.mu {
            self.judge("verify_mu", key.verify_mu(mu, self.signature))?;
            self.judge("verify_mu, expanded", expanded.verify_mu(mu, self.signature))?;
        }
        Ok(())
    }
}

/// Each signature is verified by itself, and all of messages in one call.
fn sig_ver(
    set: ParameterSet,
    engine: &Engine,
    interface: Interface,
    tests: &[Vector],
    done: &mut impl FnMut(&Vector, Verdict),
) {
    let claims: Vec<_> = tests.iter().map(|test| Claim::of(set, engine, interface, test)).collect();
    let item = |claim: &'_ Claim<'_>| claim.key.is_some() && claim.message.is_some();
    let items: Vec<Item<'_>> = claims
        .iter()
        .flatten()
        .filter_map(|claim| {
            let (key, _) = claim.key.as_ref()?;
            claim.message.map(|(message, mode)| Item { key, message, mode, signature: claim.signature })
        })
        .collect();
    let mut batch = verify_batch(&items).into_iter();
    for (test, claim) in tests.iter().zip(&claims) {
        let judged = claim.as_ref().map_err(Trouble::clone).and_then(|claim| {
            if item(claim) {
                claim.judge("verify_batch", batch.next().unwrap_or(Err(Error::InvalidSignature)))?;
            }
            claim.judge_alone()
        });
        done(test, judged);
    }
}
