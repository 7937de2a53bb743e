//! Signatures for a public key whose t1 is zero, where c plays no part: all that a verifier checks can be made right but
//! for one thing.

use super::{
    Maker,
    plain::{N, Poly, Shape, commitment, decompose, encode_hint, encode_w1, encode_z, moved, shake},
};
use crate::{
    cases::{MESSAGE, random},
    file::Flag,
};

/// A public key and z that everything begins with.
struct Forger {
    shape: Shape,
    public: Vec<u8>,
    mu: Vec<u8>,
    z: Vec<Poly>,
}

impl Forger {
    fn new(maker: &Maker) -> Self {
        let shape = maker.shape;
        let mut public = random("negative vectors, rho", 32);
        public.resize(maker.public.len(), 0);
        let tr = shake(&[&public], 64);
        let mu = shake(&[&tr, &[0, 0], MESSAGE], 64);
        // small, and such that w is anything
        let bytes = random("negative vectors, z", shape.l * N);
        let poly = |chunk: &[u8]| std::array::from_fn(|i| i64::from(chunk[i]) - 128);
        Self { shape, public, mu, z: bytes.chunks_exact(N).map(poly).collect() }
    }

    fn w(&self, z: &[Poly]) -> Vec<Poly> {
        commitment(&self.shape, &self.public[..32], z)
    }

    /// c~ of a commitment.
    fn c_tilde(&self, w1: &[Poly]) -> Vec<u8> {
        shake(&[&self.mu, &encode_w1(&self.shape, w1)], self.shape.z)
    }

    /// w1 of w, corrected where the hint says so.
    fn corrected(&self, w: &[Poly], hint: &[Vec<u8>]) -> Vec<Poly> {
        let mut w1: Vec<Poly> = w.iter().map(|poly| poly.map(|r| decompose(&self.shape, r).0)).collect();
        for ((w1, w), places) in w1.iter_mut().zip(w).zip(hint) {
            places.iter().for_each(|&i| w1[usize::from(i)] = moved(&self.shape, w[usize::from(i)]));
        }
        w1
    }

    /// The signature with this z and hint, the latter as bytes that say it somehow.
    fn signature(&self, z: &[Poly], hint: &[Vec<u8>], encoded: &[u8]) -> Vec<u8> {
        let c_tilde = self.c_tilde(&self.corrected(&self.w(z), hint));
        [&c_tilde[..], &encode_z(&self.shape, z), encoded].concat()
    }

    fn no_hint(&self) -> Vec<Vec<u8>> {
        vec![Vec::new(); self.shape.k]
    }
}

pub(super) fn forged(maker: &mut Maker) {
    let forger = Forger::new(maker);
    responses(maker, &forger);
    hints(maker, &forger);
    encodings(maker, &forger);
    comparisons(maker, &forger);
    verifiers(maker, &forger);
}

fn add(maker: &mut Maker, forger: &Forger, flag: Flag, comment: &str, signature: &[u8]) {
    let valid = flag == Flag::BoundaryCondition;
    maker.by_key(flag, comment, &forger.public, signature, valid);
}

/// The bound on z (Alg. 8 line 13).
fn responses(maker: &mut Maker, forger: &Forger) {
    let shape = forger.shape;
    let (bound, none) = (shape.gamma1 - shape.beta, forger.no_hint());
    let encoded = encode_hint(&shape, &none);
    let mut make = |places: &[(usize, usize)], x: i64, flag: Flag, comment: &str| {
        let mut z = forger.z.clone();
        places.iter().for_each(|&(i, j)| z[i][j] = x);
        let signature = forger.signature(&z, &none, &encoded);
        add(maker, forger, flag, comment, &signature);
    };
    let places = [(0, 0), (0, 1), (0, 255), (1, 130), (shape.l - 1, 0), (shape.l - 1, 255)];
    for (i, j) in places {
        for (x, what) in [(bound, "gamma1 - beta"), (-bound, "-(gamma1 - beta)")] {
            make(&[(i, j)], x, Flag::LargeResponse, &format!("coefficient {j} of z[{i}] is {what}"));
        }
    }
    for (x, what) in [
        (bound + 1, "gamma1 - beta + 1"),
        (shape.gamma1, "gamma1"),
        (1 - shape.gamma1, "1 - gamma1"),
        (shape.gamma1 - 1, "gamma1 - 1"),
    ] {
        make(&[(shape.l - 1, 77)], x, Flag::LargeResponse, &format!("a coefficient of z is {what}"));
    }
    for (x, what) in [(bound - 1, "gamma1 - beta - 1"), (1 - bound, "-(gamma1 - beta - 1)")] {
        make(&places, x, Flag::BoundaryCondition, &format!("some coefficients of z are {what}"));
        let all: Vec<_> = (0..shape.l).flat_map(|i| (0..N).map(move |j| (i, j))).collect();
        make(&all, x, Flag::BoundaryCondition, &format!("all coefficients of z are {what}"));
    }
}

