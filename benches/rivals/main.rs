//! SLH-DSA on every backend of this machine beside other crates, in one run: rounds are interleaved, so that noise
//! falls on all alike, and medians are quoted as ratios.
//!
//! `cargo run --release -p rivals -- [--set TEXT] [--op keygen|sign|verify] [--rounds N]`
//!
//! The C rival is `pqcrypto-sphincsplus`, or with `--cfg hashloom_oqs` `oqs`. Both hold PQClean's code under the same
//! symbols, so that in one program the calls of both would end in the same of the two.

use std::{hint::black_box, time::Instant};

use fips205::traits::{KeyGen, Signer as _, Verifier as _};
use hashloom::{
    Engine,
    slh_dsa::{Item, Mode, ParameterSet, Randomness, Signature, SigningKey, verify_batch},
};

const MESSAGE: &[u8; 64] = &[0x5a; 64];
/// Signatures that are verified by one call.
const BATCH: usize = 64;

/// Something that does an operation so many times, and its name.
struct Contender {
    name: String,
    times: usize,
    run: Box<dyn FnMut()>,
}

impl Contender {
    fn new(name: impl Into<String>, run: impl FnMut() + 'static) -> Self {
        Self { name: name.into(), times: 1, run: Box::new(run) }
    }
}

/// The backends of this machine, each forced, and the automatic choice.
fn engines() -> impl Iterator<Item = (String, Engine)> {
    let forced = Engine::available().map(|(backend, engine)| (format!("hashloom {backend}"), engine));
    forced.chain([("hashloom auto".to_owned(), Engine::get())])
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

/// Milliseconds of an operation in each contender's runs, one run of each per round.
fn interleave(contenders: &mut [Contender], rounds: usize) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for (times, contender) in times.iter_mut().zip(&mut *contenders) {
            let start = Instant::now();
            (contender.run)();
            times.push(start.elapsed().as_secs_f64() * 1e3 / f64::from(contender.times as u32));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let wanted = option("--set").map_or(String::new(), |text| text.to_lowercase());
    let only = option("--op");
    let rounds = option("--rounds").and_then(|rounds| rounds.parse().ok());

    println!("engine: {}", Engine::get());
    println!("set,op,contender,rounds,min_ms,median_ms,p95_ms,times_auto");
    for set in ParameterSet::ALL.into_iter().filter(|set| set.name().to_lowercase().contains(&wanted)) {
        for op in ["keygen", "sign", "verify"].into_iter().filter(|op| only.is_none_or(|only| only == op)) {
            let slow = set.name().ends_with('s') && op != "verify";
            let rounds: usize = rounds.unwrap_or(if slow { 1 } else { 9 }).max(1);
            let mut contenders = ours(set, op);
            if op == "verify" {
                contenders.extend(batches(set));
            }
            contenders.extend(rivals(set, op));
            let times = interleave(&mut contenders, rounds);
            let median = |times: &[f64]| times[times.len() / 2];
            let auto = contenders
                .iter()
                .position(|contender| contender.name == "hashloom auto")
                .map_or(1.0, |i| median(&times[i]));
            for (Contender { name, .. }, times) in contenders.iter().zip(&times) {
                let (mid, p95) = (median(times), times[(times.len() * 95 / 100).min(times.len() - 1)]);
                println!("{set},{op},{name},{rounds},{:.3},{mid:.3},{p95:.3},{:.2}", times[0], mid / auto);
            }
        }
    }
}
