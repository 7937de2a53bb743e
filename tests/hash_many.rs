//! `hash_many` and one-shot `hash` against other crates: all twelve functions, every engine.

mod common;

use std::collections::BTreeSet;

use common::{on_every_engine, oracle::Oracle, painted};
use hashloom::{Engine, Error, hash::Hash};
use proptest::prelude::*;

const LARGEST_BATCH: usize = 33;
/// Output of a SHAKE where the length is not what is tested.
const XOF_LEN: usize = 40;

/// Lengths around every block, rate and padding boundary of any function.
fn lengths() -> Vec<usize> {
    let mut lengths: BTreeSet<usize> = [0, 1, 2, 3, 7, 8, 9, 500].into();
    for block in [64, 72, 104, 128, 136, 144, 168] {
        for blocks in 1..=3 {
            lengths.extend(blocks * block - 1..=blocks * block + 1);
        }
    }
    // where SHA-2's length field and SHA-3's two padding bits just fit, or just do not
    lengths.extend([55, 56, 57, 111, 112, 113, 119, 120, 121, 183, 184, 239, 240, 241]);
    lengths.extend(122..=129);
    lengths.into_iter().collect()
}

fn output_len<H: Hash>() -> usize {
    H::DIGEST_LEN.unwrap_or(XOF_LEN)
}

/// Messages of the given lengths, all different, at all alignments, as slices of one buffer.
fn messages(paint: &[u8], lengths: impl IntoIterator<Item = usize>) -> Vec<&[u8]> {
    lengths.into_iter().enumerate().map(|(i, len)| &paint[1 + 37 * i..][..len]).collect()
}

fn paint_for(msgs: usize, len: usize) -> Vec<u8> {
    painted(1 + 37 * msgs + len)
}

/// `hash_many`, `hash` and the oracle agree on `msgs`, and nothing else is written.
fn check<H: Hash>(oracle: Oracle, engine: &Engine, msgs: &[&[u8]], out_len: usize) {
    let h = H::on(engine);
    let want: Vec<u8> = msgs.iter().flat_map(|msg| oracle(msg, out_len)).collect();
    let mut out = vec![0xa5; want.len()];
    h.hash_many(msgs, &mut out).unwrap();
    let lengths = || msgs.iter().map(|msg| msg.len()).collect::<Vec<_>>();
    assert_eq!(out, want, "{} hash_many, messages of {:?} bytes", H::NAME, lengths());
    for (msg, want) in msgs.iter().zip(want.chunks(out_len.max(1))) {
        let mut out = vec![0xa5; out_len];
        h.hash(&[msg], &mut out).unwrap();
        assert_eq!(out, want, "{} of {} bytes", H::NAME, msg.len());
    }
}

fn equal_lengths<H: Hash>(oracle: Oracle, engine: &Engine) {
    let h = H::on(engine);
    let out_len = output_len::<H>();
    for len in lengths() {
        let paint = paint_for(LARGEST_BATCH, len);
        let msgs = messages(&paint, [len; LARGEST_BATCH]);
        check::<H>(oracle, engine, &msgs, out_len);
        let want: Vec<u8> = msgs.iter().flat_map(|msg| oracle(msg, out_len)).collect();
        for batch in 0..LARGEST_BATCH {
            let mut out = vec![0xa5; batch * out_len];
            h.hash_many(&msgs[..batch], &mut out).unwrap();
            assert_eq!(out, want[..batch * out_len], "{} x{batch} of {len} bytes", H::NAME);
        }
    }
}

#[test]
fn batches_of_equal_lengths() {
    on_every_engine(|engine| for_each_hash!(equal_lengths(engine)));
}

fn mixed_lengths<H: Hash>(oracle: Oracle, engine: &Engine) {
    let lengths = lengths();
    let paint = paint_for(LARGEST_BATCH, *lengths.last().unwrap());
    for batch in 0..=LARGEST_BATCH {
        for stride in [1, 7, 23] {
            let lengths = (0..batch).map(|i| lengths[(batch + stride * i) % lengths.len()]);
            check::<H>(oracle, engine, &messages(&paint, lengths), output_len::<H>());
        }
    }
}

#[test]
fn batches_of_mixed_lengths() {
    on_every_engine(|engine| for_each_hash!(mixed_lengths(engine)));
}

fn one_giant<H: Hash>(oracle: Oracle, engine: &Engine) {
    let paint = paint_for(4, 1 << 17);
    for lengths in [[1 << 17, 0, 1, 2], [5, 1000, 0, (1 << 17) - 3], [0, (1 << 16) + 1, 1 << 17, 64]] {
        check::<H>(oracle, engine, &messages(&paint, lengths), output_len::<H>());
    }
}

#[test]
fn a_long_message_among_short_ones() {
    on_every_engine(|engine| for_each_hash!(one_giant(engine)));
}

fn alignments<H: Hash>(oracle: Oracle, engine: &Engine) {
    let paint = painted(600);
    let len = 2 * H::BLOCK_LEN + 5;
    for start in 0..64 {
        let msgs: Vec<&[u8]> = (0..9).map(|i| &paint[start + i * (start % 8)..][..len]).collect();
        let out_len = output_len::<H>();
        let want: Vec<u8> = msgs.iter().flat_map(|msg| oracle(msg, out_len)).collect();
        // the output is misaligned as well
        let mut out = vec![0xa5; want.len() + 1];
        H::on(engine).hash_many(&msgs, &mut out[1..]).unwrap();
        assert_eq!((out[0], &out[1..]), (0xa5, &want[..]), "{} from offset {start}", H::NAME);
    }
}

#[test]
fn misaligned_messages() {
    on_every_engine(|engine| for_each_hash!(alignments(engine)));
}

