//! Every function on every backend against the standard's text, in whole numbers; on all residues where they decide.

use std::{println, vec, vec::Vec};

use super::*;

const Q: i32 = 8_380_417;
const GAMMA2: [i32; 2] = [(Q - 1) / 88, (Q - 1) / 32];

fn on_every_engine(test: impl Fn(Ring)) {
    for (name, engine) in Engine::available() {
        println!("on {name}");
        test(Ring::on(&engine));
    }
}

/// Numbers that a seed decides.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// From -bound to bound, both ends and their neighbours often.
    fn within(&mut self, bound: i32) -> i32 {
        let edges = [0, 1, -1, bound, -bound, bound - 1, 1 - bound, bound / 2];
        let choice = self.next();
        if choice.is_multiple_of(4) {
            edges[(choice / 4 % 8) as usize]
        } else {
            (self.next() % u64::from(2 * bound.cast_unsigned() + 1)) as i32 - bound
        }
    }

    fn poly(&mut self, bound: i32) -> Poly {
        let mut p = Poly::default();
        p.0.iter_mut().for_each(|x| *x = self.within(bound));
        p
    }
}

/// Polynomials within a bound: random ones, and ones of extremes alone.
fn polys(bound: i32) -> Vec<Poly> {
    let mut numbers = Numbers(u64::from(bound.cast_unsigned()));
    let mut polys: Vec<Poly> = (0..50).map(|_| numbers.poly(bound)).collect();
    for pattern in [[bound; 2], [-bound; 2], [bound, -bound], [0, bound], [0; 2], [1, 0]] {
        for run in [1, 2, 4, 8, 16, 32, 64, 128] {
            let mut p = Poly::default();
            p.0.iter_mut().enumerate().for_each(|(i, x)| *x = pattern[i / run % 2]);
            polys.push(p);
        }
    }
    polys
}

fn modulo(x: i64) -> i64 {
    x.rem_euclid(i64::from(Q))
}

fn same(a: &Poly, b: impl Iterator<Item = i64>, what: &str) {
    let (a, b): (Vec<i64>, Vec<i64>) = a.0.iter().zip(b).map(|(a, b)| (modulo(i64::from(*a)), modulo(b))).unzip();
    assert_eq!(a, b, "{what}");
}

fn power(base: i64, exponent: u32) -> i64 {
    (0..exponent).fold(1, |power, _| modulo(power * base))
}

/// The values of a polynomial at the odd powers of zeta, in the order of FIPS 204 section 7.5.
fn values(p: &Poly) -> Vec<i64> {
    let value = |i: u8| {
        let root = power(1753, u32::from(2 * u16::from(i.reverse_bits()) + 1));
        p.0.iter().rev().fold(0, |value, x| modulo(value * root + i64::from(*x)))
    };
    (0..=255).map(value).collect()
}

fn largest(p: &Poly) -> i32 {
    p.0.iter().map(|x| x.abs()).max().unwrap()
}

#[test]
fn transforms_are_values_at_the_roots() {
    on_every_engine(|ring| {
        for (i, p) in polys(Q).iter().enumerate() {
            let mut ntt = *p;
            ring.ntt(&mut ntt);
            assert!(largest(&ntt) <= 11 * Q);
            if i % 10 == 0 {
                same(&ntt, values(p).into_iter(), "NTT");
            }
            let mut back = ntt;
            ring.reduce(&mut back);
            ring.inverse(&mut back);
            assert!(largest(&back) < Q);
            same(&back, p.0.iter().map(|x| (i64::from(*x) << 32) % i64::from(Q)), "back");
        }
        for p in polys(Q - 1) {
            let mut inverse = p;
            ring.inverse(&mut inverse);
            assert!(largest(&inverse) < Q);
            ring.ntt(&mut inverse);
            same(&inverse, p.0.iter().map(|x| (i64::from(*x) << 32) % i64::from(Q)), "forth");
        }
    });
}