/// A place of each polynomial, as many as there may be, and places where `UseHint` has its edges.
fn hints(maker: &mut Maker, forger: &Forger) {
    let shape = forger.shape;
    let zero = vec![[0; N]; shape.l];
    let edges = edges(forger);
    let many = |mut left: usize| {
        let mut take = |most: usize| {
            let count = left.min(most);
            left -= count;
            (0..count).map(|place| (255 - count + 1 + place) as u8).collect::<Vec<u8>>()
        };
        (0..shape.k).map(|_| take(shape.omega.div_ceil(2))).collect::<Vec<_>>()
    };
    let mut last = forger.no_hint();
    last[shape.k - 1] = (0..shape.omega as u8).collect();
    for (z, hint, comment) in [
        (&forger.z, forger.no_hint(), "no hint"),
        (&zero, forger.no_hint(), "z zero, no hint"),
        (&zero, vec![vec![0, 255]; shape.k], "z zero: hints where r0 is zero"),
        (&forger.z, many(shape.omega), "omega hints"),
        (&forger.z, many(shape.omega - 1), "omega - 1 hints"),
        (&forger.z, last, "omega hints, all of the last polynomial"),
        (&forger.z, edges, "hints where the upper part wraps around, up and down"),
    ] {
        let signature = forger.signature(z, &hint, &encode_hint(&shape, &hint));
        add(maker, forger, Flag::BoundaryCondition, comment, &signature);
    }
}

/// Places where the upper part is the largest or zero and the hint takes it to the other end.
fn edges(forger: &Forger) -> Vec<Vec<u8>> {
    let (shape, w) = (forger.shape, forger.w(&forger.z));
    let mut left = shape.omega;
    let mut ends = [0; 2];
    let hint = w
        .iter()
        .map(|poly| {
            let wraps = |&place: &u8| {
                let (r1, r0) = decompose(&shape, poly[usize::from(place)]);
                let (up, down) = (r1 == shape.m() - 1 && r0 > 0, r1 == 0 && r0 <= 0);
                ends[0] += usize::from(up);
                ends[1] += usize::from(down);
                up || down
            };
            let places: Vec<u8> = (0..=255).filter(wraps).take(left).collect();
            left -= places.len();
            places
        })
        .collect();
    assert!(ends[0] > 0 && ends[1] > 0, "both ways: {ends:?}");
    hint
}

/// What only a careless reader takes for a hint; c~ is that of what it takes it for.
fn encodings(maker: &mut Maker, forger: &Forger) {
    let shape = forger.shape;
    let (omega, k) = (shape.omega, shape.k);
    let mut make = |hint: &[Vec<u8>], places: &[u8], ends: &[u8], comment: &str| {
        let mut encoded = places.to_vec();
        encoded.resize(omega, 0);
        encoded.extend(ends);
        encoded.resize(omega + k, *ends.last().expect("there are ends"));
        let signature = forger.signature(&forger.z, hint, &encoded);
        add(maker, forger, Flag::InvalidHintsEncoding, comment, &signature);
    };
    let first = |places: &[u8]| {
        let mut hint = forger.no_hint();
        hint[0] = places.to_vec();
        hint
    };
    make(&first(&[7]), &[7, 7], &[2], "one place twice");
    make(&first(&[0]), &[0, 0], &[2], "place 0 twice");
    make(&first(&[]), &[7, 7], &[2], "one place twice, which a reader that flips takes for none");
    make(&first(&[3, 7]), &[7, 3], &[2], "two places that decrease");
    make(&first(&[0, 255]), &[255, 0], &[2], "places 255 and 0");
    make(&first(&[3, 7, 9]), &[3, 9, 7], &[3], "the last two of three places decrease");
    make(&first(&[7]), &[7, 0, 1], &[1], "padding is not zero behind a zero");
    make(&first(&[]), &[9], &[0], "padding is not zero, no hint");
    let mut padded = vec![0; omega];
    padded[omega - 1] = 255;
    make(&first(&[]), &padded, &[0], "the last byte of padding is not zero, no hint");
    // ends that go back: the second polynomial has no places, or those before the end once more
    make(&first(&[3, 7]), &[3, 7], &[2, 0], "ends 2, then 0");
    make(&first(&[3, 7]), &[3, 7], &[2, 1, 2], "ends 2, 1, then 2");
    let mut again = first(&[3, 7]);
    again[2] = vec![7];
    make(&again, &[3, 7], &[2, 1, 2], "ends 2, 1, then 2: the third polynomial has the place again");
    // beyond omega the ends themselves are read as places
    let places: Vec<u8> = (0..omega as u8).collect();
    let most = omega as u8 + 1;
    let beyond = [&places[..], &[most]].concat();
    make(&first(&beyond), &places, &[most], "omega + 1 places, the last of which is an end");
    make(&first(&places), &places, &[most], "omega + 1 places, the last of which is left out");
    make(&first(&places), &places, &[255], "255 places, of which omega are there");
    let mut ends = vec![omega as u8; k];
    ends[k - 1] = most;
    make(&first(&places), &places, &ends, "omega + 1 places, the last polynomial's left out");
}