fn output_lengths<H: Hash>(oracle: Oracle, engine: &Engine) {
    let rate = H::BLOCK_LEN;
    let around = vec![0, 1, 7, 8, 9, 31, 32, 33, rate - 1, rate, rate + 1, 2 * rate - 1, 2 * rate, 2 * rate + 1, 500];
    let lengths = H::DIGEST_LEN.map_or(around, |len| (0..=len).collect());
    let paint = paint_for(LARGEST_BATCH, 3 * H::BLOCK_LEN);
    for out_len in lengths {
        for batch in [1, 2, 3, 4, 5, 8, 9, 17, LARGEST_BATCH] {
            let lengths = (0..batch).map(|i| (i * 61 + out_len) % (3 * H::BLOCK_LEN));
            check::<H>(oracle, engine, &messages(&paint, lengths), out_len);
        }
    }
}

#[test]
fn xof_output_lengths_and_truncated_digests() {
    on_every_engine(|engine| for_each_hash!(output_lengths(engine)));
}

fn parts<H: Hash>(oracle: Oracle, engine: &Engine) {
    let paint = painted(3 * H::BLOCK_LEN + 11);
    let out_len = output_len::<H>();
    let want = oracle(&paint, out_len);
    let mut out = vec![0; out_len];
    for first in 0..=2 * H::BLOCK_LEN + 1 {
        let (a, rest) = paint.split_at(first);
        let (b, c) = rest.split_at(H::BLOCK_LEN.min(rest.len()));
        for parts in [&[a, rest][..], &[a, &[], b, c], &[a, b, c, &[]]] {
            H::on(engine).hash(parts, &mut out).unwrap();
            assert_eq!(out, want, "{} in parts, the first of {first} bytes", H::NAME);
        }
    }
    H::on(engine).hash(&[], &mut out).unwrap();
    assert_eq!(out, oracle(&[], out_len), "{} of no part", H::NAME);
}

#[test]
fn parts_are_joined() {
    on_every_engine(|engine| for_each_hash!(parts(engine)));
}

fn output_errors<H: Hash>(_: Oracle, engine: &Engine) {
    let h = H::on(engine);
    let paint = painted(300);
    let msgs = [&paint[..200], &paint[..], b""];
    let refuses = |msgs: &[&[u8]], len: usize, error: Error| {
        let mut out = vec![0xa5; len];
        assert_eq!(h.hash_many(msgs, &mut out), Err(error), "{} x{}, {len} bytes of output", H::NAME, msgs.len());
        assert!(out.iter().all(|&byte| byte == 0xa5), "{}: output is touched", H::NAME);
    };
    refuses(&[], 1, Error::WrongLength { expected: 0, actual: 1 });
    refuses(&msgs, 2, Error::WrongLength { expected: 0, actual: 2 });
    refuses(&msgs, 3 * 20 + 1, Error::WrongLength { expected: 60, actual: 61 });
    h.hash_many(&[], &mut []).unwrap();
    if let Some(limit) = H::DIGEST_LEN {
        let error = Error::OutputTooLong { limit };
        refuses(&msgs, 3 * (limit + 1), error);
        refuses(&msgs[..1], limit + 1, error);
        let mut out = vec![0xa5; limit + 1];
        assert_eq!(h.hash(&msgs, &mut out), Err(error));
        assert!(out.iter().all(|&byte| byte == 0xa5), "{}: output is touched", H::NAME);
    }
}

#[test]
fn output_errors_leave_the_output_alone() {
    on_every_engine(|engine| for_each_hash!(output_errors(engine)));
}

fn table<H: Hash>(_: Oracle, rows: &mut Vec<(&'static str, usize, Option<usize>)>) {
    rows.push((H::NAME, H::BLOCK_LEN, H::DIGEST_LEN));
}

#[test]
fn names_and_sizes_are_the_standards() {
    let mut rows = Vec::new();
    for_each_hash!(table(&mut rows));
    let want = [
        ("SHA2-224", 64, Some(28)),
        ("SHA2-256", 64, Some(32)),
        ("SHA2-384", 128, Some(48)),
        ("SHA2-512", 128, Some(64)),
        ("SHA2-512/224", 128, Some(28)),
        ("SHA2-512/256", 128, Some(32)),
        ("SHA3-224", 144, Some(28)),
        ("SHA3-256", 136, Some(32)),
        ("SHA3-384", 104, Some(48)),
        ("SHA3-512", 72, Some(64)),
        ("SHAKE128", 168, None),
        ("SHAKE256", 136, None),
    ];
    assert_eq!(rows, want);
}

fn reported_choice<H: Hash>(_: Oracle, engine: &Engine) {
    let want = match H::NAME {
        "SHA2-224" | "SHA2-256" => engine.sha256(),
        name if name.starts_with("SHA2") => engine.sha512(),
        _ => engine.keccak(),
    };
    assert_eq!(H::on(engine).choice(), want, "{}", H::NAME);
}

#[test]
fn hashes_report_the_choice_of_their_engine() {
    on_every_engine(|engine| for_each_hash!(reported_choice(engine)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_lists_of_messages(
        msgs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..420), 0..40),
        out_len in 0..400_usize,
    ) {
        fn run<H: Hash>(oracle: Oracle, engine: &Engine, msgs: &[&[u8]], out_len: usize) {
            check::<H>(oracle, engine, msgs, H::DIGEST_LEN.map_or(out_len, |limit| out_len % (limit + 1)));
        }
        let msgs: Vec<&[u8]> = msgs.iter().map(Vec::as_slice).collect();
        on_every_engine(|engine| for_each_hash!(run(engine, &msgs, out_len)));
    }
}
