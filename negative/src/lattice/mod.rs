//! What a verifier of ML-DSA is tried with.

mod forged;
mod parts;
mod plain;

use hashloom::{
    Engine,
    ml_dsa::{Mode, Mu, ParameterSet, Randomness, SigningKey},
};

use crate::{
    cases::{Extent, MESSAGE, Signer, messages, random},
    file::{Case, File, Flag, Interface, Set},
};
use plain::{Shape, shake};

/// A file in the making.
struct Maker {
    set: ParameterSet,
    shape: Shape,
    key: SigningKey,
    public: Vec<u8>,
    /// A signature of [`MESSAGE`] without context.
    good: Vec<u8>,
    file: File,
}

/// Makes the tests of a set.
pub fn make(set: ParameterSet, extent: Extent) -> File {
    let seed = random(&format!("negative vectors, key of {set}"), 32);
    let key = SigningKey::from_seed(set, &Engine::get(), &seed).expect("a seed of 32 bytes");
    let shape = Shape::of(set);
    let public = key.verifying_key().as_bytes().to_vec();
    let mut maker = Maker { set, shape, key, public, good: Vec::new(), file: File::new(Set::MlDsa(set)) };
    maker.good = maker.sign(MESSAGE, &Mode::default());
    assert_eq!(maker.good.len(), shape.len, "{set}");
    messages::valid(&mut maker, extent);
    parts::parts(&mut maker);
    forged::forged(&mut maker);
    representatives(&mut maker);
    if extent == Extent::Whole {
        messages::encodings(&mut maker);
    }
    maker.file.number()
}

impl Signer for Maker {
    fn public(&self) -> &[u8] {
        &self.public
    }

    fn good(&self) -> &[u8] {
        &self.good
    }

    fn sign(&self, message: &[u8], mode: &Mode<'_>) -> Vec<u8> {
        self.key.sign(message, mode, Randomness::Deterministic).expect("modes are well-formed").into()
    }

    fn add(&mut self, case: &Case<'_>) {
        self.file.add(Set::MlDsa(self.set), case);
    }
}

impl Maker {
    /// A test of [`MESSAGE`] with another key and no context, pure.
    fn by_key(&mut self, flag: Flag, comment: &str, public: &[u8], signature: &[u8], valid: bool) {
        self.add(&Case {
            public,
            interface: Interface::Pure,
            flag,
            comment: comment.into(),
            message: MESSAGE,
            context: None,
            signature,
            valid,
        });
    }
}

/// What a signer may put in place of mu (Alg. 7 line 6).
fn representatives(maker: &mut Maker) {
    let public = maker.public.clone();
    let framed = [&[0, 0], MESSAGE].concat();
    let tr = shake(&[&public], 64);
    let round_3 = shake(&[&shake(&[&public], 32), &framed], 64);
    for (mu, comment) in [
        (shake(&[&framed], 64), "tr left out"),
        (shake(&[&public, &framed], 64), "the public key in place of tr"),
        (round_3, "tr of 32 bytes"),
        (shake(&[&[0; 64], &framed], 64), "tr zero"),
        (shake(&[&framed, &tr], 64), "tr at the end"),
        (shake(&[&shake(&[&public[32..]], 64), &framed], 64), "tr of t1 alone"),
        (shake(&[&shake(&[&public[..32]], 64), &framed], 64), "tr of rho alone"),
        (shake(&[&tr, MESSAGE], 64), "the message in place of M'"),
        ([shake(&[&tr, &framed], 48), vec![0; 16]].concat(), "48 bytes, then zeros"),
        (vec![0; 64], "zero"),
        (tr.clone(), "tr itself"),
    ] {
        let mu = Mu::from_bytes(mu.try_into().expect("64 bytes"));
        let signature = maker.key.sign_mu(&mu, Randomness::Deterministic).expect("nothing is random").into();
        let signature: Vec<u8> = signature;
        maker.refused(Flag::WrongRepresentative, &format!("mu: {comment}"), &signature);
    }
}
