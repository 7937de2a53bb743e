//! How much hashing the library does: its own counters against the closed formulas of `hashloom_kat::cost` for SLH-DSA,
//! and against formulas here for ML-DSA and PBKDF2, call for call. What goes beyond the formulas is accounted for here.

mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

use common::{
    ml, on_every_engine, painted,
    slh::{CONTEXT, MESSAGE, MODE, fast_sets, is_fast, seeds},
};
use hashloom::{
    Engine,
    adrs::{Adrs, TreeAdrs},
    count::{Counts, take},
    hash::{Chain, Chains, FixedHash, Hash, Start, Tweak},
    keccak::{Sha3_256, Shake256},
    ml_dsa, pbkdf2,
    sha2::{Sha256, Sha512},
    slh_dsa::{Item, ParameterSet, Randomness, SigningKey, verify_batch},
};
use hashloom_kat::cost::{Calls, Hashes, Shape};

/// The counters belong to the process: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    take();
    turn
}

/// What `hashes` and `more` calls besides come to.
fn counts(shape: &Shape, hashes: &Hashes, more: &[Calls]) -> Counts {
    let sum = more.iter().fold(shape.calls(hashes), |sum, more| Calls {
        sha256: sum.sha256 + more.sha256,
        sha512: sum.sha512 + more.sha512,
        keccak: sum.keccak + more.keccak,
    });
    Counts { sha256: sum.sha256, sha512: sum.sha512, keccak: sum.keccak }
}

/// PK.seed's block in front of F and PRF, and in front of H and T_l: once for each key.
fn seed_blocks(shape: &Shape) -> Calls {
    match (shape.shake, shape.n) {
        (true, _) => Calls::default(),
        (false, 16) => Calls { sha256: 2, ..Calls::default() },
        (false, _) => Calls { sha256: 1, sha512: 1, ..Calls::default() },
    }
}

/// Calls of the function that hashes messages.
fn message_calls(shape: &Shape, calls: u64) -> Calls {
    match (shape.shake, shape.n) {
        (true, _) => Calls { keccak: calls, ..Calls::default() },
        (false, 16) => Calls { sha256: calls, ..Calls::default() },
        (false, _) => Calls { sha512: calls, ..Calls::default() },
    }
}

/// Blocks of a message of `len` bytes and its padding, and bytes of a block and a digest, of the same function.
fn message_blocks(shape: &Shape) -> (impl Fn(u64) -> u64, u64, u64) {
    let (block, digest, least) = match (shape.shake, shape.n) {
        (true, _) => (136, 0, 1),
        (false, 16) => (64, 32, 9),
        (false, _) => (128, 64, 17),
    };
    (move |len: u64| (len + least).div_ceil(block), block, digest)
}

/// PRF_msg of M' (FIPS 205 section 11): SHAKE256, or HMAC with its two blocks of key.
fn prf_msg(shape: &Shape, message: u64) -> Calls {
    let (blocks, block, digest) = message_blocks(shape);
    let n = shape.n;
    let hmac = || blocks(block + n + message) + blocks(block + digest);
    message_calls(shape, if shape.shake { blocks(2 * n + message) } else { hmac() })
}

/// H_msg of M': SHAKE256, or a digest and MGF1.
fn h_msg(shape: &Shape, message: u64) -> Calls {
    let (blocks, _, digest) = message_blocks(shape);
    let n = shape.n;
    let mgf1 = || digest_len(shape).div_ceil(digest) * blocks(2 * n + digest + 4);
    message_calls(shape, blocks(3 * n + message) + if shape.shake { 0 } else { mgf1() })
}

/// Bytes that H_msg makes, m, and how they are shared out: FORS indices, tree, leaf.
fn digest_parts(shape: &Shape) -> [u64; 3] {
    [shape.k * shape.a, (shape.d - 1) * shape.hp, shape.hp].map(|bits| bits.div_ceil(8))
}

fn digest_len(shape: &Shape) -> u64 {
    digest_parts(shape).iter().sum()
}

/// The digits that the WOTS+ keys of all layers sign, found by verifying as Alg. 20 says, one hash after the other.
struct Replay<'a, F: Chains, H: Tweak> {
    shape: Shape,
    functions: (F, H),
    prefixes: (F::Prefix, H::Prefix),
    public: &'a [u8],
    signature: &'a [u8],
}

