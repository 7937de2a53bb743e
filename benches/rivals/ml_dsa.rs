//! ML-DSA beside PQClean, aws-lc-rs, libcrux-ml-dsa, ml-dsa and fips204. A run signs many messages: how often signing
//! starts again depends on message and randomness. Whoever can sign without fresh randomness does, and must make the same
//! signatures, of which sixteen are compared; the C libraries draw it themselves, and their mean varies by about 2 %.

use std::{hint::black_box, rc::Rc};

use aws_lc_rs::signature::{self as aws, KeyPair, ParsedPublicKey, PqdsaKeyPair};
use fips204::traits::{KeyGen, SerDes, Signer as _, Verifier as _};
use hashloom::{
    Engine,
    hash::Hash,
    keccak::Shake256,
    ml_dsa::{
        ExpandedSigningKey, Item, Mode, ParameterSet, Randomness, Signature, SigningKey, VerifyingKey, verify_batch,
    },
};
use ml_dsa::{B32, signature::Keypair as _};

use crate::{BATCH, Contender, engines};

/// Keys, messages or signatures of a run, unless told.
pub const MESSAGES: usize = 2000;
const MESSAGE_LEN: usize = 64;
const SEED: usize = 32;

/// What everybody is given.
struct Inputs {
    set: ParameterSet,
    /// For as many keys; the first is the one that signs.
    seeds: Vec<[u8; SEED]>,
    messages: Vec<[u8; MESSAGE_LEN]>,
    public: Vec<u8>,
    /// Of the messages, by that key, without fresh randomness.
    signatures: Vec<Signature>,
}

impl Inputs {
    fn new(set: ParameterSet, count: usize) -> Self {
        let bytes = |label: &[u8], len| {
            let mut bytes = vec![0; count * len];
            Shake256::on(&Engine::get()).hash(&[set.name().as_bytes(), label], &mut bytes).expect("any length");
            bytes
        };
        let seeds: Vec<[u8; SEED]> = bytes(b"seeds", SEED).as_chunks().0.to_vec();
        let messages: Vec<[u8; MESSAGE_LEN]> = bytes(b"messages", MESSAGE_LEN).as_chunks().0.to_vec();
        let key = SigningKey::from_seed(set, &Engine::get(), &seeds[0]).expect("a seed of 32 bytes").expand();
        let signatures = messages.iter().map(|message| sign(&key, message)).collect();
        Self { set, seeds, messages, public: key.verifying_key().as_bytes().to_vec(), signatures }
    }

    fn key(&self, engine: &Engine) -> SigningKey {
        SigningKey::from_seed(self.set, engine, &self.seeds[0]).expect("a seed of 32 bytes")
    }

    fn signed(&self) -> impl Iterator<Item = (&[u8; MESSAGE_LEN], &[u8])> {
        self.messages.iter().zip(self.signatures.iter().map(Signature::as_ref))
    }
}

/// What can be told about a signature is told before anybody is timed.
fn check(name: &str, inputs: &Inputs, sign: impl Fn(&[u8; MESSAGE_LEN]) -> Vec<u8>) {
    for (message, signature) in inputs.signed().take(16) {
        assert!(sign(message) == signature, "{}: {name} makes another signature", inputs.set);
    }
}

fn sign(key: &ExpandedSigningKey, message: &[u8; MESSAGE_LEN]) -> Signature {
    key.sign(message, &Mode::default(), Randomness::Deterministic).expect("signs")
}

/// Who does an operation, so many times a run.
pub fn contenders(set: ParameterSet, op: &str, count: usize) -> Vec<Contender> {
    let inputs = Rc::new(Inputs::new(set, count));
    let mut contenders: Vec<Contender> = Vec::new();
    let portable = Engine::portable().keccak();
    for (name, engine) in engines() {
        // backends that have nothing for Keccak repeat the portable one
        if engine.keccak() != portable || engine == Engine::portable() {
            contenders.extend(ours(&name, &engine, &inputs, op));
        }
    }
    contenders.extend(rivals(&inputs, op));
    contenders.iter_mut().for_each(|contender| contender.times = count);
    contenders
}

fn ours(name: &str, engine: &Engine, inputs: &Rc<Inputs>, op: &str) -> Vec<Contender> {
    let (inputs, engine) = (Rc::clone(inputs), *engine);
    match op {
        "keygen" => vec![Contender::new(name, move || {
            for seed in &inputs.seeds {
                black_box(SigningKey::from_seed(inputs.set, &engine, black_box(seed)).expect("a seed of 32 bytes"));
            }
        })],
        "sign" => signers(name, &engine, &inputs),
        _ => verifiers(name, &engine, &inputs),
    }
}

