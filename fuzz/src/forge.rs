//! Good signatures, changed: whatever is not one of them must be refused, and what is must be accepted.

use std::sync::OnceLock;

use hashloom::{
    Error,
    slh_dsa::{ParameterSet, PreHash, Randomness, SigningKey, VerifyingKey},
};
use seeds::Reader;

use crate::common::{engines, framed, mode};

/// Both families, and the split between SHA-256 and SHA-512.
const SETS: [ParameterSet; 3] = [ParameterSet::Sha2_128f, ParameterSet::Shake128f, ParameterSet::Sha2_192f];

/// What is signed, and how.
#[derive(Clone, Debug)]
struct Claim {
    kind: u8,
    function: PreHash,
    context: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

/// A key and what it signed.
struct Signer {
    key: VerifyingKey,
    signed: Vec<Claim>,
}

impl Claim {
    fn framed(&self) -> Option<Vec<u8>> {
        framed(&mode(self.kind, self.function, &self.context), &self.message)
    }
}

/// The signatures that everything begins with, made once.
fn signers() -> &'static [Signer] {
    static SIGNERS: OnceLock<Vec<Signer>> = OnceLock::new();
    SIGNERS.get_or_init(|| SETS.into_iter().map(signer).collect())
}

fn signer(set: ParameterSet) -> Signer {
    let seed = |i: u8| vec![i; set.n()];
    let engine = engines().last().expect("there is an engine");
    let key = SigningKey::from_seeds(set, engine, &seed(1), &seed(2), &seed(3)).expect("seeds have n bytes");
    let claim = |kind, function, context: &[u8], message: &[u8]| {
        let signed = key.sign(message, &mode(kind, function, context), Randomness::Deterministic);
        let signature = signed.expect("the context is short and the digest has its length").into();
        Claim { kind, function, context: context.to_vec(), message: message.to_vec(), signature }
    };
    let signed = vec![
        claim(1, PreHash::Sha2_256, b"", b"message"),
        claim(1, PreHash::Sha2_256, b"context", b"message"),
        claim(2, PreHash::Sha2_256, b"context", b"message"),
        claim(3, PreHash::Shake128, b"context", &[5; 32]),
        claim(0, PreHash::Sha2_256, b"", b"\x00\x07contextanother message"),
    ];
    Signer { key: key.verifying_key(), signed }
}

/// Input: set, engine, signature, and changes until it is used up.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let signer = &signers()[input.below(SETS.len())];
    let engine = input.pick(engines());
    let mut claim = signer.signed[input.below(signer.signed.len())].clone();
    for _ in 0..8 {
        if input.is_empty() {
            break;
        }
        change(&mut input, signer, &mut claim);
    }

    let key = signer.key.with_engine(&engine);
    let mode = mode(claim.kind, claim.function, &claim.context);
    let verdict = key.verify(&claim.message[..], &mode, &claim.signature);
    let framed = claim.framed();
    let known = |good: &Claim| good.signature == claim.signature && good.framed() == framed;
    if framed.is_none() {
        assert!(matches!(verdict, Err(Error::ContextTooLong { .. } | Error::WrongLength { .. })), "{verdict:?}");
    } else if signer.signed.iter().any(known) {
        assert_eq!(verdict, Ok(()), "refused a good signature");
    } else {
        assert_eq!(verdict, Err(Error::InvalidSignature), "accepted a forgery");
    }
}

/// One change to the signature or to what is said to be signed.
fn change(input: &mut Reader<'_>, signer: &Signer, claim: &mut Claim) {
    let n = signer.key.set().n();
    let other = |input: &mut Reader<'_>, signer: &Signer| {
        let other = &signer.signed[input.below(signer.signed.len())];
        other.clone()
    };
    let kind = input.byte();
    let signature = &mut claim.signature;
    let len = signature.len();
    match kind % 12 {
        0 if len > 0 => signature[input.below(len)] ^= 1 << input.below(8),
        1 if len >= n => {
            let at = input.below(len / n) * n;
            let value = input.take(n);
            signature[at..at + value.len()].copy_from_slice(value);
        }
        2 if len >= n => {
            let (from, to) = (input.below(len / n) * n, input.below(len / n) * n);
            signature.copy_within(from..from + n, to);
        }
        3 if len >= n => {
            let (a, b) = (input.below(len / n) * n, input.below(len / n) * n);
            (0..n).for_each(|i| signature.swap(a + i, b + i));
        }
        // a part of another signature by the same key, which has the same layout
        4 => {
            let other = other(input, signer).signature;
            let at = input.below(other.len() / n) * n;
            let end = (at + usize::from(input.short()) * n).min(other.len()).min(len);
            if at < end {
                signature[at..end].copy_from_slice(&other[at..end]);
            }
        }
        5 => signature.truncate(input.short().into()),
        6 => signature.extend(input.field()),
        7 => *signature = other(input, signer).signature,
        8 => claim.message = input.field().to_vec(),
        9 => claim.context = input.field().to_vec(),
        10 => (claim.kind, claim.function) = (input.byte(), input.pick(&PreHash::ALL)),
        _ => {
            // what another signature signs: with that signature it is good
            let other = other(input, signer);
            *claim = Claim { signature: std::mem::take(&mut claim.signature), ..other };
            if input.byte() % 2 == 1 {
                // M' itself, by the internal interface
                claim.message = claim.framed().unwrap_or_default();
                claim.kind = 0;
            }
        }
    }
}
