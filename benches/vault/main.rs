//! The workload of a password vault: four derivations by PBKDF2-HMAC-SHA256 with 100,000 iterations, one after another
//! and side by side, on every backend and by other implementations, in one run.
//!
//! Rounds are interleaved, results are kept live, and every contender must derive the same keys. Times are of one
//! thread: hashloom runs in a pool of one.

use std::{
    hint::black_box,
    num::NonZeroU32,
    time::{Duration, Instant},
};

use clap::Parser;
use hashloom::{
    Engine,
    hash::{FixedHash, Hash},
    pbkdf2::{Derivation, derive_many},
    sha2::{Sha256, Sha512},
};

/// Derivations of the workload.
const VAULT: usize = 4;
/// Bytes of a derived key.
const LEN: usize = 32;
/// What the names of those have that do not use SHA-256.
const SHA512: &str = "SHA-512";

#[derive(Parser)]
#[command(about = "PBKDF2 as a password vault uses it")]
struct Args {
    /// Iterations of a derivation
    #[arg(long, default_value_t = 100_000)]
    iterations: u32,
    /// Rounds, each with every contender
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only contenders whose name has this in it
    #[arg(long, default_value = "")]
    only: String,
    /// hashloom alone
    #[arg(long)]
    alone: bool,
}

type Keys = Vec<[u8; LEN]>;

/// Derives all keys with so many iterations.
type Derive = dyn Fn(u32, &mut Keys);

/// Who derives, how many keys in one go, and how.
struct Contender {
    name: String,
    batch: usize,
    /// In one call that fills lanes, or one key after another.
    at_once: bool,
    derive: Box<Derive>,
}

impl Contender {
    fn ours<H: FixedHash + 'static>(name: &str, hash: H, batch: usize, at_once: bool) -> Self {
        let derive = Box::new(move |iterations, keys: &mut Keys| by_hashloom(hash, at_once, iterations, keys));
        Self { name: format!("hashloom {name}"), batch, at_once, derive }
    }

    fn rival(name: &str, derive: impl Fn(NonZeroU32, &[u8], &[u8], &mut [u8]) + 'static) -> Self {
        let derive = Box::new(move |iterations, keys: &mut Keys| {
            let iterations = NonZeroU32::new(iterations).expect("checked");
            for (i, key) in keys.iter_mut().enumerate() {
                derive(iterations, &password(i), &salt(i), key);
            }
        });
        Self { name: name.to_owned(), batch: VAULT, at_once: false, derive }
    }
}

fn password(i: usize) -> [u8; 16] {
    *format!("password {i:07}").as_bytes().first_chunk().expect("16 bytes")
}

fn salt(i: usize) -> [u8; 16] {
    *format!("salt     {i:07}").as_bytes().first_chunk().expect("16 bytes")
}

/// All keys in one call, or each in its own.
fn by_hashloom<H: FixedHash>(hash: H, at_once: bool, iterations: u32, keys: &mut Keys) {
    let inputs: Vec<_> = (0..keys.len()).map(|i| (password(i), salt(i))).collect();
    let mut derivations: Vec<_> =
        inputs.iter().zip(keys).map(|((password, salt), out)| Derivation { password, salt, out }).collect();
    let size = if at_once { derivations.len() } else { 1 };
    for part in derivations.chunks_mut(size) {
        derive_many(hash, iterations, part).expect("sizes are right");
    }
}

fn contenders(args: &Args) -> Vec<Contender> {
    let mut all = Vec::new();
    let engines = Engine::available().map(|(backend, engine)| (backend.name(), engine));
    for (name, engine) in engines.chain([("auto", Engine::get())]) {
        let hash = Sha256::on(&engine);
        all.push(Contender::ours(name, hash, VAULT, false));
        all.extend([VAULT, 8, 16].map(|batch| Contender::ours(name, hash, batch, true)));
        all.push(Contender::ours(&format!("{name} {SHA512}"), Sha512::on(&engine), 8, true));
    }
    if !args.alone {
        all.push(Contender::rival("pbkdf2 + sha2", |iterations, password, salt, out| {
            pbkdf2::pbkdf2_hmac::<sha2::Sha256>(password, salt, iterations.get(), out);
        }));
        all.push(Contender::rival("ring", |iterations, password, salt, out| {
            ring::pbkdf2::derive(ring::pbkdf2::PBKDF2_HMAC_SHA256, iterations, salt, password, out);
        }));
        all.push(Contender::rival("aws-lc-rs", |iterations, password, salt, out| {
            aws_lc_rs::pbkdf2::derive(aws_lc_rs::pbkdf2::PBKDF2_HMAC_SHA256, iterations, salt, password, out);
        }));
        #[cfg(hashloom_openssl)]
        all.push(Contender::rival("openssl", |iterations, password, salt, out| {
            let digest = openssl::hash::MessageDigest::sha256();
            openssl::pkcs5::pbkdf2_hmac(password, salt, iterations.get() as usize, digest, out).expect("valid input");
        }));
    }
    all.retain(|contender| contender.name.contains(&args.only));
    all
}

fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// Whether additions that overflow panic, as the profile says.
#[allow(arithmetic_overflow)]
fn overflow_checks() -> bool {
    std::panic::set_hook(Box::new(|_| ()));
    let checked = std::panic::catch_unwind(|| black_box(u8::MAX) + black_box(1)).is_err();
    drop(std::panic::take_hook());
    checked
}

fn main() {
    let args = Args::parse();
    assert!(args.iterations > 0 && args.rounds > 0, "nothing to measure");
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nothing has used threads yet");
    println!("engine: {}", Engine::get());
    println!(
        "build: profile {}, opt-level {}, overflow checks {}, debug assertions {}",
        env!("VAULT_PROFILE"),
        env!("VAULT_OPT_LEVEL"),
        on_or_off(overflow_checks()),
        on_or_off(cfg!(debug_assertions)),
    );
    let contenders = contenders(&args);
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..args.rounds {
        let mut agreed: Option<Keys> = None;
        for (contender, times) in contenders.iter().zip(&mut times) {
            let mut keys = vec![[0; LEN]; contender.batch];
            let start = Instant::now();
            (contender.derive)(args.iterations, &mut keys);
            black_box(&mut keys);
            times.push(start.elapsed());
            if !contender.name.contains(SHA512) {
                let expected = agreed.get_or_insert_with(|| keys.clone());
                assert!(keys[..VAULT] == expected[..VAULT], "{} derives other keys", contender.name);
            }
        }
    }
    println!("| contender | derivations | ms for one | slowest | ms for all |\n|---|---|---|---|---|");
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    for (Contender { name, batch, at_once, .. }, times) in contenders.iter().zip(&mut times) {
        times.sort_unstable();
        let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
        let [one, slowest] = [median, slowest].map(|time| ms(time / *batch as u32));
        let how = if *at_once { "at once" } else { "in turn" };
        println!("| {name} | {batch} {how} | {one:.2} | {slowest:.2} | {:.1} |", ms(median));
    }
}
