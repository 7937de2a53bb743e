//! Many signatures verified side by side.

use alloc::vec::Vec;

use super::{keys::VerifyingKey, scheme};
use crate::{
    error::Error,
    prehash::{Framed, Mode},
    threads,
};

/// Signatures that are verified in lock-step: enough to fill the lanes even where each contributes a single hash, few
/// enough to be shared out to threads.
const GROUP: usize = 32;

/// One signature to be verified.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Who is said to have signed.
    pub key: &'a VerifyingKey,
    /// What was signed.
    pub message: &'a [u8],
    /// Interface and context.
    pub mode: Mode<'a>,
    /// The signature.
    pub signature: &'a [u8],
}

/// Verifies many signatures, of any keys and parameter sets: a verdict for each, in order, as
/// [`VerifyingKey::verify`] would give it.
pub fn verify_batch(items: &[Item<'_>]) -> Vec<Result<(), Error>> {
    let place = |i: &usize| (items[*i].key.set(), items[*i].key.engine());
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&i| items[i].key.set() as usize);
    let groups = order.chunk_by(|a, b| place(a) == place(b)).flat_map(|same| same.chunks(GROUP)).collect();
    let judged = threads::map(groups, |group: &[usize]| verify_group(items, group));

    let mut verdicts = alloc::vec![Err(Error::InvalidSignature); items.len()];
    for (&i, verdict) in order.iter().zip(judged.into_iter().flatten()) {
        verdicts[i] = verdict;
    }
    verdicts
}

/// Verdicts on items of one set and engine, in the order of `group`.
fn verify_group(items: &[Item<'_>], group: &[usize]) -> Vec<Result<(), Error>> {
    let key = items[group[0]].key;
    let frame = |&i: &usize| Framed::new(key.engine(), &items[i].mode, items[i].message);
    let mut framed: Vec<Result<Framed<&[u8]>, Error>> = group.iter().map(frame).collect();
    let claims = group
        .iter()
        .zip(&mut framed)
        .filter_map(|(&i, framed)| Some(items[i].key.claim(framed.as_mut().ok()?, items[i].signature)))
        .collect();
    // a message that cannot be framed has its verdict; the others take theirs in order
    let mut judged = scheme::verify(key.set(), key.engine(), claims).into_iter();
    framed
        .into_iter()
        .map(|framed| framed.and_then(|_| judged.next().unwrap_or(Err(Error::InvalidSignature))))
        .collect()
}
