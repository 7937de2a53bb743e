//! Signatures of wrong lengths, or with parts changed, exchanged or taken from elsewhere; other keys.

use std::ops::Range;

use hashloom::{
    Engine,
    ml_dsa::{Mode, ParameterSet, SigningKey},
};

use super::Maker;
use crate::{
    cases::{MESSAGE, Signer, random},
    file::Flag,
};

pub(super) fn parts(maker: &mut Maker) {
    lengths(maker);
    flipped(maker);
    replaced(maker);
    hints(maker);
    keys(maker);
}

fn lengths(maker: &mut Maker) {
    let (good, shape) = (maker.good.clone(), maker.shape);
    let len = good.len();
    let flag = Flag::IncorrectSignatureLength;
    for (signature, comment) in [
        (&good[..0], "empty signature"),
        (&good[..1], "one byte"),
        (&good[..shape.z], "c~ alone"),
        (&good[..shape.hint], "hint missing"),
        (&good[..len - shape.k], "ends of the hint's places missing"),
        (&good[..len - 1], "last byte missing"),
        (&good[1..], "first byte missing"),
        (&good[shape.z..], "c~ missing"),
        (&[&good[..shape.z], &good[shape.hint..]].concat(), "z missing"),
        (&[&good[..], &[0]].concat(), "a zero byte appended"),
        (&[&[0], &good[..]].concat(), "a zero byte in front"),
        (&[&good[..shape.hint], &[0], &good[shape.hint..]].concat(), "a zero byte before the hint"),
        (&[&good[..], &good[..]].concat(), "the signature twice"),
        (&[&[0x04, 0x82, (len >> 8) as u8, len as u8], &good[..]].concat(), "wrapped in an OCTET STRING"),
        (&[&good[..], MESSAGE].concat(), "followed by the message"),
    ] {
        maker.refused(flag, comment, signature);
    }
    let set = maker.set;
    for other in ParameterSet::ALL.into_iter().filter(|&other| other != set) {
        let mut signature = good.clone();
        signature.resize(other.signature_len(), 0);
        maker.refused(flag, &format!("the length of {other}"), &signature);
    }
}

/// A bit in every kind of part.
fn flipped(maker: &mut Maker) {
    let shape = maker.shape;
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    for (byte, name) in [(0, "first"), (shape.z / 2, "middle"), (shape.z - 1, "last")] {
        places.push((byte..byte + 1, format!("the {name} byte of c~")));
    }
    let poly = (shape.hint - shape.z) / shape.l;
    for i in 0..shape.l {
        let start = shape.z + i * poly;
        places.push((start..start + 1, format!("the first byte of z[{i}]")));
        places.push((start..start + poly, format!("z[{i}]")));
        places.push((start + poly - 1..start + poly, format!("the last byte of z[{i}]")));
    }
    places.push((shape.hint..shape.hint + 1, "the first place of the hint".to_string()));
    places.push((shape.len - shape.k - 1..shape.len - shape.k, "the last place of the hint".to_string()));
    for i in 0..shape.k {
        let end = shape.len - shape.k + i;
        places.push((end..end + 1, format!("the end of the places of h[{i}]")));
    }
    for (i, (place, name)) in places.into_iter().enumerate() {
        let bit = 37 * i % (8 * place.len());
        let mut signature = maker.good.clone();
        signature[place.start + bit / 8] ^= 1 << (bit % 8);
        maker.refused(Flag::ModifiedSignature, &format!("bit {bit} flipped in {name}"), &signature);
    }
}

/// Parts that are constant, that have changed places, or that belong to another message's signature.
fn replaced(maker: &mut Maker) {
    let (shape, good) = (maker.shape, maker.good.clone());
    let other = maker.sign(b"another message", &Mode::default());
    let parts = [
        (0..shape.len, "all"),
        (0..shape.z, "c~"),
        (shape.z..shape.hint, "z"),
        (shape.hint..shape.len, "the hint"),
        (0..shape.hint, "c~ and z"),
        (shape.z..shape.len, "z and the hint"),
    ];
    for (part, name) in parts {
        for (value, what) in [(0x00, "zeros"), (0xff, "ones")] {
            let mut signature = good.clone();
            signature[part.clone()].fill(value);
            maker.refused(Flag::ConstantSignature, &format!("{name}: {what}"), &signature);
        }
        let mut signature = good.clone();
        signature[part.clone()].copy_from_slice(&other[part]);
        maker.refused(Flag::MixedSignatures, &format!("of another message's signature: {name}"), &signature);
    }
    let (c, rest) = good.split_at(shape.z);
    let (z, hint) = rest.split_at(shape.hint - shape.z);
    let poly = z.len() / shape.l;
    let exchanged = [&z[poly..2 * poly], &z[..poly], &z[2 * poly..]].concat();
    for (signature, comment) in [
        ([z, hint, c].concat(), "c~ at the end"),
        ([c, hint, z].concat(), "the hint before z"),
        ([c, &exchanged, hint].concat(), "z[0] and z[1]"),
        (good.iter().rev().copied().collect(), "bytes in reverse order"),
    ] {
        maker.refused(Flag::ExchangedParts, &format!("exchanged: {comment}"), &signature);
    }
}