/// By the key as it is kept, by the expanded key, and the same by batches.
fn signers(name: &str, engine: &Engine, inputs: &Rc<Inputs>) -> Vec<Contender> {
    let key = inputs.key(engine);
    let expanded = Rc::new(key.expand());
    check(name, inputs, |message| sign(&expanded, message).into());
    let batches = |inputs: &Inputs, sign: &dyn Fn(&[&[u8]])| {
        let messages: Vec<&[u8]> = inputs.messages.iter().map(|message| &message[..]).collect();
        messages.chunks(BATCH).for_each(sign);
    };
    let (once, many, kept) = (key.clone(), key, Rc::clone(&expanded));
    let [a, b, c, d] = [(); 4].map(|()| Rc::clone(inputs));
    let (mode, randomness) = (Mode::default(), || Randomness::Deterministic);
    vec![
        Contender::new(name, move || {
            for message in &a.messages {
                black_box(once.sign(black_box(message), &mode, randomness()).expect("signs"));
            }
        }),
        Contender::new(format!("{name} expanded"), move || {
            for message in &b.messages {
                black_box(sign(&kept, black_box(message)));
            }
        }),
        Contender::new(format!("{name} batch of {BATCH}"), move || {
            batches(&c, &|messages| drop(black_box(many.sign_batch(black_box(messages), &mode, randomness()))));
        }),
        Contender::new(format!("{name} expanded batch of {BATCH}"), move || {
            batches(&d, &|messages| drop(black_box(expanded.sign_batch(black_box(messages), &mode, randomness()))));
        }),
    ]
}

/// As [`signers`]; a batch is of 64 keys, or of the expanded one.
fn verifiers(name: &str, engine: &Engine, inputs: &Rc<Inputs>) -> Vec<Contender> {
    let public = inputs.key(engine).verifying_key();
    let expanded = Rc::new(public.expand());
    let kept = Rc::clone(&expanded);
    let [a, b, d] = [(); 3].map(|()| Rc::clone(inputs));
    let mode = Mode::default();

    let seeds = inputs.seeds.iter().take(BATCH);
    let keys: Vec<SigningKey> =
        seeds.map(|seed| SigningKey::from_seed(inputs.set, engine, seed).expect("a seed of 32 bytes")).collect();
    let many: Vec<(VerifyingKey, [u8; MESSAGE_LEN], Signature)> = keys
        .iter()
        .map(|key| (key.verifying_key(), key.expand()))
        .collect::<Vec<_>>()
        .iter()
        .cycle()
        .zip(&inputs.messages)
        .map(|((public, key), message)| (public.clone(), *message, sign(key, message)))
        .collect();
    vec![
        Contender::new(name, move || {
            for (message, signature) in a.signed() {
                public.verify(black_box(message), &mode, signature).expect("verifies");
            }
        }),
        Contender::new(format!("{name} expanded"), move || {
            for (message, signature) in b.signed() {
                kept.verify(black_box(message), &mode, signature).expect("verifies");
            }
        }),
        Contender::new(format!("{name} batch of {BATCH}"), move || {
            for some in many.chunks(BATCH) {
                let items: Vec<Item<'_>> = some
                    .iter()
                    .map(|(key, message, signature)| Item { key, message, mode, signature: signature.as_ref() })
                    .collect();
                assert!(verify_batch(black_box(&items)).iter().all(Result::is_ok));
            }
        }),
        Contender::new(format!("{name} expanded batch of {BATCH}"), move || {
            let items: Vec<(&[u8], &[u8])> = d.signed().map(|(message, signature)| (&message[..], signature)).collect();
            for some in items.chunks(BATCH) {
                assert!(expanded.verify_batch(black_box(some), &mode).iter().all(Result::is_ok));
            }
        }),
    ]
}

/// Keys, messages or signatures, one after the other.
fn each<T: 'static, R>(
    name: &str,
    inputs: &Rc<Inputs>,
    items: impl Fn(&Inputs) -> Vec<T>,
    run: impl Fn(&T) -> R + 'static,
) -> Contender {
    let items = items(inputs);
    Contender::new(name, move || {
        for item in &items {
            black_box(run(black_box(item)));
        }
    })
}

