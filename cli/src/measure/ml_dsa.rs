//! ML-DSA to be timed: its operations are so short that a repetition is of many, and a signature takes as many attempts as
//! its message happens to need, so that only a mean over many messages says something.

use std::hint::black_box;

use hashloom::{
    Engine, Error,
    keccak::Shake256,
    ml_dsa::{Item, Mode, ParameterSet, Randomness, Signature, SigningKey, verify_batch},
};
use hashloom_kat::cost::{self, Calls};

use super::{Case, Operation, Subject, Timed};

/// Messages to sign, the same for all engines: the mean of their attempts is within about 4 % of the expected one.
const MESSAGES: usize = 1024;
/// Keys to make, and signatures to verify, in a repetition.
const SAMPLES: usize = 64;

/// What operations work on: one key for all engines, which make the same bytes.
pub(super) struct Inputs {
    operation: Operation,
    batch: usize,
    expand: bool,
    key: SigningKey,
    messages: Vec<Vec<u8>>,
    signatures: Vec<Signature>,
}

impl Inputs {
    pub(super) fn new(set: ParameterSet, case: &Case, engine: &Engine) -> Result<Self, Error> {
        let Case { operation, batch, expand, .. } = *case;
        let count = if operation == Operation::Sign { MESSAGES } else { SAMPLES };
        let message = |i: usize| [[0; 56].as_slice(), &(i as u64).to_be_bytes()].concat();
        let mut inputs = Self {
            operation,
            batch,
            expand: expand.is_some(),
            key: SigningKey::from_seed(set, engine, &[1; 32])?,
            messages: (0..count.next_multiple_of(batch)).map(message).collect(),
            signatures: Vec::new(),
        };
        if operation == Operation::Verify {
            let signed = inputs.key.sign_batch(&inputs.all(), &Mode::default(), Randomness::Deterministic);
            inputs.signatures = signed.into_iter().collect::<Result<_, _>>()?;
        }
        Ok(inputs)
    }

    fn all(&self) -> Vec<&[u8]> {
        self.messages.iter().map(|message| &message[..]).collect()
    }

    /// Permutations of Keccak, on average.
    fn permutations(&self) -> f64 {
        let set = self.key.set();
        match self.operation {
            Operation::Keygen => cost::ml_dsa::keygen(set),
            Operation::Sign => cost::ml_dsa::sign(set, self.expand),
            Operation::Verify => cost::ml_dsa::verify(set, self.expand),
        }
    }
}

impl Subject for Inputs {
    fn calls(&self) -> Calls {
        #[allow(clippy::cast_sign_loss)] // a sum of positive numbers
        let keccak = self.permutations().round() as u64;
        Calls { keccak, ..Calls::default() }
    }

    fn kernels(&self, engine: &Engine) -> Vec<(f64, Timed<'static>)> {
        vec![(self.permutations(), Timed::blocks::<Shake256>(engine))]
    }

    fn operation(&self, engine: Engine) -> Timed<'_> {
        let (set, mode, batch, count) = (self.key.set(), Mode::default(), self.batch, self.messages.len());
        let key = self.key.clone().with_engine(&engine);
        let public = key.verifying_key();
        match (self.operation, self.expand) {
            (Operation::Keygen, _) => Timed::new(SAMPLES, 1, move |_| {
                (0..SAMPLES).try_for_each(|i| SigningKey::from_seed(set, &engine, black_box(&[i as u8; 32])).map(drop))
            }),
            (Operation::Sign, true) => {
                let key = key.expand();
                Timed::new(count, 1, move |_| {
                    self.all().chunks(batch).try_for_each(|messages| match black_box(messages) {
                        [message] => key.sign(*message, &mode, Randomness::Deterministic).map(drop),
                        messages => all_good(key.sign_batch(messages, &mode, Randomness::Deterministic)),
                    })
                })
            }
            (Operation::Sign, false) => Timed::new(count, 1, move |_| {
                self.all().chunks(batch).try_for_each(|messages| match black_box(messages) {
                    [message] => key.sign(*message, &mode, Randomness::Deterministic).map(drop),
                    messages => all_good(key.sign_batch(messages, &mode, Randomness::Deterministic)),
                })
            }),
            (Operation::Verify, true) => {
                let public = public.expand();
                Timed::new(count, 1, move |_| {
                    let items = self.messages.iter().zip(&self.signatures);
                    let items: Vec<(&[u8], &[u8])> =
                        items.map(|(message, signature)| (&message[..], signature.as_ref())).collect();
                    items.chunks(batch).try_for_each(|items| match black_box(items) {
                        [(message, signature)] => public.verify(*message, &mode, signature),
                        items => all_good(public.verify_batch(items, &mode)),
                    })
                })
            }
            (Operation::Verify, false) => Timed::new(count, 1, move |_| {
                let items = self.messages.iter().zip(&self.signatures);
                let items: Vec<Item<'_>> = items
                    .map(|(message, signature)| Item { key: &public, message, mode, signature: signature.as_ref() })
                    .collect();
                items.chunks(batch).try_for_each(|items| match black_box(items) {
                    [item] => public.verify(item.message, &mode, item.signature),
                    items => all_good(verify_batch(items)),
                })
            }),
        }
    }
}

fn all_good<T>(results: Vec<Result<T, Error>>) -> Result<(), Error> {
    results.into_iter().try_for_each(|result| result.map(drop))
}