impl<F: Chains, H: Tweak> Replay<'_, F, H> {
    fn f<const N: usize>(&self, adrs: Adrs, steps: u32, node: [u8; N]) -> [u8; N] {
        let mut nodes = [node];
        let chain = Chain { adrs, steps };
        self.functions.0.chain_many(&[self.prefixes.0], &[chain], Start::Nodes, &mut nodes);
        nodes[0]
    }

    fn h<const N: usize>(&self, adrs: Adrs, nodes: &[[u8; N]]) -> [u8; N] {
        let mut out = [[0; N]];
        self.functions.1.tweak_many(&[self.prefixes.1], &[adrs], nodes, &mut out);
        out[0]
    }

    /// A leaf's root by its authentication path.
    fn root<const N: usize>(
        &self,
        leaf: [u8; N],
        index: u64,
        path: &[[u8; N]],
        adrs: impl Fn(u32, u32) -> Adrs,
    ) -> [u8; N] {
        (1..).zip(path).fold(leaf, |node, (height, sibling)| {
            let right = index >> (height - 1) & 1 == 1;
            let pair = if right { [*sibling, node] } else { [node, *sibling] };
            self.h(adrs(height, (index >> height) as u32), &pair)
        })
    }

    fn digits<const N: usize>(&self, digest: &[u8]) -> Vec<u32> {
        let shape = &self.shape;
        let (k, a, hp, len) = (shape.k as usize, shape.a as usize, shape.hp as usize, shape.chains() as usize);
        let number = |bits: &[bool]| bits.iter().fold(0, |x: u64, &bit| x << 1 | u64::from(bit));
        let bits: Vec<bool> = digest.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1 == 1)).collect();
        let [fors_len, tree_len, _] = digest_parts(shape).map(|bytes| 8 * bytes as usize);
        let mut tree = number(&bits[fors_len..fors_len + tree_len]) & (u64::MAX >> (64 - (shape.d - 1) * shape.hp));
        let mut leaf = number(&bits[fors_len + tree_len..]) & ((1 << hp) - 1);

        let (nodes, []) = self.signature.as_chunks::<N>() else { panic!("a signature of whole nodes") };
        let mut nodes = nodes[1..].iter().copied();
        let mut next = |count: usize| nodes.by_ref().take(count).collect::<Vec<_>>();
        let at = TreeAdrs { layer: 0, tree };
        let roots: Vec<[u8; N]> = (0..k)
            .map(|i| {
                let (index, part) = (number(&bits[i * a..(i + 1) * a]), next(1 + a));
                let adrs =
                    |height, index| at.fors_node(leaf as u32, height, ((i as u32) << (a as u32 - height)) + index);
                let value = self.f(adrs(0, index as u32), 1, part[0]);
                self.root(value, index, &part[1..], adrs)
            })
            .collect();
        let mut message = self.h(at.fors_roots(leaf as u32), &roots);

        let mut all = Vec::new();
        for layer in 0..shape.d as u32 {
            let at = TreeAdrs { layer, tree };
            let mut digits: Vec<u32> =
                message.iter().flat_map(|byte| [u32::from(byte >> 4), u32::from(byte & 15)]).collect();
            let checksum: u32 = digits.iter().map(|digit| 15 - digit).sum();
            digits.extend([checksum >> 8, checksum >> 4 & 15, checksum & 15]);
            let part = next(len + hp);
            let ends: Vec<[u8; N]> = (0..)
                .zip(&digits)
                .zip(&part)
                .map(|((chain, &digit), node)| self.f(at.wots_hash(leaf as u32, chain, digit), 15 - digit, *node))
                .collect();
            let public = self.h(at.wots_pk(leaf as u32), &ends);
            message = self.root(public, leaf, &part[len..], |height, index| at.node(height, index));
            (leaf, tree) = (tree & ((1 << hp) - 1), tree >> hp);
            all.extend(digits);
        }
        assert_eq!(message, self.public[N..], "the signature verifies, so that these are its digits");
        all
    }
}

