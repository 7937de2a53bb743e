//! Output of SHAKE128 and SHAKE256 for many inputs at once, on every engine, against another implementation.

mod common;

use common::{on_every_engine, oracle::xof, painted, slh::Rng};
use hashloom::{
    Engine,
    keccak::{Shake128, Shake256, stream_many},
};

/// Streams of the given input and output lengths, SHAKE128 at even places, SHAKE256 at odd ones.
fn check(engine: &Engine, lens: &[(usize, usize)]) {
    let bytes = painted(2000);
    let input = |i: usize| &bytes[i % 7..][..lens[i].0];
    let mut outputs: Vec<Vec<u8>> = lens.iter().map(|&(_, len)| vec![0xaa; len]).collect();
    let mut streams: Vec<_> = outputs
        .iter_mut()
        .enumerate()
        .map(|(i, out)| if i % 2 == 0 { Shake128::stream(input(i), out) } else { Shake256::stream(input(i), out) })
        .collect();
    stream_many(engine, &mut streams);
    for (i, output) in outputs.iter().enumerate() {
        let oracle = if i % 2 == 0 { xof::<shake::Shake128> } else { xof::<shake::Shake256> };
        assert!(*output == oracle(input(i), lens[i].1), "stream {i} of {lens:?}");
    }
}

#[test]
fn lengths_around_the_blocks() {
    on_every_engine(|engine| {
        let edges = [0, 1, 7, 8, 9, 135, 136, 137, 167, 168, 169, 272, 335, 336, 337];
        for input in edges {
            // each pair of lengths with either function
            let lens: Vec<_> = edges.iter().flat_map(|&output| [(input, output); 2]).collect();
            check(engine, &lens);
        }
    });
}

#[test]
fn counts_around_the_lanes() {
    on_every_engine(|engine| {
        for count in 0..=33 {
            check(engine, &vec![(34, 840); count]);
        }
    });
}

#[test]
fn a_long_one_beside_many_short_ones() {
    on_every_engine(|engine| {
        let mut rng = Rng::new("streams");
        for _ in 0..50 {
            let count = rng.below(40);
            let mut lens: Vec<_> = (0..count).map(|_| (rng.below(150), rng.below(900))).collect();
            lens.push((1952, 64));
            check(engine, &lens);
        }
    });
}
