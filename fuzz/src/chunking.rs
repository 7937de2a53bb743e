//! A message in pieces of any size, with clones, resets and reads in between: the digest is that of the whole.

use digest::{ExtendableOutput, Reset, Update, XofReader};
use hashloom::{
    Engine,
    hash::{Hash, Incremental},
    keccak::{Shake128, Shake256},
};
use seeds::Reader;

use crate::common::{engines, portable, stretched, with_hash};

/// Input: function, engine, pieces of output, pieces of input.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let number = input.below(14);
    let engine = input.pick(engines());
    match number {
        12 => reads::<Shake128>(&engine, &mut input),
        13 => reads::<Shake256>(&engine, &mut input),
        number => with_hash!(number, check(&engine, &mut input)),
    }
}

fn whole<H: Hash>(message: &[u8], len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    H::on(&portable()).hash(&[message], &mut out).expect("the output is no longer than the digest");
    out
}

/// Feeds a hasher as the input says; returns the message that it holds at the end.
fn feed<H: Hash<Hasher: Reset>>(hasher: &mut H::Hasher, input: &mut Reader<'_>, out_len: usize) -> Vec<u8> {
    let mut message = Vec::new();
    while !input.is_empty() {
        match input.byte() {
            // a few bytes, or many of one kind; lengths cross several blocks
            tag @ 0..200 => {
                let piece = stretched(input.take(5), usize::from(tag) * 3 / 2);
                Incremental::update(hasher, &piece);
                message.extend(piece);
            }
            200..220 => {
                let piece = input.field();
                Incremental::update(hasher, piece);
                message.extend(piece);
            }
            220..235 => {
                let mut out = vec![0; out_len];
                hasher.clone().finish(&mut out);
                assert_eq!(out, whole::<H>(&message, out_len), "{} of a clone", H::NAME);
            }
            235..245 => Incremental::update(hasher, &[]),
            _ => {
                hasher.reset();
                message.clear();
            }
        }
        if message.len() > 1 << 14 {
            break;
        }
    }
    message
}

fn check<H: Hash<Hasher: Reset>>(engine: &Engine, input: &mut Reader<'_>) {
    let out_len = input.below(500);
    let out_len = H::DIGEST_LEN.map_or(out_len, |limit| out_len % (limit + 1));
    let mut hasher = H::on(engine).hasher();
    let message = feed::<H>(&mut hasher, input, out_len);
    let mut out = vec![0xa5; out_len];
    hasher.finish(&mut out);
    assert_eq!(out, whole::<H>(&message, out_len), "{} on {engine}, {} bytes", H::NAME, message.len());
}

/// An extendable output read in pieces.
fn reads<H: Hash<Hasher: Reset + ExtendableOutput + Update>>(engine: &Engine, input: &mut Reader<'_>) {
    let pieces: Vec<usize> = (0..input.below(16)).map(|_| input.below(400)).collect();
    let mut hasher = H::on(engine).hasher();
    let message = feed::<H>(&mut hasher, input, 32);
    let mut reader = hasher.finalize_xof();
    let mut out = Vec::new();
    for len in pieces {
        let mut piece = vec![0xa5; len];
        reader.read(&mut piece);
        out.extend(piece);
    }
    assert_eq!(out, whole::<H>(&message, out.len()), "{} on {engine}, read in pieces", H::NAME);
}