fn seeds(inputs: &Inputs) -> Vec<[u8; SEED]> {
    inputs.seeds.clone()
}

fn messages(inputs: &Inputs) -> Vec<[u8; MESSAGE_LEN]> {
    inputs.messages.clone()
}

/// Messages, and signatures as this array.
fn signed<const LEN: usize>(inputs: &Inputs) -> Vec<([u8; MESSAGE_LEN], [u8; LEN])> {
    let array = |signature: &[u8]| signature.try_into().expect("the set's length");
    inputs.signed().map(|(message, signature)| (*message, array(signature))).collect()
}

#[cfg(not(hashloom_oqs))]
macro_rules! pqclean {
    ($op:expr, $inputs:expr, $module:ident, $algorithm:ident) => {{
        use pqcrypto_mldsa::$module as rival;
        use pqcrypto_traits::sign::{DetachedSignature as _, PublicKey as _, SecretKey as _};
        let (name, inputs) = ("pqcrypto-mldsa", $inputs);
        let public = rival::PublicKey::from_bytes(&inputs.public).expect("the set's length");
        match $op {
            "keygen" => each(name, inputs, seeds, |_| rival::keypair()),
            "sign" => {
                let key = inputs.key(&Engine::get()).to_bytes();
                let key = rival::SecretKey::from_bytes(&key).expect("the set's length");
                each(name, inputs, messages, move |message| rival::detached_sign(message, &key))
            }
            _ => each(name, inputs, signed::<{ rival::signature_bytes() }>, move |(message, signature)| {
                let signature = rival::DetachedSignature::from_bytes(signature).expect("the set's length");
                rival::verify_detached_signature(&signature, message, &public).expect("verifies");
            }),
        }
    }};
}

#[cfg(hashloom_oqs)]
macro_rules! pqclean {
    ($op:expr, $inputs:expr, $module:ident, $algorithm:ident) => {{
        oqs::init();
        let (name, inputs) = ("oqs", $inputs);
        let rival = oqs::sig::Sig::new(oqs::sig::Algorithm::$algorithm).expect("liboqs has it");
        match $op {
            "keygen" => each(name, inputs, seeds, move |_| rival.keypair().expect("makes keys")),
            "sign" => {
                let key = inputs.key(&Engine::get()).to_bytes();
                let key = rival.secret_key_from_bytes(&key).expect("the set's length").to_owned();
                each(name, inputs, messages, move |message| rival.sign(message, &key).expect("signs"))
            }
            _ => {
                let public = rival.public_key_from_bytes(&inputs.public).expect("the set's length").to_owned();
                let all = |inputs: &Inputs| inputs.signed().map(|(m, s)| (*m, s.to_vec())).collect::<Vec<_>>();
                each(name, inputs, all, move |(message, signature)| {
                    let signature = rival.signature_from_bytes(signature).expect("the set's length");
                    rival.verify(message, signature, &public).expect("verifies");
                })
            }
        }
    }};
}

macro_rules! aws_lc {
    ($op:expr, $inputs:expr, $verification:ident, $signing:ident) => {{
        let (name, inputs) = ("aws-lc-rs", $inputs);
        match $op {
            "keygen" => each(name, inputs, seeds, |seed| {
                PqdsaKeyPair::from_seed(&aws::$signing, seed).expect("a seed of 32 bytes")
            }),
            "sign" => {
                let key = PqdsaKeyPair::from_seed(&aws::$signing, &inputs.seeds[0]).expect("a seed of 32 bytes");
                assert!(key.public_key().as_ref() == inputs.public, "{name} makes another public key");
                let len = inputs.set.signature_len();
                each(name, inputs, messages, move |message| {
                    let mut signature = vec![0; len];
                    key.sign(message, &mut signature).expect("signs");
                    signature
                })
            }
            _ => {
                let public = ParsedPublicKey::new(&aws::$verification, &inputs.public).expect("the set's length");
                let all = |inputs: &Inputs| inputs.signed().map(|(m, s)| (*m, s.to_vec())).collect::<Vec<_>>();
                each(name, inputs, all, move |(message, signature)| {
                    public.verify_sig(message, signature).expect("verifies");
                })
            }
        }
    }};
}

