//! SLH-DSA beside the crates slh-dsa, fips205 and PQClean's SPHINCS+ 3.1.

use std::hint::black_box;

use fips205::traits::{KeyGen, Signer as _, Verifier as _};
use hashloom::{
    Engine,
    slh_dsa::{Item, Mode, ParameterSet, Randomness, Signature, SigningKey, verify_batch},
};

use crate::{BATCH, Contender, engines};

const MESSAGE: &[u8; 64] = &[0x5a; 64];

/// Who does an operation.
pub fn contenders(set: ParameterSet, op: &str) -> Vec<Contender> {
    let mut contenders = ours(set, op);
    if op == "verify" {
        contenders.extend(batches(set));
    }
    contenders.extend(rivals(set, op));
    contenders
}

fn ours(set: ParameterSet, op: &str) -> Vec<Contender> {
    let n = set.n();
    let seeds = [vec![1; n], vec![2; n], vec![3; n]];
    engines()
        .map(|(name, engine)| {
            let [a, b, c] = seeds.clone();
            let key = SigningKey::from_seeds(set, &engine, &a, &b, &c).expect("seeds of n bytes");
            let public = key.verifying_key();
            let run: Box<dyn FnMut()> = match op {
                "keygen" => Box::new(move || {
                    black_box(SigningKey::from_seeds(set, &engine, black_box(&a), &b, &c).expect("seeds of n bytes"));
                }),
                "sign" => Box::new(move || {
                    black_box(
                        key.sign(black_box(MESSAGE), &Mode::default(), Randomness::Deterministic).expect("signs"),
                    );
                }),
                _ => {
                    let signature = key.sign(MESSAGE, &Mode::default(), Randomness::Deterministic).expect("signs");
                    Box::new(move || {
                        public.verify(black_box(MESSAGE), &Mode::default(), signature.as_ref()).expect("verifies");
                    })
                }
            };
            Contender { name, times: 1, run }
        })
        .collect()
}

/// Verification of many signatures by one call.
fn batches(set: ParameterSet) -> Vec<Contender> {
    let seed = vec![1; set.n()];
    let key = SigningKey::from_seeds(set, &Engine::get(), &seed, &seed, &seed).expect("seeds of n bytes");
    let messages: Vec<[u8; 64]> = (0..BATCH).map(|i| [i as u8; 64]).collect();
    let parts: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
    let signed = key.sign_batch(&parts, &Mode::default(), Randomness::Deterministic);
    let signatures: Vec<Signature> = signed.into_iter().map(|signature| signature.expect("signs")).collect();
    engines()
        .map(|(name, engine)| {
            let public = key.verifying_key().with_engine(&engine);
            let (messages, signatures) = (messages.clone(), signatures.clone());
            let run = move || {
                let items: Vec<Item<'_>> = messages
                    .iter()
                    .zip(&signatures)
                    .map(|(message, signature)| Item {
                        key: &public,
                        message,
                        mode: Mode::default(),
                        signature: signature.as_ref(),
                    })
                    .collect();
                assert!(verify_batch(black_box(&items)).iter().all(Result::is_ok));
            };
            Contender { name: format!("{name} batch of {BATCH}"), times: BATCH, run: Box::new(run) }
        })
        .collect()
}

#[cfg(not(hashloom_oqs))]
macro_rules! pqclean {
    ($op:expr, $module:ident, $algorithm:ident) => {{
        use pqcrypto_sphincsplus::$module as rival;
        let (public, key) = rival::keypair();
        let run: Box<dyn FnMut()> = match $op {
            "keygen" => Box::new(|| {
                black_box(rival::keypair());
            }),
            "sign" => Box::new(move || {
                black_box(rival::detached_sign(black_box(MESSAGE), &key));
            }),
            _ => {
                let signature = rival::detached_sign(MESSAGE, &key);
                Box::new(move || {
                    rival::verify_detached_signature(&signature, black_box(MESSAGE), &public).expect("verifies");
                })
            }
        };
        Contender::new("pqcrypto-sphincsplus", run)
    }};
}

#[cfg(hashloom_oqs)]
macro_rules! pqclean {
    ($op:expr, $module:ident, $algorithm:ident) => {{
        oqs::init();
        let rival = oqs::sig::Sig::new(oqs::sig::Algorithm::$algorithm).expect("liboqs has it");
        let (public, key) = rival.keypair().expect("makes keys");
        let run: Box<dyn FnMut()> = match $op {
            "keygen" => Box::new(move || {
                black_box(rival.keypair().expect("makes keys"));
            }),
            "sign" => Box::new(move || {
                black_box(rival.sign(black_box(MESSAGE), &key).expect("signs"));
            }),
            _ => {
                let signature = rival.sign(MESSAGE, &key).expect("signs");
                Box::new(move || rival.verify(black_box(MESSAGE), &signature, &public).expect("verifies"))
            }
        };
        Contender::new("oqs", run)
    }};
}

