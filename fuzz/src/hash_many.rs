//! Many messages at once on every backend: each digest is the one that the portable backend makes of that message.

use hashloom::hash::Hash;
use seeds::Reader;

use crate::common::{engines, portable, stretched, with_hash};

/// Messages are shorter.
const LONGEST: usize = 1024;

/// Input: function, bytes of output, number of messages, for each its length and where it begins, then their bytes.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    with_hash!(input.below(12), check(&mut input));
}

fn check<H: Hash>(input: &mut Reader<'_>) {
    let out_len = input.below(600);
    let out_len = H::DIGEST_LEN.map_or(out_len, |limit| out_len % (limit + 1));
    let places: Vec<(usize, usize)> = (0..input.below(70)).map(|_| (input.below(LONGEST), input.below(256))).collect();
    let bytes = stretched(input.rest(), 2 * LONGEST);
    let messages: Vec<&[u8]> = places.iter().map(|&(len, at)| &bytes[at..at + len]).collect();

    let mut want = vec![0; out_len * messages.len()];
    if out_len > 0 {
        for (message, out) in messages.iter().zip(want.chunks_exact_mut(out_len)) {
            H::on(&portable()).hash(&[message], out).expect("the output is no longer than the digest");
        }
    }
    for engine in engines() {
        let mut out = vec![0xa5; want.len()];
        H::on(engine).hash_many(&messages, &mut out).expect("the output is a multiple");
        assert_eq!(out, want, "{} on {engine}", H::NAME);
    }
    // an output that does not fit is refused and untouched
    if !messages.is_empty() && H::DIGEST_LEN.is_some_and(|limit| out_len == limit) {
        let mut out = vec![0xa5; messages.len() * (out_len + 1)];
        assert!(H::on(&portable()).hash_many(&messages, &mut out).is_err());
        assert!(out.iter().all(|&byte| byte == 0xa5));
    }
}