/// Second encodings of a good signature's own hint: a reader that does not look closely takes each for the same.
fn hints(maker: &mut Maker) {
    let (shape, good) = (maker.shape, maker.good.clone());
    let ends = shape.len - shape.k;
    let total = usize::from(good[shape.len - 1]);
    assert!(total > 1 && total < shape.omega, "{}: a usual hint", maker.set);
    let flag = Flag::InvalidHintsEncoding;
    for i in 0..shape.k {
        let start = if i == 0 { 0 } else { usize::from(good[ends + i - 1]) };
        let end = usize::from(good[ends + i]);
        if end - start >= 2 {
            let mut signature = good.clone();
            signature.swap(shape.hint + start, shape.hint + start + 1);
            maker.refused(flag, &format!("h[{i}]: the first two places exchanged"), &signature);
            let mut signature = good.clone();
            signature[shape.hint + start..shape.hint + end].reverse();
            maker.refused(flag, &format!("h[{i}]: places in decreasing order"), &signature);
        }
        if end > start {
            let mut signature = good.clone();
            let place = signature[shape.hint + start];
            signature.insert(shape.hint + start, place);
            signature.remove(ends);
            signature[ends + i..].iter_mut().for_each(|end| *end += 1);
            maker.refused(flag, &format!("h[{i}]: the first place twice"), &signature);
        }
    }
    for (place, name) in [(total, "first"), (shape.omega - 1, "last")] {
        for value in [1, 0xff] {
            let mut signature = good.clone();
            signature[shape.hint + place] = value;
            maker.refused(flag, &format!("the {name} byte of padding is {value}"), &signature);
        }
    }
    for (value, comment) in [(shape.omega as u8 + 1, "omega + 1"), (0xff, "255"), (0, "zero")] {
        let mut signature = good.clone();
        signature[shape.len - 1] = value;
        maker.refused(flag, &format!("the last end is {comment}"), &signature);
        if value > 0 {
            let mut signature = good.clone();
            signature[ends] = value;
            maker.refused(flag, &format!("the first end is {comment}"), &signature);
        }
    }
}

/// The signature is the good one; the key is not.
fn keys(maker: &mut Maker) {
    let (set, good, public) = (maker.set, maker.good.clone(), maker.public.clone());
    let (rho, t1) = public.split_at(32);
    let other = random("negative vectors, other key", 32);
    let other = SigningKey::from_seed(set, &Engine::get(), &other).expect("a seed of 32 bytes");
    let other = other.verifying_key().as_bytes().to_vec();
    let mut wrong = vec![
        (Flag::WrongPublicKey, "another key".to_string(), other.clone()),
        (Flag::WrongPublicKey, "rho of another key".to_string(), [&other[..32], t1].concat()),
        (Flag::WrongPublicKey, "t1 of another key".to_string(), [rho, &other[32..]].concat()),
        (Flag::WrongPublicKey, "rho zero".to_string(), [&[0; 32], t1].concat()),
        (Flag::WrongPublicKey, "t1 zero".to_string(), [rho, &vec![0; t1.len()]].concat()),
        (Flag::WrongPublicKey, "t1 in front".to_string(), [t1, rho].concat()),
        (Flag::WrongPublicKey, "public key zero".to_string(), vec![0; public.len()]),
    ];
    for (byte, name) in [
        (0, "rho's first byte"),
        (31, "rho's last byte"),
        (32, "t1's first byte"),
        (32 + t1.len() / 2, "t1's middle"),
        (public.len() - 1, "t1's last byte"),
    ] {
        let mut key = public.clone();
        key[byte] ^= 0x10;
        wrong.push((Flag::WrongPublicKey, format!("a bit flipped in {name}"), key));
    }
    let flag = Flag::IncorrectPublicKeyLength;
    wrong.push((flag, "public key empty".to_string(), Vec::new()));
    wrong.push((flag, "rho alone".to_string(), rho.to_vec()));
    wrong.push((flag, "t1 alone".to_string(), t1.to_vec()));
    wrong.push((flag, "last byte of the key missing".to_string(), public[..public.len() - 1].to_vec()));
    wrong.push((flag, "a zero byte appended to the key".to_string(), [&public[..], &[0]].concat()));
    wrong.push((flag, "a zero byte in front of the key".to_string(), [&[0], &public[..]].concat()));
    for other in ParameterSet::ALL.into_iter().filter(|&other| other != set) {
        let mut key = public.clone();
        key.resize(other.verifying_key_len(), 0);
        wrong.push((flag, format!("the key has the length of {other}"), key));
    }
    for (flag, comment, public) in wrong {
        maker.by_key(flag, &comment, &public, &good, false);
    }
}
