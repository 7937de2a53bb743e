//! What ML-DSA leaves in memory: xi, K, rho', rho'', the packed s1, s2 and t0 of the private key, and the masks of the
//! first attempt, packed and as coefficients.

use std::{collections::BTreeMap, sync::Arc};

use hashloom::{
    Engine,
    ml_dsa::{Mode, ParameterSet, PrivateKeyForm, Randomness, SigningKey},
};
use rayon::ThreadPoolBuilder;
use zeroize::Zeroizing;

use crate::{
    common::{engines, loud, oracle::xof, slh::Failing},
    needles::Needles,
    stack::Thread,
    watch::{Seen, alone, during},
};

const MESSAGE: &[u8] = b"what is signed";
const SEED: [u8; 32] = *b"the seed that a key is made from";
const RND: [u8; 32] = *b"randomness of a hedged signature";

struct Case {
    set: ParameterSet,
    engine: Engine,
    key: SigningKey,
    bytes: Vec<u8>,
    ders: Vec<Vec<u8>>,
    pem: String,
}

type Operation = (&'static str, fn(&Case));

fn keep<T>(what: T) {
    std::mem::forget(what);
}

const OPERATIONS: &[Operation] = &[
    ("key from a seed", |case| drop(SigningKey::from_seed(case.set, &case.engine, &SEED).unwrap())),
    ("key from a generator", |case| {
        drop(SigningKey::generate(case.set, &case.engine, &mut Failing(&SEED)).unwrap());
        assert!(SigningKey::generate(case.set, &case.engine, &mut Failing(&SEED[..31])).is_err());
    }),
    ("key from bytes", |case| drop(SigningKey::from_bytes(case.set, &case.engine, &case.bytes).unwrap())),
    ("key to bytes", |case| drop((case.key.to_bytes(), case.key.seed()))),
    ("key that is cloned", |case| drop((case.key.clone(), case.key.expand().clone()))),
    ("key that is refused", |case| {
        for at in [64, 128, case.bytes.len() - 1] {
            let mut bytes = Zeroizing::new(case.bytes.clone());
            bytes[at] ^= 7;
            assert!(SigningKey::from_bytes(case.set, &case.engine, &bytes).is_err());
        }
    }),
    ("DER", |case| {
        for (der, form) in case.ders.iter().zip([PrivateKeyForm::Seed, PrivateKeyForm::Expanded, PrivateKeyForm::Both])
        {
            assert!(case.key.to_pkcs8_der(form).unwrap()[..] == **der);
            drop(SigningKey::from_pkcs8_der(&case.engine, der).unwrap());
        }
    }),
    ("DER that is refused", |case| {
        for der in &case.ders {
            for at in [4, 12, 15] {
                let mut der = Zeroizing::new(der.clone());
                der[at] ^= 1;
                assert!(SigningKey::from_pkcs8_der(&case.engine, &der).is_err(), "byte {at}");
            }
        }
        let mut both = Zeroizing::new(case.ders[2].clone());
        *both.last_mut().unwrap() ^= 1;
        assert!(SigningKey::from_pkcs8_der(&case.engine, &both).is_err());
    }),
    ("PEM", |case| {
        drop(case.key.to_pkcs8_pem(PrivateKeyForm::Both).unwrap());
        drop(SigningKey::from_pkcs8_pem(&case.engine, &case.pem).unwrap());
    }),
    ("signing", |case| keep(case.key.sign(MESSAGE, &Mode::Internal, Randomness::Deterministic))),
    ("hedged signing", |case| {
        keep(case.key.sign(MESSAGE, &Mode::Internal, Randomness::Hedged(&mut Failing(&RND))));
    }),
    ("signing mu", |case| {
        let mut hasher = case.key.verifying_key().mu(&Mode::Internal).unwrap();
        hasher.update(MESSAGE);
        keep(case.key.sign_mu(&hasher.finish().unwrap(), Randomness::Deterministic));
    }),
    ("signing by an expanded key", |case| {
        let key = case.key.expand();
        keep(key.sign(MESSAGE, &Mode::Internal, Randomness::Deterministic));
        drop(key);
    }),
    ("signing a batch", |case| {
        keep(case.key.sign_batch(&[MESSAGE; 20], &Mode::Internal, Randomness::Deterministic));
    }),
];

impl Case {
    fn new(set: ParameterSet, engine: &Engine) -> Self {
        let key = SigningKey::from_seed(set, engine, &SEED).unwrap();
        let forms = [PrivateKeyForm::Seed, PrivateKeyForm::Expanded, PrivateKeyForm::Both];
        Self {
            set,
            engine: *engine,
            bytes: key.to_bytes().to_vec(),
            ders: forms.map(|form| key.to_pkcs8_der(form).unwrap().to_vec()).to_vec(),
            pem: key.to_pkcs8_pem(PrivateKeyForm::Seed).unwrap().to_string(),
            key,
        }
    }

    fn needles(&self) -> Needles {
        let (k, l, z_bits) = match self.set {
            ParameterSet::MlDsa44 => (4, 4, 18),
            ParameterSet::MlDsa65 => (6, 5, 20),
            ParameterSet::MlDsa87 => (8, 7, 20),
        };
        let mut needles = Needles::default();
        needles.secret("xi", &SEED);
        needles.secret("rnd", &RND);
        // FIPS 204 Alg. 6 line 1
        let seeds = xof::<shake::Shake256>(&[&SEED[..], &[k, l]].concat(), 128);
        needles.secret("rho'", &seeds[32..96]);
        needles.secret("K", &seeds[96..]);
        assert_eq!(seeds[96..], self.bytes[32..64]);
        needles.text("s1, s2 and t0", &self.bytes[128..]);
        // Alg. 7 lines 6 to 11
        let mu = xof::<shake::Shake256>(&[&self.bytes[64..128], MESSAGE].concat(), 64);
        for rnd in [&[0; 32], &RND] {
            let rho = xof::<shake::Shake256>(&[&seeds[96..], rnd, &mu].concat(), 64);
            needles.secret("rho''", &rho);
            for r in 0..l {
                let packed = xof::<shake::Shake256>(&[&rho[..], &[r, 0]].concat(), 32 * z_bits);
                needles.text("packed y", &packed);
                let bit = |at: usize| i32::from(packed[at / 8] >> (at % 8) & 1);
                let y = |i: usize| (1 << (z_bits - 1)) - (0..z_bits).map(|j| bit(i * z_bits + j) << j).sum::<i32>();
                for i in (0..256).step_by(2) {
                    let pair = [y(i).to_ne_bytes(), y(i + 1).to_ne_bytes()].concat();
                    needles.text("y", &pair);
                }
            }
        }
        // what any key has
        needles.except(&[0; 64])
    }
}

fn cases(engine: &Engine) -> impl Iterator<Item = Arc<Case>> {
    ParameterSet::ALL.into_iter().map(|set| Arc::new(Case::new(set, engine)))
}

#[test]
fn nothing_secret_of_a_lattice_is_given_back() {
    let _alone = alone();
    let mut total = Seen::default();
    for (name, engine) in engines() {
        for case in cases(&engine) {
            for (what, run) in OPERATIONS {
                let seen = during(case.needles().sorted(), || run(&case));
                assert!(seen.found == 0, "{what}, {} on {name}: {seen:?}", case.set);
                total.blocks += seen.blocks;
                total.bytes += seen.bytes;
            }
            let plain = during(case.needles().sorted(), || drop((SEED.to_vec(), case.bytes.clone())));
            assert!(plain.found > 25, "{}: {plain:?}", case.set);
        }
    }
    loud(&format!("heap: {} blocks of {} bytes of ML-DSA searched", total.blocks, total.bytes));
}

#[test]
fn nothing_secret_of_a_lattice_stays_on_the_stack() {
    let _alone = alone();
    let mut faults = Vec::new();
    for (name, engine) in engines() {
        for case in cases(&engine) {
            let needles = case.needles().sorted();
            for &(what, run) in OPERATIONS {
                let mut found: BTreeMap<&str, usize> = BTreeMap::new();
                let same = Arc::clone(&case);
                let thread = Thread::start(Box::new(move || {
                    let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
                    pool.install(|| run(&same));
                }));
                thread.join(|stack| needles.search(stack, |_, name| *found.entry(name).or_default() += 1));
                if !found.is_empty() {
                    faults.push(format!("{what}, {} on {name}: {found:?}", case.set));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
