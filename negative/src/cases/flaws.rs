//! Signatures by a signer with a mistake, by one with rare choices, and roots that are right in part.

use hashloom::{Engine, slh_dsa::SigningKey};

use super::{MESSAGE, Maker, Signer, random};
use crate::{
    file::{Case, Flag, Interface},
    flaw::{KeyFlaw, SignFlaw},
    plain::{Plain, Selection},
};

fn framed() -> Vec<u8> {
    [&[0, 0], MESSAGE].concat()
}

fn add(maker: &mut Maker, public: &[u8], flag: Flag, comment: &str, signature: &[u8]) {
    maker.add(&Case {
        public,
        interface: Interface::Pure,
        flag,
        comment: comment.to_string(),
        message: MESSAGE,
        context: None,
        signature,
        valid: matches!(flag, Flag::BoundaryIndex | Flag::ArbitraryRandomizer),
    });
}

/// An R for which what the digest selects is as wanted.
fn randomizer(maker: &Maker, wanted: impl Fn(&Selection) -> bool) -> Vec<u8> {
    let fits = |r: &Vec<u8>| wanted(&maker.plain.select(None, &maker.plain.digest(None, r, &framed())));
    let label = |i: u32| random(&format!("negative vectors, R {i}"), maker.n());
    (0..=u32::MAX).map(label).find(fits).expect("some R fits")
}

fn signed(maker: &Maker, flaw: Option<SignFlaw>, r: &[u8]) -> Vec<u8> {
    maker.plain.sign(flaw, r, &framed())
}

/// The largest indices with all bits set that do not count, so that index arithmetic shows.
fn outermost(maker: &mut Maker) {
    let shape = maker.plain.shape;
    let leaf_spare = (8 - shape.hp % 8) % 8;
    let tree_spare = (8 - (shape.d - 1) * shape.hp % 8) % 8;
    let spare = [tree_spare, leaf_spare].map(|bits| (1_u64 << bits) - 1);
    let leaf = (1 << shape.hp) - 1;
    let top = (shape.d - 1) * shape.hp - 1;
    let r = randomizer(maker, |s| s.ignored == spare && s.leaf == leaf && s.tree >> top == 1);
    let (public, signature) = (maker.public.clone(), signed(maker, None, &r));
    add(maker, &public, Flag::BoundaryIndex, "last leaf, ignored bits set", &signature);
}

/// What depends on a set's numbers and functions most; of the longest signatures one is enough.
pub(super) fn core(maker: &mut Maker) {
    outermost(maker);
    if maker.good.len() < 30_000 {
        if maker.plain.shape.shake || maker.n() == 16 {
            sign_flaw(maker, SignFlaw::TreeLittleEndian);
        } else {
            key_flaw(maker, KeyFlaw::Sha256Everywhere);
        }
    }
}

/// A flaw that makes no difference to a set is left out.
fn sign_flaw(maker: &mut Maker, flaw: SignFlaw) {
    let (public, r) = (maker.public.clone(), maker.good[..maker.n()].to_vec());
    let signature = signed(maker, Some(flaw), &r);
    if signature != maker.good {
        assert!(maker.plain.verify(Some(flaw), &framed(), &signature), "a verifier with the flaw accepts: {flaw:?}");
        assert!(!maker.plain.verify(None, &framed(), &signature), "one without it does not: {flaw:?}");
        add(maker, &public, Flag::FlawedScheme, flaw.text(), &signature);
    }
}

fn key_flaw(maker: &mut Maker, flaw: KeyFlaw) {
    let n = maker.n();
    let bytes = maker.key.to_bytes();
    let flawed = Plain::new(maker.set, &bytes[..n], &bytes[2 * n..3 * n], Some(flaw));
    if flawed.public() != maker.public {
        let signature = flawed.sign(None, &maker.good[..n], &framed());
        assert!(flawed.verify(None, &framed(), &signature), "a verifier with the flaw accepts: {flaw:?}");
        let comment = format!("{}, neither for the key", flaw.text());
        add(maker, &flawed.public(), Flag::FlawedScheme, &comment, &signature);
    }
}

pub(super) fn whole(maker: &mut Maker) {
    let (public, n, hp) = (maker.public.clone(), maker.n(), maker.plain.shape.hp);
    for (r, comment) in
        [(vec![0; n], "R zero"), (vec![0xff; n], "R all ones"), (maker.public[..n].to_vec(), "R is PK.seed")]
    {
        let signature = signed(maker, None, &r);
        add(maker, &public, Flag::ArbitraryRandomizer, comment, &signature);
    }
    outermost(maker);
    let r = randomizer(maker, |s| s.leaf == 0 && s.ignored[0] & 1 == 0 && s.tree & ((1 << hp) - 1) < 2);
    let signature = signed(maker, None, &r);
    add(maker, &public, Flag::BoundaryIndex, "first leaf", &signature);

    SignFlaw::ALL.iter().for_each(|flaw| sign_flaw(maker, *flaw));
    KeyFlaw::ALL.iter().for_each(|flaw| key_flaw(maker, *flaw));
    roots(maker);
}

/// A signature of the message whose last authentication node is chosen so that the root is as wanted.
fn steered(plain: &Plain, wanted: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let n = plain.shape.n;
    let r = vec![0; n];
    let mut signature = plain.sign(None, &r, &framed());
    let selection = plain.select(None, &plain.digest(None, &r, &framed()));
    let last = signature.len() - n;
    assert_eq!(plain.root_with(&selection, &signature[last..]), plain.pk_root);
    let mut node = random("negative vectors, last node", n);
    for counter in 0_u32.. {
        node[..4].copy_from_slice(&counter.to_be_bytes());
        let root = plain.root_with(&selection, &node);
        if root != plain.pk_root && wanted(&root) {
            break;
        }
    }
    signature[last..].copy_from_slice(&node);
    signature
}

fn roots(maker: &mut Maker) {
    let (public, n) = (maker.public.clone(), maker.n());
    let root = public[n..].to_vec();
    let start = steered(&maker.plain, |other| other[..2] == root[..2]);
    add(maker, &public, Flag::RootComparison, "the root's first two bytes are right", &start);
    let end = steered(&maker.plain, |other| other[n - 2..] == root[n - 2..]);
    add(maker, &public, Flag::RootComparison, "the root's last two bytes are right", &end);
    let sum = |bytes: &[u8]| bytes.iter().fold(0_u8, |sum, byte| sum ^ byte);
    let folded = steered(&maker.plain, |other| sum(other) == sum(&root));
    add(maker, &public, Flag::RootComparison, "the exclusive or of the root's bytes is right", &folded);

    // compared as strings, roots that begin with a zero are equal
    let seed = |i: u32| random(&format!("negative vectors, key with a zero {i}"), n);
    let key = |seed: &Vec<u8>| {
        let key = SigningKey::from_seeds(maker.set, &Engine::get(), seed, seed, seed).expect("seeds of n bytes");
        key.verifying_key().as_bytes()[n] == 0
    };
    let seed = (0..=u32::MAX).map(seed).find(key).expect("some root begins with a zero");
    let plain = Plain::new(maker.set, &seed, &seed, None);
    let zero = steered(&plain, |other| other[0] == 0);
    add(maker, &plain.public(), Flag::RootComparison, "both roots begin with a zero byte", &zero);
}
