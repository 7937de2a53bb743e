//! What touches secrets, operation by operation.

use hashloom::{
    Engine, Error,
    hash::{Hash, Incremental},
    keccak::{Sha3_256, Shake256},
    sha2::{Sha256, Sha512},
    slh_dsa::{Message, Mode, ParameterSet, PreHash, Randomness, Signature, SigningKey},
};
use pkcs8::EncodePrivateKey;

use crate::{
    common::slh::{Failing, Rng, seeds},
    needles::{self, Needles},
};

/// The three sets whose hashes cover all there are: SHA-256 alone, SHA-256 and SHA-512, SHAKE256.
pub const SETS: [ParameterSet; 3] = [ParameterSet::Sha2_128f, ParameterSet::Sha2_192f, ParameterSet::Shake128f];

pub const MESSAGE: &[u8] = b"what is signed";

/// The operation that verifies as well, and so computes the ends of the chains that sign.
pub const CHECKED: &str = "signing and checking";

/// A key on an engine, and what must be known to search for it.
pub struct Case {
    pub set: ParameterSet,
    pub engine: Engine,
    seeds: [Vec<u8>; 3],
    key: SigningKey,
    bytes: Vec<u8>,
    der: Vec<u8>,
    pem: String,
    opt_rand: Vec<u8>,
    signature: Vec<u8>,
}

/// Keeps a signature's memory, which shows some of what is searched for.
fn keep(signature: Result<Signature, Error>) {
    std::mem::forget(signature.unwrap());
}

pub type Operation = (&'static str, fn(&Case));

pub const OPERATIONS: &[Operation] = &[
    ("key from seeds", |case| {
        let [sk_seed, sk_prf, pk_seed] = &case.seeds;
        drop(SigningKey::from_seeds(case.set, &case.engine, sk_seed, sk_prf, pk_seed).unwrap());
    }),
    ("key from a generator", |case| {
        drop(SigningKey::generate(case.set, &case.engine, &mut Failing(&case.bytes)).unwrap());
    }),
    ("generator that breaks", |case| {
        let broken = SigningKey::generate(case.set, &case.engine, &mut Failing(&case.bytes[..5 * case.set.n() / 2]));
        assert!(broken.is_err());
    }),
    ("key from bytes", |case| drop(SigningKey::from_bytes(case.set, &case.engine, &case.bytes).unwrap())),
    ("key to bytes", |case| drop(case.key.to_bytes())),
    ("key that is cloned", |case| drop(case.key.clone().clone())),
    ("key with a wrong root", |case| {
        let mut bytes = zeroize::Zeroizing::new(case.bytes.clone());
        *bytes.last_mut().unwrap() ^= 1;
        assert!(SigningKey::from_bytes(case.set, &case.engine, &bytes).is_err());
    }),
    ("DER", |case| {
        let der = case.key.to_pkcs8_der();
        drop(SigningKey::from_pkcs8_der(&case.engine, &der).unwrap());
        drop(EncodePrivateKey::to_pkcs8_der(&case.key).unwrap());
    }),
    ("DER that is refused", |case| {
        for at in [4, 20, case.der.len() - 1] {
            let mut der = zeroize::Zeroizing::new(case.der.clone());
            der[at] ^= 1;
            assert!(SigningKey::from_pkcs8_der(&case.engine, &der).is_err(), "byte {at}");
        }
    }),
    ("PEM", |case| {
        let pem = case.key.to_pkcs8_pem();
        drop(SigningKey::from_pkcs8_pem(&case.engine, &pem).unwrap());
    }),
    ("PEM that is refused", |case| {
        for at in [12, 60, case.pem.len() - 6] {
            let mut pem = zeroize::Zeroizing::new(case.pem.clone().into_bytes());
            pem[at] = b'*';
            let text = std::str::from_utf8(&pem).unwrap();
            assert!(SigningKey::from_pkcs8_pem(&case.engine, text).is_err(), "byte {at}");
        }
    }),
    ("signing", |case| keep(case.key.sign(MESSAGE, &Mode::Internal, Randomness::Deterministic))),
    ("signing with given randomness", |case| {
        keep(case.key.sign(MESSAGE, &Mode::Internal, Randomness::Given(&case.opt_rand)));
    }),
    ("hedged signing", |case| {
        keep(case.key.sign(MESSAGE, &Mode::default(), Randomness::Hedged(&mut Failing(&case.opt_rand))));
    }),
    ("hedged signing by the trait", |case| {
        use signature::RandomizedSigner;
        std::mem::forget(case.key.try_sign_with_rng(&mut Failing(&case.opt_rand), MESSAGE).unwrap());
    }),
    ("signing what cannot be read again", |case| {
        struct Once(bool);
        impl Message for Once {
            fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
                sink(MESSAGE);
                if std::mem::replace(&mut self.0, true) { Err(Error::MessageChanged) } else { Ok(()) }
            }
        }
        // the last that was done is PRF_msg, and nothing covers what it left
        let refused = case.key.sign(Once(false), &Mode::Internal, Randomness::Given(&case.opt_rand));
        assert_eq!(refused, Err(Error::MessageChanged));
    }),
    ("signing a pre-hash", |case| {
        let mode = Mode::PreHash { context: b"context", function: PreHash::Sha2_512 };
        keep(case.key.sign(MESSAGE, &mode, Randomness::Deterministic));
    }),
    ("signing a batch", |case| {
        let signatures = case.key.sign_batch(&[MESSAGE; 3], &Mode::Internal, Randomness::Deterministic);
        assert!(signatures.iter().all(Result::is_ok));
        std::mem::forget(signatures);
    }),
    ("signing by an expanded key", |case| {
        let key = case.key.clone().expand(32 << 10);
        keep(key.sign(MESSAGE, &Mode::Internal, Randomness::Deterministic));
        keep(key.sign(MESSAGE, &Mode::Internal, Randomness::Deterministic));
    }),
    ("filling an expanded key", |case| case.key.clone().expand(32 << 10).fill()),
    (CHECKED, |case| {
        let key = case.key.clone().verify_after_sign(true);
        keep(key.sign(MESSAGE, &Mode::Internal, Randomness::Deterministic));
    }),
    ("incremental hashing", |case| {
        /// The secret in the buffer, absorbed, or both; the hasher cloned, finished or dropped.
        fn hash<H: Hash>(case: &Case) {
            for times in [1, 2, 9] {
                let mut hasher = Box::new(H::on(&case.engine).hasher());
                for _ in 0..times {
                    hasher.update(&case.bytes[..2 * case.set.n()]);
                }
                (*hasher).clone().finish(&mut [0; 16]);
                drop(hasher);
            }
        }
        hash::<Sha256>(case);
        hash::<Sha512>(case);
        hash::<Sha3_256>(case);
        hash::<Shake256>(case);
    }),
    ("hashing many", |case| {
        fn hash<H: Hash>(case: &Case) {
            let secret = &case.bytes[..2 * case.set.n()];
            let messages: Vec<&[u8]> = (0..19).map(|i| &secret[..secret.len() - i % 3]).collect();
            H::on(&case.engine).hash_many(&messages, &mut [0; 19 * 16]).unwrap();
        }
        hash::<Sha256>(case);
        hash::<Sha512>(case);
        hash::<Shake256>(case);
    }),
];