/// All WOTS+ digits of a signature.
fn digits(set: ParameterSet, engine: &Engine, public: &[u8], message: &[u8], signature: &[u8]) -> Vec<u32> {
    fn replay<F: Chains, H: Tweak, const N: usize>(
        shape: Shape,
        engine: &Engine,
        public: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Vec<u32> {
        let functions = (F::on(engine), H::on(engine));
        let (seed, root) = public.split_at(N);
        let r = &signature[..N];
        let mut digest = vec![0; digest_len(&shape) as usize];
        match H::DIGEST_LEN {
            None => functions.1.hash(&[r, seed, root, message], &mut digest).unwrap(),
            Some(len) => {
                let mut inner = vec![0; len];
                functions.1.hash(&[r, seed, root, message], &mut inner).unwrap();
                for (counter, out) in (0_u32..).zip(digest.chunks_mut(len)) {
                    functions.1.hash(&[r, seed, &inner, &counter.to_be_bytes()], out).unwrap();
                }
            }
        }
        let prefixes = (functions.0.prefix(seed), functions.1.prefix(seed));
        Replay { shape, functions, prefixes, public, signature }.digits::<N>(&digest)
    }
    let shape = Shape::of(set);
    let run = match (shape.shake, shape.n) {
        (true, 16) => replay::<Shake256, Shake256, 16>,
        (true, 24) => replay::<Shake256, Shake256, 24>,
        (true, _) => replay::<Shake256, Shake256, 32>,
        (false, 16) => replay::<Sha256, Sha256, 16>,
        (false, 24) => replay::<Sha256, Sha512, 24>,
        (false, _) => replay::<Sha256, Sha512, 32>,
    };
    run(shape, engine, public, message, signature)
}

fn operations(set: ParameterSet, engine: &Engine) {
    let shape = Shape::of(set);
    let framed = [&[0, CONTEXT.len() as u8], CONTEXT, MESSAGE].concat();
    let len = framed.len() as u64;

    take();
    let [sk_seed, sk_prf, pk_seed] = seeds(set, "counts");
    let key = SigningKey::from_seeds(set, engine, &sk_seed, &sk_prf, &pk_seed).unwrap();
    assert_eq!(take(), counts(&shape, &shape.keygen(), &[seed_blocks(&shape)]), "{set}: key generation");

    let signature = key.sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap();
    let signing = take();
    let public = key.verifying_key();
    let digits = digits(set, engine, public.as_bytes(), &framed, signature.as_ref());
    assert_eq!(digits.len() as u64, shape.d * shape.chains());
    // the revealed FORS values are made a second time, and a WOTS+ value is the hash of the mark before it
    let beyond = Hashes { prf: shape.k, f: digits.iter().map(|digit| u64::from(digit % 4)).sum(), ..Hashes::default() };
    let extras = [shape.calls(&beyond), seed_blocks(&shape), prf_msg(&shape, len), h_msg(&shape, len)];
    assert_eq!(signing, counts(&shape, &shape.sign(), &extras), "{set}: signing");

    let verification = shape.verify(digits.iter().map(|digit| u64::from(15 - digit)).sum());
    let extras = [seed_blocks(&shape), h_msg(&shape, len)];
    take();
    public.verify(MESSAGE, &MODE, signature.as_ref()).unwrap();
    let once = take();
    assert_eq!(once, counts(&shape, &verification, &extras), "{set}: verification");

    let item = Item { key: &public, message: MESSAGE, mode: MODE, signature: signature.as_ref() };
    verify_batch(&[item; 3]).into_iter().for_each(|verdict| verdict.unwrap());
    let thrice = Counts { sha256: 3 * once.sha256, sha512: 3 * once.sha512, keccak: 3 * once.keccak };
    assert_eq!(take(), thrice, "{set}: a batch");
}

#[test]
fn operations_of_the_fast_sets() {
    let _turn = alone();
    on_every_engine(|engine| fast_sets().for_each(|set| operations(set, engine)));
}

#[test]
fn operations_of_the_small_sets() {
    let _turn = alone();
    let engine = Engine::get();
    eprintln!("running on {engine}");
    ParameterSet::ALL.into_iter().filter(|set| !is_fast(*set)).for_each(|set| operations(set, &engine));
}

/// The blocks of messages are counted alike, one message at a time or many at once, whatever lanes stay idle.
#[test]
fn messages() {
    fn check<H: Hash>(engine: &Engine, out_len: usize, expected: impl Fn(u64) -> Counts) {
        let lens = [0, 1, H::BLOCK_LEN - 1, H::BLOCK_LEN, 3 * H::BLOCK_LEN + 5];
        let messages = lens.map(painted);
        let mut out = vec![0; lens.len() * out_len];
        take();
        H::on(engine).hash_many(&messages.each_ref().map(|message| &message[..]), &mut out).unwrap();
        let many = take();
        for (message, out) in messages.iter().zip(out.chunks_mut(out_len)) {
            H::on(engine).hash(&[message], out).unwrap();
        }
        assert_eq!(many, take(), "{}", H::NAME);
        assert_eq!(many, expected(1 + 1 + 2 + 2 + 4), "{}", H::NAME);
    }
    let _turn = alone();
    on_every_engine(|engine| {
        // a byte less than a block and the padding need a second block in SHA-2; one byte of padding is enough in SHAKE
        check::<Sha256>(engine, 32, |sha256| Counts { sha256, ..Counts::default() });
        check::<Sha512>(engine, 64, |sha512| Counts { sha512, ..Counts::default() });
        check::<Shake256>(engine, 136, |blocks| Counts { keccak: blocks - 1, ..Counts::default() });
        check::<Shake256>(engine, 137, |blocks| Counts { keccak: blocks - 1 + 5, ..Counts::default() });
    });
}

/// Permutations of SHAKE256 for an input and an output.
fn shake256(input: u64, output: u64) -> u64 {
    input / 136 + output.div_ceil(136).max(1)
}

/// What the functions of FIPS 204 hash, in permutations.
struct Lattice {
    k: u64,
    l: u64,
    /// Bytes of c~, of the encodings of w1 and of a polynomial of z, and of the public key.
    c: u64,
    w1: u64,
    z: u64,
    public: u64,
    /// Attempts that a hundred signatures take on average (table 1).
    repetitions: u64,
}

impl Lattice {
    fn of(set: ml_dsa::ParameterSet) -> Self {
        let (k, l, c, w1, z, repetitions) = match set {
            ml_dsa::ParameterSet::MlDsa44 => (4, 4, 32, 192, 576, 425),
            ml_dsa::ParameterSet::MlDsa65 => (6, 5, 48, 128, 640, 510),
            ml_dsa::ParameterSet::MlDsa87 => (8, 7, 64, 128, 640, 385),
        };
        Self { k, l, c, w1: k * w1, z, public: 32 + 320 * k, repetitions }
    }

    /// `ExpandA` (Alg. 32): five blocks of SHAKE128 for each polynomial.
    fn matrix(&self) -> u64 {
        5 * self.k * self.l
    }

    /// Alg. 6: the seeds, `ExpandA`, two blocks for each polynomial of `ExpandS` (Alg. 33), tr.
    fn keygen(&self) -> u64 {
        shake256(34, 128) + self.matrix() + 2 * (self.k + self.l) + self.tr()
    }

    fn tr(&self) -> u64 {
        shake256(self.public, 64)
    }

    /// mu of M'.
    fn mu(message: u64) -> u64 {
        shake256(64 + message, 64)
    }

    /// `ExpandMask` (Alg. 34) for one polynomial.
    fn mask(&self) -> u64 {
        shake256(66, self.z)
    }

    /// c~ of a commitment, and c of c~ (Alg. 29).
    fn challenge(&self) -> u64 {
        shake256(64 + self.w1, self.c) + shake256(self.c, 136)
    }

    /// Alg. 7 with A from the private key, `each` attempts made at once, masks as many at once as `lanes` or a multiple:
    /// the next attempts' are made where lanes would be idle.
    fn sign(&self, message: u64, attempts: u64, each: u64, lanes: u64) -> u64 {
        let rho = shake256(128, 64);
        let attempts = attempts.next_multiple_of(each);
        let masks = (1..=attempts / each).fold(0, |made: u64, round| {
            let missing = (round * each * self.l).saturating_sub(made);
            made + missing.next_multiple_of(lanes)
        });
        self.matrix() + Self::mu(message) + rho + masks * self.mask() + attempts * self.challenge()
    }

    /// Alg. 8.
    fn verify(&self, message: u64) -> u64 {
        self.matrix() + self.tr() + Self::mu(message) + self.challenge()
    }
}

#[test]
fn ml_dsa_operations() {
    let _turn = alone();
    let keccak = |permutations| Counts { keccak: permutations, ..Counts::default() };
    for set in ml_dsa::ParameterSet::ALL {
        let shape = Lattice::of(set);
        let framed = (2 + ml::CONTEXT.len() + 8) as u64;
        let sign = |engine: &Engine, message: u64| {
            let key = ml::key(set, engine);
            take();
            let signature = key.sign(&message.to_le_bytes()[..], &ml::MODE, Randomness::Deterministic).unwrap();
            (take().keccak, signature)
        };
        // one after the other where there is one lane, so that the rest of a count is that of the attempts
        let attempts: Vec<u64> = (0..100)
            .map(|message| {
                let (total, _) = sign(&Engine::portable(), message);
                let beyond = total - shape.sign(framed, 0, 1, 1);
                let attempts = beyond / (shape.l * shape.mask() + shape.challenge());
                assert_eq!(total, shape.sign(framed, attempts, 1, 1), "{set}: whole attempts");
                assert!(attempts >= 1, "{set}");
                attempts
            })
            .collect();
        let all: u64 = attempts.iter().sum();
        assert!((7 * shape.repetitions..13 * shape.repetitions).contains(&(10 * all)), "{set}: {all} attempts");

        on_every_engine(|engine| {
            take();
            let key = ml::key_for(set, engine, "counts");
            assert_eq!(take(), keccak(shape.keygen()), "{set}: key generation");
            drop(key);

            let public = ml::key(set, engine).verifying_key();
            let choice = engine.keccak();
            let (each, lanes) = (choice.tail.1.min(2) as u64, choice.wide.1 as u64);
            for (message, &attempts) in (0..10).zip(&attempts) {
                let (total, signature) = sign(engine, message);
                assert_eq!(total, shape.sign(framed, attempts, each, lanes), "{set}: signing, {attempts} attempts");
                let message = message.to_le_bytes();
                public.verify(&message[..], &ml::MODE, signature.as_ref()).unwrap();
                assert_eq!(take(), keccak(shape.verify(framed)), "{set}: verification");
                let item =
                    ml_dsa::Item { key: &public, message: &message, mode: ml::MODE, signature: signature.as_ref() };
                ml_dsa::verify_batch(&[item; 3]).into_iter().for_each(|verdict| verdict.unwrap());
                assert_eq!(take(), keccak(3 * shape.verify(framed)), "{set}: a batch");
            }
        });
    }
}

/// RFC 8018 section 5.2: each block of output takes two calls for each iteration, but that the first of them also has
/// the salt; a key takes two for its pads, once for all blocks.
#[test]
fn iterations() {
    fn check<H: FixedHash>(engine: &Engine, salt_blocks: u64, calls: impl Fn(u64) -> Counts) {
        let hash = H::on(engine);
        for (blocks, count) in [(1_u64, 1), (1, 2), (1, 1000), (3, 77), (40, 3)] {
            let mut out = vec![0; (blocks as usize - 1) * H::LEN + 1];
            take();
            pbkdf2::derive(hash, b"password", &painted(100), count, &mut out).unwrap();
            let counted = take();
            let expected = 2 + blocks * (salt_blocks - 1) + blocks * 2 * u64::from(count);
            assert_eq!(counted, calls(expected), "{}: {blocks} blocks, {count} iterations", H::NAME);
        }
    }
    let _turn = alone();
    on_every_engine(|engine| {
        // 104 bytes of salt and number, after the pad's block
        check::<Sha256>(engine, 2, |sha256| Counts { sha256, ..Counts::default() });
        check::<Sha512>(engine, 1, |sha512| Counts { sha512, ..Counts::default() });
        check::<Sha3_256>(engine, 1, |keccak| Counts { keccak, ..Counts::default() });
    });
}