macro_rules! rivals {
    ($($set:ident, $rust_crypto:ident, $fips205:ident, $pqcrypto:ident, $oqs:ident;)*) => {
        fn rivals(set: ParameterSet, op: &str) -> Vec<Contender> {
            match set {
                $(ParameterSet::$set => {
                    let n = set.n();
                    let key = slh_dsa::SigningKey::<slh_dsa::$rust_crypto>::slh_keygen_internal(
                        &vec![1; n], &vec![2; n], &vec![3; n],
                    );
                    let rust_crypto: Box<dyn FnMut()> = match op {
                        "keygen" => Box::new(move || {
                            black_box(slh_dsa::SigningKey::<slh_dsa::$rust_crypto>::slh_keygen_internal(
                                black_box(&vec![1; n]), &vec![2; n], &vec![3; n],
                            ));
                        }),
                        "sign" => Box::new(move || {
                            black_box(key.try_sign_with_context(black_box(MESSAGE), &[], None).expect("signs"));
                        }),
                        _ => {
                            let signature = key.try_sign_with_context(MESSAGE, &[], None).expect("signs");
                            let public: &slh_dsa::VerifyingKey<_> = key.as_ref();
                            let public = public.clone();
                            Box::new(move || {
                                public.try_verify_with_context(black_box(MESSAGE), &[], &signature).expect("verifies");
                            })
                        }
                    };
                    let (public, key) = fips205::$fips205::KG::keygen_from_seed::<{ fips205::$fips205::N }>(
                        &[1; _], &[2; _], &[3; _],
                    );
                    let fips205: Box<dyn FnMut()> = match op {
                        "keygen" => Box::new(|| {
                            black_box(fips205::$fips205::KG::keygen_from_seed::<{ fips205::$fips205::N }>(
                                black_box(&[1; _]), &[2; _], &[3; _],
                            ));
                        }),
                        "sign" => Box::new(move || {
                            black_box(key.try_sign(black_box(MESSAGE), &[], false).expect("signs"));
                        }),
                        _ => {
                            let signature = key.try_sign(MESSAGE, &[], false).expect("signs");
                            Box::new(move || assert!(public.verify(black_box(MESSAGE), &signature, &[])))
                        }
                    };
                    let pqclean = pqclean!(op, $pqcrypto, $oqs);
                    vec![Contender::new("slh-dsa", rust_crypto), Contender::new("fips205", fips205), pqclean]
                })*
            }
        }
    };
}
rivals! {
    Sha2_128s, Sha2_128s, slh_dsa_sha2_128s, sphincssha2128ssimple, SphincsSha2128sSimple;
    Sha2_128f, Sha2_128f, slh_dsa_sha2_128f, sphincssha2128fsimple, SphincsSha2128fSimple;
    Sha2_192s, Sha2_192s, slh_dsa_sha2_192s, sphincssha2192ssimple, SphincsSha2192sSimple;
    Sha2_192f, Sha2_192f, slh_dsa_sha2_192f, sphincssha2192fsimple, SphincsSha2192fSimple;
    Sha2_256s, Sha2_256s, slh_dsa_sha2_256s, sphincssha2256ssimple, SphincsSha2256sSimple;
    Sha2_256f, Sha2_256f, slh_dsa_sha2_256f, sphincssha2256fsimple, SphincsSha2256fSimple;
    Shake128s, Shake128s, slh_dsa_shake_128s, sphincsshake128ssimple, SphincsShake128sSimple;
    Shake128f, Shake128f, slh_dsa_shake_128f, sphincsshake128fsimple, SphincsShake128fSimple;
    Shake192s, Shake192s, slh_dsa_shake_192s, sphincsshake192ssimple, SphincsShake192sSimple;
    Shake192f, Shake192f, slh_dsa_shake_192f, sphincsshake192fsimple, SphincsShake192fSimple;
    Shake256s, Shake256s, slh_dsa_shake_256s, sphincsshake256ssimple, SphincsShake256sSimple;
    Shake256f, Shake256f, slh_dsa_shake_256f, sphincsshake256fsimple, SphincsShake256fSimple;
}
