//! What a verifier is tried with.

mod flaws;
pub(crate) mod messages;
mod parts;

use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, Randomness, SigningKey},
};
use shake::{ExtendableOutput, Shake256, Update, XofReader};

use crate::{
    file::{Case, File, Flag, Interface, Set},
    plain::Plain,
};

/// The message that most tests are about.
pub(crate) const MESSAGE: &[u8] = b"a message";

/// How much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    Whole,
    /// Without encodings of the message, which are the same in every set.
    Signatures,
    /// One signature or two, for the numbers of the set and its hash functions.
    Core,
}

/// What both schemes have: a key that signs, and a file in the making.
pub(crate) trait Signer {
    fn public(&self) -> &[u8];
    /// The signature of [`MESSAGE`] without context.
    fn good(&self) -> &[u8];
    /// A deterministic signature.
    fn sign(&self, message: &[u8], mode: &Mode<'_>) -> Vec<u8>;
    fn add(&mut self, case: &Case<'_>);

    /// A test of [`MESSAGE`] with the usual key and no context, pure, that fails.
    fn refused(&mut self, flag: Flag, comment: &str, signature: &[u8]) {
        let public = self.public().to_vec();
        self.add(&Case {
            public: &public,
            interface: Interface::Pure,
            flag,
            comment: comment.into(),
            message: MESSAGE,
            context: None,
            signature,
            valid: false,
        });
    }
}

/// A file in the making.
struct Maker {
    set: ParameterSet,
    key: SigningKey,
    public: Vec<u8>,
    /// The same key, made a second time.
    plain: Plain,
    /// A signature of [`MESSAGE`] without context.
    good: Vec<u8>,
    file: File,
}

/// Makes the tests of a set.
pub fn make(set: ParameterSet, extent: Extent) -> File {
    let mut maker = Maker::new(set);
    if extent == Extent::Core {
        flaws::core(&mut maker);
        parts::short(&mut maker);
    } else {
        messages::valid(&mut maker, extent);
        parts::whole(&mut maker);
        if extent == Extent::Whole {
            messages::encodings(&mut maker);
        }
        flaws::whole(&mut maker);
    }
    maker.file.number()
}

/// Bytes that a label decides.
pub(crate) fn random(label: &str, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    Shake256::default().chain(label).finalize_xof().read(&mut bytes);
    bytes
}

impl Maker {
    fn new(set: ParameterSet) -> Self {
        let n = set.n();
        let seeds = random(&format!("negative vectors, key of {set}"), 3 * n);
        let (sk_seed, rest) = seeds.split_at(n);
        let (sk_prf, pk_seed) = rest.split_at(n);
        let key = SigningKey::from_seeds(set, &Engine::get(), sk_seed, sk_prf, pk_seed).expect("seeds of n bytes");
        let public = key.verifying_key().as_bytes().to_vec();
        let plain = Plain::new(set, sk_seed, pk_seed, None);
        assert_eq!(plain.public(), public, "{set}: two ways to the same key");
        let good = sign(&key, MESSAGE, &Mode::default());
        let framed = [&[0, 0], MESSAGE].concat();
        assert!(plain.sign(None, &good[..n], &framed) == good, "{set}: two ways to the same signature");
        assert!(plain.verify(None, &framed, &good), "{set}: two ways to verify it");
        Self { set, key, public, plain, good, file: File::new(Set::SlhDsa(set)) }
    }

    fn n(&self) -> usize {
        self.set.n()
    }
}

impl Signer for Maker {
    fn public(&self) -> &[u8] {
        &self.public
    }

    fn good(&self) -> &[u8] {
        &self.good
    }

    fn sign(&self, message: &[u8], mode: &Mode<'_>) -> Vec<u8> {
        sign(&self.key, message, mode)
    }

    fn add(&mut self, case: &Case<'_>) {
        self.file.add(Set::SlhDsa(self.set), case);
    }
}

fn sign(key: &SigningKey, message: &[u8], mode: &Mode<'_>) -> Vec<u8> {
    key.sign(message, mode, Randomness::Deterministic).expect("modes are well-formed").as_ref().to_vec()
}