macro_rules! libcrux {
    ($op:expr, $inputs:expr, $module:ident, $signature:ident, $public:ident) => {{
        use libcrux_ml_dsa::$module as rival;
        let (name, inputs) = ("libcrux-ml-dsa", $inputs);
        match $op {
            "keygen" => each(name, inputs, seeds, |seed| rival::generate_key_pair(*seed)),
            "sign" => {
                let key = rival::generate_key_pair(inputs.seeds[0]).signing_key;
                let sign = move |message: &[u8; MESSAGE_LEN]| rival::sign(&key, message, &[], [0; 32]).expect("signs");
                check(name, inputs, |message| sign(message).as_slice().to_vec());
                each(name, inputs, messages, move |message| sign(message))
            }
            _ => {
                let public = rival::$public::new(inputs.public[..].try_into().expect("the set's length"));
                each(name, inputs, signed, move |(message, signature)| {
                    let signature = rival::$signature::new(*signature);
                    rival::verify(&public, message, &[], &signature).expect("verifies");
                })
            }
        }
    }};
}

macro_rules! rust_crypto {
    ($op:expr, $inputs:expr, $set:ident) => {{
        let (name, inputs) = ("ml-dsa", $inputs);
        let make = |seed: &[u8; SEED]| ml_dsa::SigningKey::<ml_dsa::$set>::from_seed(&B32::from(*seed));
        match $op {
            "keygen" => each(name, inputs, seeds, move |seed| make(seed)),
            "sign" => {
                let key = make(&inputs.seeds[0]);
                let sign = move |message: &[u8; MESSAGE_LEN]| {
                    key.expanded_key().sign_deterministic(message, &[]).expect("signs").encode()
                };
                check(name, inputs, |message| sign(message).to_vec());
                each(name, inputs, messages, move |message| sign(message))
            }
            _ => {
                let public = make(&inputs.seeds[0]).verifying_key();
                let all = |inputs: &Inputs| inputs.signed().map(|(m, s)| (*m, s.to_vec())).collect::<Vec<_>>();
                each(name, inputs, all, move |(message, signature)| {
                    let signature = ml_dsa::Signature::try_from(&signature[..]).expect("an encoding");
                    assert!(public.verify_with_context(message, &[], &signature));
                })
            }
        }
    }};
}

macro_rules! integrity_chain {
    ($op:expr, $inputs:expr, $module:ident) => {{
        use fips204::$module as rival;
        let (name, inputs) = ("fips204", $inputs);
        match $op {
            "keygen" => each(name, inputs, seeds, |seed| rival::KG::keygen_from_seed(seed)),
            "sign" => {
                let key = rival::KG::keygen_from_seed(&inputs.seeds[0]).1;
                let sign =
                    move |message: &[u8; MESSAGE_LEN]| key.try_sign_with_seed(&[0; 32], message, &[]).expect("signs");
                check(name, inputs, |message| sign(message).to_vec());
                each(name, inputs, messages, move |message| sign(message))
            }
            _ => {
                let public = inputs.public[..].try_into().expect("the set's length");
                let public = rival::PublicKey::try_from_bytes(public).expect("any bytes are one");
                each(name, inputs, signed, move |(message, signature)| {
                    assert!(public.verify(message, signature, &[]));
                })
            }
        }
    }};
}

macro_rules! rivals {
    ($($set:ident, $module:ident, $pqcrypto:ident, $oqs:ident, $aws:ident, $aws_signing:ident, $signature:ident, $public:ident;)*) => {
        fn rivals(inputs: &Rc<Inputs>, op: &str) -> Vec<Contender> {
            match inputs.set {
                $(ParameterSet::$set => vec![
                    pqclean!(op, inputs, $pqcrypto, $oqs),
                    aws_lc!(op, inputs, $aws, $aws_signing),
                    libcrux!(op, inputs, $module, $signature, $public),
                    rust_crypto!(op, inputs, $set),
                    integrity_chain!(op, inputs, $module),
                ],)*
            }
        }
    };
}
rivals! {
    MlDsa44, ml_dsa_44, mldsa44, MlDsa44, ML_DSA_44, ML_DSA_44_SIGNING, MLDSA44Signature, MLDSA44VerificationKey;
    MlDsa65, ml_dsa_65, mldsa65, MlDsa65, ML_DSA_65, ML_DSA_65_SIGNING, MLDSA65Signature, MLDSA65VerificationKey;
    MlDsa87, ml_dsa_87, mldsa87, MlDsa87, ML_DSA_87, ML_DSA_87_SIGNING, MLDSA87Signature, MLDSA87VerificationKey;
}