#[test]
fn products_and_rows() {
    let factor = power(power(2, 32), Q.cast_unsigned() - 2);
    on_every_engine(|ring| {
        let (a, b) = (polys(11 * Q), polys(11 * Q));
        for (a, b) in a.iter().zip(b.iter().cycle().skip(17)) {
            let mut out = Poly([7; 256]);
            ring.product(a, b, &mut out);
            assert!(largest(&out) <= 3 * (Q / 4));
            same(&out, a.0.iter().zip(&b.0).map(|(a, b)| modulo(i64::from(*a) * i64::from(*b)) * factor), "product");
        }
        let (a, y) = (polys(Q - 1), polys(11 * Q));
        for l in 1..=8 {
            for (a, y) in a.windows(l).zip(y.windows(l)) {
                let mut out = Poly([7; 256]);
                ring.row(a, y, &mut out);
                assert!(largest(&out) <= 3 * (Q / 4));
                let sum = |i: usize| a.iter().zip(y).map(|(a, y)| i64::from(a.0[i]) * i64::from(y.0[i])).sum();
                same(&out, (0..256).map(|i| modulo(sum(i)) * factor), "row");
            }
        }
    });
}

#[test]
fn sums_and_representatives() {
    on_every_engine(|ring| {
        for (a, b) in polys((1 << 30) - 1).iter().zip(polys((1 << 30) - 1).iter().rev()) {
            let (mut sum, mut difference) = (*a, *a);
            ring.add(&mut sum, b);
            ring.sub(&mut difference, b);
            for i in 0..256 {
                assert_eq!((sum.0[i], difference.0[i]), (a.0[i] + b.0[i], a.0[i] - b.0[i]));
            }
        }
        for p in polys(i32::MAX - (1 << 22)) {
            let mut reduced = p;
            ring.reduce(&mut reduced);
            assert!(largest(&reduced) <= 6_283_008);
            same(&reduced, p.0.iter().map(|x| i64::from(*x)), "reduce");
        }
        for p in polys(Q - 1) {
            let mut canonical = p;
            ring.canonical(&mut canonical);
            assert!(canonical.0.iter().zip(&p.0).all(|(c, x)| i64::from(*c) == modulo(i64::from(*x))));
        }
        for p in polys((1 << 10) - 1) {
            let mut shifted = p;
            ring.shift(&mut shifted);
            assert!(shifted.0.iter().zip(&p.0).all(|(s, x)| *s == x << 13));
        }
    });
}

#[test]
fn norms() {
    on_every_engine(|ring| {
        for bound in [1, 2, 5, 1 << 17, (1 << 19) - 120, (Q - 1) / 88, Q - 1] {
            for place in 0..256 {
                for (x, want) in [(bound, 1), (-bound, 1), (bound - 1, 0), (1 - bound, 0)] {
                    let mut p = Poly::default();
                    p.0[place] = x;
                    assert_eq!(ring.exceeds(&p, bound), want, "{x} at {place}");
                }
            }
        }
    });
}

/// Every residue, 256 at a time.
fn residues() -> impl Iterator<Item = Poly> {
    (0..Q).step_by(256).map(|first| {
        let mut p = Poly::default();
        (first..).zip(&mut p.0).for_each(|(x, place)| *place = x.min(Q - 1));
        p
    })
}

/// FIPS 204 Alg. 36, as it is written.
fn decompose(r: i32, gamma2: i32) -> (i32, i32) {
    let mut r0 = r % (2 * gamma2);
    if r0 > gamma2 {
        r0 -= 2 * gamma2;
    }
    if r - r0 == Q - 1 { (0, r0 - 1) } else { ((r - r0) / (2 * gamma2), r0) }
}

