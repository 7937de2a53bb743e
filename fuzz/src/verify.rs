//! Signatures of anybody by any key over any message: all ways to verify agree, and an accepted signature is the only
//! one in its neighbourhood.

use std::io::{self, Read};

use hashloom::{
    Error,
    slh_dsa::{Item, Mode, PreHash, VerifyingKey, verify_batch},
};
use seeds::Reader;

use crate::common::{engines, mode, portable, set};

/// A source that gives what it has bit by bit.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.0.len().min(out.len()).min(7);
        let (now, later) = self.0.split_at(len);
        out[..len].copy_from_slice(now);
        self.0 = later;
        Ok(len)
    }
}

/// Input: set, interface, function, engine, position of a bit, public key, context, message, signature.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let set = set(&mut input);
    let kind = input.byte();
    let function = input.pick(&PreHash::ALL);
    let engine = input.pick(engines());
    let at = usize::from(input.short());
    let (public, context, message) = (input.field(), input.field(), input.field());
    let signature = input.rest();
    let mode = mode(kind, function, context);

    let expected = set.verifying_key_len();
    let key = match VerifyingKey::from_bytes(set, &engine, public) {
        Ok(key) => key,
        Err(error) => {
            assert_eq!(error, Error::WrongLength { expected, actual: public.len() });
            let filled = [public, &[0; 64]].concat();
            VerifyingKey::from_bytes(set, &engine, &filled[..expected]).expect("any 2n bytes are a public key")
        }
    };
    let verdict = key.verify(message, &mode, signature);
    check_error(verdict, &mode, message);
    assert_eq!(key.with_engine(&portable()).verify(message, &mode, signature), verdict, "portable");
    assert_eq!(key.verify_reader(Trickle(message), &mode, signature), verdict, "from a reader");
    let item = Item { key: &key, message, mode, signature };
    let short = Item { signature: &signature[..signature.len() / 2], ..item };
    let batch = verify_batch(&[item, short, item]);
    assert_eq!((batch[0], batch[2]), (verdict, verdict), "in a batch");
    assert!(batch[1].is_err() || signature.is_empty());

    if verdict.is_ok() {
        assert_eq!(signature.len(), set.signature_len());
        let refused = |mode: &Mode<'_>, message: &[u8], signature: &[u8]| {
            assert_eq!(key.verify(message, mode, signature), Err(Error::InvalidSignature), "accepted a forgery");
        };
        let mut changed = signature.to_vec();
        changed[(at >> 3) % signature.len()] ^= 1 << (at & 7);
        refused(&mode, message, &changed);
        refused(&mode, message, &signature[1..]);
        refused(&mode, message, &[signature, &[0]].concat());
        if !matches!(mode, Mode::Digest { .. }) {
            refused(&mode, &[message, &[0]].concat(), signature);
        }
    }
}

/// The only errors there are, each with its one cause.
fn check_error(verdict: Result<(), Error>, mode: &Mode<'_>, message: &[u8]) {
    let context = match *mode {
        Mode::Internal => 0,
        Mode::Pure { context } | Mode::PreHash { context, .. } | Mode::Digest { context, .. } => context.len(),
    };
    let digest = match mode {
        Mode::Digest { function, .. } => function.digest_len(),
        _ => message.len(),
    };
    match verdict {
        Err(Error::ContextTooLong { length }) => assert!(length == context && context > 255),
        Err(Error::WrongLength { expected, actual }) => {
            assert!((expected, actual) == (digest, message.len()) && expected != actual);
        }
        other => {
            assert!(matches!(other, Ok(()) | Err(Error::InvalidSignature)), "{other:?}");
            assert!(context <= 255 && digest == message.len());
        }
    }
}
