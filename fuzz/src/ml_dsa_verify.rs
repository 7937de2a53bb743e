//! ML-DSA's signatures, of anybody by any key and good ones with changes: every way to verify and other implementations
//! agree, and nothing is accepted of a known key but what it has signed.

use std::sync::OnceLock;

use hashloom::{
    Error,
    ml_dsa::{Item, Mode, ParameterSet, PreHash, Randomness, SigningKey, VerifyingKey, verify_batch},
};
use seeds::Reader;

use crate::{
    common::{engines, framed, mode, portable},
    rivals,
};

/// What is signed, and how.
#[derive(Clone, Debug)]
struct Claim {
    kind: u8,
    function: PreHash,
    context: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Claim {
    fn mode(&self) -> Mode<'_> {
        mode(self.kind, self.function, &self.context)
    }
}

/// A key and what it signed.
struct Signer {
    key: VerifyingKey,
    signed: Vec<Claim>,
}

/// What everything begins with, made once.
fn signers() -> &'static [Signer] {
    static SIGNERS: OnceLock<Vec<Signer>> = OnceLock::new();
    SIGNERS.get_or_init(|| ParameterSet::ALL.into_iter().map(signer).collect())
}

fn signer(set: ParameterSet) -> Signer {
    let engine = engines().last().expect("there is an engine");
    let key = SigningKey::from_seed(set, engine, &[7; 32]).expect("seeds have 32 bytes");
    let claim = |kind, function, context: &[u8], message: &[u8]| {
        let signed = key.sign(message, &mode(kind, function, context), Randomness::Deterministic);
        let signature = signed.expect("the context is short and the digest has its length").into();
        Claim { kind, function, context: context.to_vec(), message: message.to_vec(), signature }
    };
    let signed = vec![
        claim(1, PreHash::Sha2_256, b"", b"message"),
        claim(1, PreHash::Sha2_256, b"context", b"message"),
        claim(2, PreHash::Sha2_512, b"context", b"message"),
        claim(3, PreHash::Shake128, b"context", &[5; 32]),
        claim(0, PreHash::Sha2_256, b"", b"\x00\x07contextanother message"),
    ];
    Signer { key: key.verifying_key(), signed }
}

/// Input: what it is, set, engine; then interface, function, public key, context, message and signature, or which
/// signature and changes to it until the input is used up.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let changed = input.byte() % 2 == 1;
    let signer = &signers()[input.below(3)];
    let engine = &input.pick(engines());
    if changed {
        let mut claim = signer.signed[input.below(signer.signed.len())].clone();
        for _ in 0..8 {
            if input.is_empty() {
                break;
            }
            change(&mut input, signer, &mut claim);
        }
        let verdict = verdict(&signer.key.clone().with_engine(engine), &claim);
        let subject = |claim: &Claim| framed(&claim.mode(), &claim.message);
        let known = |good: &&Claim| good.signature == claim.signature && subject(good) == subject(&claim);
        match (subject(&claim), signer.signed.iter().find(known)) {
            (None, _) => assert_ne!(verdict, Ok(())),
            (_, Some(_)) => assert_eq!(verdict, Ok(()), "refused a good signature"),
            (_, None) => assert_eq!(verdict, Err(Error::InvalidSignature), "accepted a forgery"),
        }
        return;
    }
    let (kind, function) = (input.byte(), input.pick(&PreHash::ALL));
    let (public, context, message) = (input.field(), input.field().to_vec(), input.field().to_vec());
    let (set, signature) = (signer.key.set(), input.rest().to_vec());
    let filled: Vec<u8> = public.iter().copied().chain([0; 2592]).take(set.verifying_key_len()).collect();
    let key = VerifyingKey::from_bytes(set, engine, &filled).expect("any bytes of that length are a public key");
    let claim = Claim { kind, function, context, message, signature };
    let _ = verdict(&key, &claim);
}

/// The verdict by every function here, on another backend, and elsewhere.
fn verdict(key: &VerifyingKey, claim: &Claim) -> Result<(), Error> {
    let Claim { message, signature, .. } = claim;
    let (message, mode) = (&message[..], claim.mode());
    let verdict = key.verify(message, &mode, signature);
    assert_eq!(key.clone().with_engine(&portable()).verify(message, &mode, signature), verdict, "portable");
    let expanded = key.expand();
    assert_eq!(expanded.verify_reader(message, &mode, signature), verdict, "expanded, from a reader");
    let item = Item { key, message, mode, signature };
    let short = Item { signature: &signature[..signature.len() / 2], ..item };
    let other = &signers()[0];
    let good = &other.signed[0];
    let other = Item { key: &other.key, message: &good.message, mode: good.mode(), signature: &good.signature };
    let batch = verify_batch(&[item, short, other, item]);
    assert_eq!((batch[0], batch[2], batch[3]), (verdict, Ok(()), verdict), "in a batch");
    assert!(batch[1].is_err());
    match key.mu(&mode) {
        Err(error) => assert_eq!(verdict, Err(error), "mu"),
        Ok(mut hasher) => {
            message.chunks(5).for_each(|part| hasher.update(part));
            assert_eq!(hasher.finish().and_then(|mu| expanded.verify_mu(&mu, signature)), verdict, "by mu");
        }
    }
    match verdict {
        Ok(()) | Err(Error::InvalidSignature) => {
            rivals::agree(key.set(), key.as_bytes(), &mode, message, signature, verdict.is_ok());
        }
        Err(Error::ContextTooLong { .. } | Error::WrongLength { .. }) => {
            assert_eq!(framed(&mode, message), None, "refused a message for nothing");
        }
        Err(other) => panic!("{other:?}"),
    }
    verdict
}

/// One change to the signature or to what is said to be signed.
fn change(input: &mut Reader<'_>, signer: &Signer, claim: &mut Claim) {
    let other = &signer.signed[input.below(signer.signed.len())];
    let signature = &mut claim.signature;
    let len = signature.len();
    // the hint is short and has most of the rules
    let hint = signer.key.set().signature_len() - 84;
    match input.byte() % 12 {
        0 if len > 0 => signature[input.below(len)] ^= 1 << input.below(8),
        1 if len > hint => signature[hint + input.below(len - hint)] = input.byte(),
        2 if len > hint => {
            let (a, b) = (hint + input.below(len - hint), hint + input.below(len - hint));
            signature.swap(a, b);
        }
        3 if len > 0 => {
            let (at, value) = (input.below(len), input.take(20));
            let end = (at + value.len()).min(len);
            signature[at..end].copy_from_slice(&value[..end - at]);
        }
        4 => {
            let at = input.below(other.signature.len());
            let end = (at + usize::from(input.short())).min(other.signature.len()).min(len);
            if at < end {
                signature[at..end].copy_from_slice(&other.signature[at..end]);
            }
        }
        5 => signature.truncate(input.short().into()),
        6 => signature.extend(input.field()),
        7 => signature.clone_from(&other.signature),
        8 => claim.message = input.field().to_vec(),
        9 => claim.context = input.field().to_vec(),
        10 => (claim.kind, claim.function) = (input.byte(), input.pick(&PreHash::ALL)),
        _ => {
            // what another signature signs: with that signature it is good
            *claim = Claim { signature: std::mem::take(&mut claim.signature), ..other.clone() };
            if input.byte() % 2 == 1 {
                // M' itself, by the internal interface
                claim.message = framed(&claim.mode(), &claim.message).unwrap_or_default();
                claim.kind = 0;
            }
        }
    }
}
