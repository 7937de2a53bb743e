//! Cycles per lane of each primitive on each backend, through the public verbs: what a caller gets, glue included.
//!
//! `cargo bench --bench kernels -- [TEXT]` prints one line per primitive and backend, those that contain TEXT. Core
//! cycles come from a chain of dependent operations of known latency that is timed next to every repetition.

use std::{hint::black_box, time::Instant};

use hashloom::{
    Engine,
    adrs::TreeAdrs,
    hash::{Chain, Chains, FixedHash, Hash, Start},
    keccak::{Sha3_256, Shake256},
    sha2::{Sha256, Sha512},
};

const REPETITIONS: usize = 51;
/// Chains of a few WOTS+ keys, and messages: multiples of every lane count.
const CHAINS: u32 = 560;
const MESSAGES: u32 = 16;
const BLOCKS: u32 = 32;

/// A measurement's name, and what makes it.
type Row = (&'static str, fn(&Engine) -> f64);

/// Seconds of a core cycle now: a multiplication (3 cycles) and an OR (1) on one dependency chain.
fn cycle() -> f64 {
    const STEPS: u32 = 5000;
    let mut x = black_box(3_u64);
    let start = Instant::now();
    for _ in 0..STEPS {
        x = x.wrapping_mul(x | 1);
    }
    black_box(x);
    start.elapsed().as_secs_f64() / f64::from(4 * STEPS)
}

/// Median cycles of `run`, divided by `items`.
fn measure(items: u32, mut run: impl FnMut()) -> f64 {
    let mut cycles: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            let clock = cycle();
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() / clock / f64::from(items)
        })
        .collect();
    cycles.sort_by(f64::total_cmp);
    cycles[REPETITIONS / 2]
}

fn blocks<H: Hash>(engine: &Engine) -> f64 {
    // the padding makes the last block
    let messages: Vec<Vec<u8>> = (0..MESSAGES).map(|i| vec![i as u8; BLOCKS as usize * H::BLOCK_LEN - 17]).collect();
    let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
    let mut out = vec![0; 32 * messages.len()];
    let hash = H::on(engine);
    measure(MESSAGES * BLOCKS, || hash.hash_many(black_box(&messages), &mut out).expect("32 bytes each"))
}

fn single<H: Hash>(engine: &Engine) -> f64 {
    let message = vec![7; BLOCKS as usize * H::BLOCK_LEN - 17];
    let mut out = [0; 32];
    let hash = H::on(engine);
    measure(BLOCKS, || hash.hash(black_box(&[&message]), &mut out).expect("32 bytes"))
}

fn chain<H: Chains, const N: usize>(engine: &Engine, steps: u32) -> f64 {
    let hash = H::on(engine);
    let prefix = [hash.prefix(&[1; N])];
    let tree = TreeAdrs { layer: 1, tree: 2 };
    let chains: Vec<Chain> = (0..CHAINS).map(|i| Chain { adrs: tree.wots_hash(i / 35, i % 35, 0), steps }).collect();
    let mut nodes = vec![[0; N]; chains.len()];
    measure(CHAINS * steps, || hash.chain_many(&prefix, black_box(&chains), Start::Nodes, &mut nodes))
}

/// A block of PBKDF2's iterations, of which HMAC has two, with `ITEMS` passwords.
fn iteration<H: FixedHash, const ITEMS: usize>(engine: &Engine) -> f64 {
    const ITERATIONS: u32 = 256;
    let hash = H::on(engine);
    let mut keys = [[H::State::default(); 2]; ITEMS];
    hash.begin_many(&vec![7; 2 * ITEMS * H::BLOCK_LEN], keys.as_flattened_mut());
    let (mut u, mut sum) = (vec![1; ITEMS * H::LEN], vec![2; ITEMS * H::LEN]);
    measure(ITEMS as u32 * 2 * ITERATIONS, || hash.iterate_many(black_box(&keys), ITERATIONS, &mut u, &mut sum))
}

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!("engine: {}", Engine::get());
    println!("cycles per lane; {:.3} GHz", 1e-9 / cycle());
    let rows: [Row; 17] = [
        ("keccak-f[1600], many messages", blocks::<Sha3_256>),
        ("keccak-f[1600], one message", single::<Sha3_256>),
        ("shake256 chain step, n=16", |e| chain::<Shake256, 16>(e, 15)),
        ("shake256 chain step, n=32", |e| chain::<Shake256, 32>(e, 15)),
        ("sha256 block, many messages", blocks::<Sha256>),
        ("sha256 block, one message", single::<Sha256>),
        ("sha256 chain step, n=16", |e| chain::<Sha256, 16>(e, 15)),
        ("sha256 chain step, n=24", |e| chain::<Sha256, 24>(e, 15)),
        ("sha256 chain step, n=32", |e| chain::<Sha256, 32>(e, 15)),
        ("sha512 block, many messages", blocks::<Sha512>),
        ("sha512 block, one message", single::<Sha512>),
        ("hmac-sha256 iteration's block, many", iteration::<Sha256, 16>),
        ("hmac-sha256 iteration's block, one", iteration::<Sha256, 1>),
        ("hmac-sha512 iteration's block, many", iteration::<Sha512, 16>),
        ("hmac-sha512 iteration's block, one", iteration::<Sha512, 1>),
        ("hmac-sha3-256 iteration's block, many", iteration::<Sha3_256, 16>),
        ("hmac-sha3-256 iteration's block, one", iteration::<Sha3_256, 1>),
    ];
    for (primitive, run) in rows {
        for (backend, engine) in Engine::available() {
            let name = format!("{primitive}, {backend}");
            if name.contains(&wanted) {
                println!("{name:52} {:7.1}", run(&engine));
            }
        }
    }
}