impl Case {
    pub fn new(set: ParameterSet, engine: &Engine) -> Self {
        let seeds = seeds(set, "wiping");
        let key = SigningKey::from_seeds(set, engine, &seeds[0], &seeds[1], &seeds[2]).unwrap();
        let signature = key.sign(MESSAGE, &Mode::Internal, Randomness::Deterministic).unwrap();
        Self {
            set,
            engine: *engine,
            bytes: key.to_bytes().to_vec(),
            der: key.to_pkcs8_der().to_vec(),
            pem: key.to_pkcs8_pem().to_string(),
            opt_rand: Rng::new("wiping opt_rand").bytes(set.n()),
            signature: signature.as_ref().to_vec(),
            seeds,
            key,
        }
    }

    /// The seeds in all orders, with the lines of the PEM file that hold them whole.
    pub fn seeds(&self) -> Needles {
        let mut needles = needles::of_seeds(self.set, &self.seeds[0], &self.seeds[1]);
        needles.secret("opt_rand", &self.opt_rand);
        let text: String = self.pem.lines().filter(|line| !line.starts_with('-')).collect();
        let start = self.der.windows(8).position(|window| *window == self.seeds[0][..8]).unwrap();
        needles.text("PEM", &text.as_bytes()[start.div_ceil(3) * 4..(start + 2 * self.set.n()) / 3 * 4]);
        needles
    }

    /// The seeds and what PRF makes of them, without what the signature shows.
    pub fn everything(&self) -> Needles {
        let mut needles = self.seeds();
        needles::add_derived(&mut needles, self.set, &self.bytes, MESSAGE, &self.signature);
        needles.except(&self.signature)
    }

    pub fn pem(&self) -> &str {
        &self.pem
    }

    pub fn sk_seed(&self) -> &[u8] {
        &self.seeds[0]
    }
}