/// FIPS 204 Alg. 40, as it is written.
fn use_hint(h: i32, r: i32, gamma2: i32) -> i32 {
    let m = (Q - 1) / (2 * gamma2);
    match decompose(r, gamma2) {
        (r1, r0) if h == 1 && r0 > 0 => (r1 + 1) % m,
        (r1, _) if h == 1 => (r1 + m - 1) % m,
        (r1, _) => r1,
    }
}

#[test]
fn every_residue_is_rounded_as_the_standard_says() {
    on_every_engine(|ring| {
        for r in residues() {
            let (mut t1, mut t0) = (r, Poly::default());
            ring.power2round(&mut t1, &mut t0);
            for i in 0..256 {
                let low = r.0[i] % (1 << 13);
                let low = if low > 1 << 12 { low - (1 << 13) } else { low };
                assert_eq!((t1.0[i], t0.0[i]), ((r.0[i] - low) >> 13, low));
            }
            for gamma2 in GAMMA2 {
                let (mut r0, mut r1) = (r, Poly::default());
                ring.decompose(gamma2, &mut r0, &mut r1);
                let (mut with, mut without) = (r, r);
                ring.use_hint(gamma2, &mut with, &Poly([1; 256]));
                ring.use_hint(gamma2, &mut without, &Poly::default());
                for i in 0..256 {
                    let x = r.0[i];
                    assert_eq!((r1.0[i], r0.0[i]), decompose(x, gamma2), "{x}");
                    assert_eq!(with.0[i], use_hint(1, x, gamma2), "{x} with a hint");
                    assert_eq!(without.0[i], use_hint(0, x, gamma2), "{x} without");
                }
            }
        }
    });
}

/// What a hint is for (FIPS 204 Alg. 39, 40): by it the upper part of r + z, without z, is that of r. Here r has the lower
/// part that the function is given, and z is what moved it there.
#[test]
fn a_hint_brings_the_upper_part_back() {
    on_every_engine(|ring| {
        for gamma2 in GAMMA2 {
            let mut numbers = Numbers(7);
            for round in 0..2000 {
                let mut whole = numbers.poly(Q - 1);
                ring.canonical(&mut whole);
                let (mut low, mut w1) = (whole, Poly::default());
                ring.decompose(gamma2, &mut low, &mut w1);
                let moved_by = numbers.poly(if round % 2 == 0 { gamma2 - 1 } else { 200 });
                ring.add(&mut low, &moved_by);
                let ones = ring.make_hint(gamma2, &mut low, &w1);
                let mut moved = whole;
                ring.add(&mut moved, &moved_by);
                ring.reduce(&mut moved);
                ring.canonical(&mut moved);
                let mut back = moved;
                ring.use_hint(gamma2, &mut back, &low);
                assert_eq!(back.0, w1.0);
                assert_eq!(ones.cast_signed(), low.0.iter().sum::<i32>());
            }
            // the edges: gamma2 is a lower part, -gamma2 is not, but for the upper part 0
            for (low, high, want) in [
                (gamma2, 0, 0),
                (gamma2 + 1, 0, 1),
                (-gamma2, 0, 0),
                (-gamma2, 1, 1),
                (-gamma2 - 1, 0, 1),
                (1 - gamma2, 3, 0),
            ] {
                let mut p = Poly([low; 256]);
                assert_eq!(ring.make_hint(gamma2, &mut p, &Poly([high; 256])), 256 * want);
                assert_eq!(p.0, [want.cast_signed(); 256], "{low}, {high}");
            }
        }
    });
}

