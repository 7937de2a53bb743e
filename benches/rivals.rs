//! SLH-DSA on every backend of this machine beside other crates, in one run: rounds are interleaved, so that noise
//! falls on all alike, and medians are quoted as ratios.
//!
//! `cargo bench --bench rivals -- [--set TEXT] [--op keygen|sign|verify] [--rounds N]`

use std::{hint::black_box, time::Instant};

use fips205::traits::{KeyGen, Signer as _, Verifier as _};
use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, Randomness, SigningKey},
};

const MESSAGE: &[u8; 64] = &[0x5a; 64];

/// Something that does an operation once, and its name.
type Contender = (String, Box<dyn FnMut()>);

fn ours(set: ParameterSet, op: &str) -> Vec<Contender> {
    let n = set.n();
    let seeds = [vec![1; n], vec![2; n], vec![3; n]];
    let chosen = Engine::available().map(|(backend, engine)| (backend.to_string(), engine));
    chosen
        .chain([("auto".to_owned(), Engine::get())])
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
            (format!("hashloom {name}"), run)
        })
        .collect()
}

macro_rules! rivals {
    ($($set:ident, $rust_crypto:ident, $fips205:ident;)*) => {
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
                    vec![("slh-dsa".to_owned(), rust_crypto), ("fips205".to_owned(), fips205)]
                })*
            }
        }
    };
}
rivals! {
    Sha2_128s, Sha2_128s, slh_dsa_sha2_128s;
    Sha2_128f, Sha2_128f, slh_dsa_sha2_128f;
    Sha2_192s, Sha2_192s, slh_dsa_sha2_192s;
    Sha2_192f, Sha2_192f, slh_dsa_sha2_192f;
    Sha2_256s, Sha2_256s, slh_dsa_sha2_256s;
    Sha2_256f, Sha2_256f, slh_dsa_sha2_256f;
    Shake128s, Shake128s, slh_dsa_shake_128s;
    Shake128f, Shake128f, slh_dsa_shake_128f;
    Shake192s, Shake192s, slh_dsa_shake_192s;
    Shake192f, Shake192f, slh_dsa_shake_192f;
    Shake256s, Shake256s, slh_dsa_shake_256s;
    Shake256f, Shake256f, slh_dsa_shake_256f;
}

/// Milliseconds of each contender's runs, one run of each per round.
fn interleave(contenders: &mut [Contender], rounds: usize) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for (times, (_, run)) in times.iter_mut().zip(&mut *contenders) {
            let start = Instant::now();
            run();
            times.push(start.elapsed().as_secs_f64() * 1e3);
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
            let rounds: usize = rounds.unwrap_or(if slow { 3 } else { 15 }).max(1);
            let mut contenders = ours(set, op);
            contenders.extend(rivals(set, op));
            let times = interleave(&mut contenders, rounds);
            let median = |times: &[f64]| times[times.len() / 2];
            let auto =
                contenders.iter().position(|(name, _)| name == "hashloom auto").map_or(1.0, |i| median(&times[i]));
            for ((name, _), times) in contenders.iter().zip(&times) {
                let (mid, p95) = (median(times), times[(times.len() * 95 / 100).min(times.len() - 1)]);
                println!("{set},{op},{name},{rounds},{:.3},{mid:.3},{p95:.3},{:.2}", times[0], mid / auto);
            }
        }
    }
}