/// c~ is right in part.
fn comparisons(maker: &mut Maker, forger: &Forger) {
    let shape = forger.shape;
    let none = forger.no_hint();
    let good = forger.signature(&forger.z, &none, &encode_hint(&shape, &none));
    let len = shape.z;
    let mut make = |from: usize, to: usize, comment: &str| {
        let mut signature = good.clone();
        signature[from..to].iter_mut().for_each(|byte| *byte = !*byte);
        add(maker, forger, Flag::ChallengeComparison, comment, &signature);
    };
    make(0, 1, "all but the first byte");
    make(len - 1, len, "all but the last byte");
    make(len / 2, len, "the first half");
    make(0, len / 2, "the second half");
    make(1, len, "the first byte alone");
    make(0, len - 1, "the last byte alone");
    if len > 32 {
        make(32, len, "the first 32 bytes, all that earlier versions had");
    }
    make(0, len, "its complement");
}

/// What a verifier with a mistake of its own makes c~ of.
fn verifiers(maker: &mut Maker, forger: &Forger) {
    let shape = forger.shape;
    let none = forger.no_hint();
    let zero = vec![[0; N]; shape.l];
    let mut make = |z: &[Poly], hint: &[Vec<u8>], c_tilde: &[u8], comment: &str| {
        let signature = [c_tilde, &encode_z(&shape, z), &encode_hint(&shape, hint)].concat();
        add(maker, forger, Flag::FlawedVerifier, comment, &signature);
    };
    let w1 = forger.corrected(&forger.w(&forger.z), &none);
    let encoded = encode_w1(&shape, &w1);
    make(&forger.z, &none, &shake(&[&encoded, &forger.mu], shape.z), "c~ hashes w1, then mu");
    make(&forger.z, &none, &shake(&[&encoded], shape.z), "c~ without mu");
    make(&forger.z, &none, &shake(&[&forger.mu], shape.z), "c~ without w1");
    make(&forger.z, &none, &shake(&[&forger.mu[..32], &encoded], shape.z), "half of mu");
    let fewer = w1[..shape.k - 1].to_vec();
    make(&forger.z, &none, &forger.c_tilde(&fewer), "the last polynomial of w1 left out");
    let bytes: Vec<u8> = w1.iter().flatten().map(|x| x.to_le_bytes()[0]).collect();
    make(&forger.z, &none, &shake(&[&forger.mu, &bytes], shape.z), "w1 with a byte for each coefficient");
    let backwards: Vec<Poly> = w1.iter().rev().copied().collect();
    make(&forger.z, &none, &forger.c_tilde(&backwards), "w1 in reverse order");

    // rounding
    let hint = vec![vec![0, 255]; shape.k];
    let mut up = vec![[0; N]; shape.k];
    up.iter_mut().for_each(|poly| (poly[0], poly[255]) = (1, 1));
    make(&zero, &hint, &forger.c_tilde(&up), "UseHint goes up where r0 is zero");
    let kept = vec![[0; N]; shape.k];
    make(&zero, &hint, &forger.c_tilde(&kept), "UseHint ignored");
    let edges = edges(forger);
    let w = forger.w(&forger.z);
    let edited = |edit: &dyn Fn(i64) -> i64| {
        let mut w1 = forger.corrected(&w, &none);
        for ((w1, w), places) in w1.iter_mut().zip(&w).zip(&edges) {
            places.iter().for_each(|&i| w1[usize::from(i)] = edit(w[usize::from(i)]));
        }
        w1
    };
    let clamped = edited(&|r| decompose(&shape, r).0);
    make(&forger.z, &edges, &forger.c_tilde(&clamped), "UseHint stops at the ends");
    let down = edited(&|r| (decompose(&shape, r).0 - 1).rem_euclid(shape.m()));
    make(&forger.z, &edges, &forger.c_tilde(&down), "UseHint always goes down");
    let higher = edited(&|r| (decompose(&shape, r).0 + 1).rem_euclid(shape.m()));
    make(&forger.z, &edges, &forger.c_tilde(&higher), "UseHint always goes up");
    let floor = w.iter().map(|poly| poly.map(|r| (r / (2 * shape.gamma2)).min(shape.m() - 1))).collect::<Vec<_>>();
    make(&forger.z, &none, &forger.c_tilde(&floor), "w1 rounded down");
}