#[test]
fn encodings() {
    let forms = [
        (3, Some(2)),
        (4, Some(4)),
        (4, None),
        (6, None),
        (10, None),
        (13, Some(1 << 12)),
        (18, Some(1 << 17)),
        (20, Some(1 << 19)),
    ];
    on_every_engine(|ring| {
        for (bits, offset) in forms {
            let mut numbers = Numbers(u64::from(bits));
            for _ in 0..100 {
                let mut p = Poly::default();
                // what follows is not touched
                let mut packed = vec![0; 32 * bits as usize + 64];
                let mut want = vec![0; 32 * bits as usize];
                for (i, x) in p.0.iter_mut().enumerate() {
                    let value = numbers.within((1 << bits) - 1).abs();
                    *x = offset.map_or(value, |offset| offset - value);
                    for j in 0..bits as usize {
                        let at = i * bits as usize + j;
                        want[at / 8] |= u8::from((value >> j) & 1 == 1) << (at % 8);
                    }
                }
                let (packed, behind) = packed.split_at_mut(32 * bits as usize);
                ring.pack(&p, bits, offset, packed);
                assert_eq!(packed, want, "{bits} bits");
                assert!(behind.iter().all(|byte| *byte == 0), "{bits} bits");
                let mut unpacked = Poly([7; 256]);
                ring.unpack(packed, bits, offset, &mut unpacked);
                assert_eq!(unpacked.0, p.0, "{bits} bits");
            }
        }
    });
}

/// FIPS 204 Alg. 30 with Alg. 14, and Alg. 31 with Alg. 15, as they are written.
fn kept(eta: Option<i32>, bytes: &[u8]) -> Vec<i32> {
    let mut kept: Vec<i32> = match eta {
        None => {
            let three = |b: &[u8]| (i32::from(b[2] & 0x7f) << 16) | (i32::from(b[1]) << 8) | i32::from(b[0]);
            bytes.chunks_exact(3).map(three).filter(|x| *x < Q).collect()
        }
        Some(eta) => {
            let halves = bytes.iter().flat_map(|byte| [i32::from(byte & 15), i32::from(byte >> 4)]);
            let coefficient = |b| match eta {
                2 if b < 15 => Some(2 - b % 5),
                4 if b < 9 => Some(4 - b),
                _ => None,
            };
            halves.filter_map(coefficient).collect()
        }
    };
    kept.truncate(256);
    kept
}

/// The half bytes of which Alg. 15 makes a coefficient.
fn accepted(eta: i32, bytes: &[u8]) -> Vec<u8> {
    let bit = |(i, half): (usize, u8)| u8::from(half < if eta == 2 { 15 } else { 9 }) << i;
    let halves = |four: &[u8]| four.iter().flat_map(|byte| [byte & 15, byte >> 4]).enumerate().map(bit).sum();
    bytes.chunks(4).map(halves).collect()
}

#[test]
fn rejection_keeps_what_the_standard_keeps() {
    on_every_engine(|ring| {
        let mut numbers = Numbers(3);
        for round in 0..3000_u64 {
            // lengths of streams and shorter ones; bytes that are often refused
            let len = if round % 3 == 0 { numbers.next() % 300 * 3 } else { [840, 272, 408][round as usize % 3] };
            let mut bytes: Vec<u8> = (0..len).map(|_| numbers.next() as u8).collect();
            if round % 4 == 1 {
                bytes.iter_mut().for_each(|byte| *byte |= [0xff, 0xf0, 0][(numbers.next() % 3) as usize]);
            }
            for eta in [None, Some(2), Some(4)] {
                let mut p = Poly::default();
                let (count, want) = match eta {
                    None => {
                        let whole = &bytes[..bytes.len() / 3 * 3];
                        (ring.reject_uniform(whole, &mut p), kept(eta, whole))
                    }
                    Some(bound) => {
                        (ring.reject_bounded(bound, &bytes, &accepted(bound, &bytes), &mut p), kept(eta, &bytes))
                    }
                };
                assert_eq!(p.0[..count], want, "{eta:?}, {len} bytes");
            }
        }
        // the candidates around q
        let near: Vec<u8> = (Q - 300..Q + 500).flat_map(|x| x.to_le_bytes()[..3].to_vec()).collect();
        for start in 0..200 {
            let mut p = Poly::default();
            let count = ring.reject_uniform(&near[3 * start..], &mut p);
            assert_eq!(p.0[..count], kept(None, &near[3 * start..]));
        }
    });
}
