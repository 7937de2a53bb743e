//! ML-DSA's hints: of all encodings, just those that encode a hint again as it was are accepted.
//!
//! Of a public key whose t1 is zero, a signature with z = 0 is valid if its c~ hashes what the hint makes of zeros. So a
//! good signature can be made around any hint, however encoded, and only the encoding decides.

use hashloom::{
    Error,
    hash::Hash,
    keccak::Shake256,
    ml_dsa::{Mode, Mu, ParameterSet, VerifyingKey},
};
use seeds::Reader;

use crate::{
    common::{engines, portable},
    rivals,
};

/// k, l, omega, bytes of c~, bits of z, and m = (q - 1) / (2 gamma2), FIPS 204 table 1.
fn row(set: ParameterSet) -> [usize; 6] {
    match set {
        ParameterSet::MlDsa44 => [4, 4, 80, 32, 18, 44],
        ParameterSet::MlDsa65 => [6, 5, 55, 48, 20, 16],
        ParameterSet::MlDsa87 => [8, 7, 75, 64, 20, 16],
    }
}

/// Input: set, engine, whether to sort the places, where each polynomial's places end, the places.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let set = input.pick(&ParameterSet::ALL);
    let engine = &input.pick(engines());
    let tidy = input.byte() % 2 == 1;
    let [k, l, omega, c_len, z_bits, m] = row(set);
    let mut ends = vec![0; k];
    for end in &mut ends {
        *end = input.byte();
    }
    let mut places: Vec<u8> = input.take(omega).to_vec();
    places.resize(omega, 0);
    if tidy {
        // mostly good ones, which noise hardly ever is
        for end in &mut ends {
            *end %= omega as u8 + 1;
        }
        ends.sort_unstable();
        let mut start = 0;
        for &end in &ends {
            places[start..usize::from(end)].sort_unstable();
            start = end.into();
        }
    }
    let hint = [&places[..], &ends].concat();
    let polys = read_somehow(&places, &ends);
    let canonical = write(&polys, omega).as_ref() == Some(&hint);

    // w1 of w = 0: UseHint (Alg. 40) of r0 = 0 goes down, to m - 1
    let bits = (m - 1).ilog2() as usize + 1;
    let mut w1 = vec![0; k * 32 * bits];
    for (i, poly) in polys.iter().enumerate() {
        for place in (0..256).filter(|&place| poly[place]) {
            (0..bits).filter(|bit| (m - 1) >> bit & 1 == 1).for_each(|bit| {
                let at = (256 * i + place) * bits + bit;
                w1[at / 8] |= 1 << (at % 8);
            });
        }
    }
    let message = b"message";
    let public = vec![0; set.verifying_key_len()];
    let mu = shake(&[&shake(&[&public], 64), message], 64);
    let c_tilde = shake(&[&mu, &w1], c_len);
    // z = 0 is gamma1 in each place: the highest bit alone
    let mut z = vec![0; l * 32 * z_bits];
    (0..256 * l).map(|i| (i + 1) * z_bits - 1).for_each(|bit| z[bit / 8] |= 1 << (bit % 8));
    let signature = [&c_tilde[..], &z, &hint].concat();

    let key = VerifyingKey::from_bytes(set, engine, &public).expect("any bytes of that length are a public key");
    let verdict = if canonical { Ok(()) } else { Err(Error::InvalidSignature) };
    assert_eq!(key.verify(&message[..], &Mode::Internal, &signature), verdict, "{hint:?}");
    let mu = Mu::from_bytes(mu.try_into().expect("mu has 64 bytes"));
    assert_eq!(key.expand().verify_mu(&mu, &signature), verdict, "by mu, {hint:?}");
    // they are slow
    if places[0].is_multiple_of(4) {
        rivals::agree(set, &public, &Mode::Internal, message, &signature, canonical);
    }
}

/// What a careless reader makes of a hint: every place that an end allows is a one.
fn read_somehow(places: &[u8], ends: &[u8]) -> Vec<[bool; 256]> {
    let mut start = 0;
    let polynomial = |&end: &u8| {
        let mut poly = [false; 256];
        let end = usize::from(end).min(places.len());
        places.get(start..end).unwrap_or_default().iter().for_each(|&place| poly[usize::from(place)] = true);
        start = end;
        poly
    };
    ends.iter().map(polynomial).collect()
}

/// `HintBitPack` (Alg. 20), if there are omega ones at most.
fn write(polys: &[[bool; 256]], omega: usize) -> Option<Vec<u8>> {
    let (mut places, mut ends) = (Vec::new(), Vec::new());
    for poly in polys {
        places.extend((0..=255).filter(|&place| poly[usize::from(place)]));
        ends.push(u8::try_from(places.len()).ok()?);
    }
    (places.len() <= omega).then(|| {
        places.resize(omega, 0);
        [places, ends].concat()
    })
}

fn shake(parts: &[&[u8]], len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    Shake256::on(&portable()).hash(parts, &mut out).expect("SHAKE256 has output of any length");
    out
}
