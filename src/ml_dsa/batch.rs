//! Many signatures verified side by side.

use alloc::vec::Vec;

use super::{keys::VerifyingKey, mu::Mu, verify};
use crate::{error::Error, prehash::Mode, threads};

/// Signatures that are verified in one go: enough to fill the lanes, few enough to be shared out to threads.
const GROUP: usize = 8;

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
    let groups = items.chunk_by(|a, b| a.key.engine() == b.key.engine()).flat_map(|same| same.chunks(GROUP)).collect();
    let judged = threads::map(groups, |group: &[Item<'_>]| {
        let engine = group[0].key.engine();
        let claims = group.iter().map(|item| {
            let mu = |tr: &[u8]| Mu::of(engine, tr, item.message, &item.mode);
            (item.key, item.signature, mu)
        });
        verify::many(engine, claims)
    });
    judged.into_iter().flatten().collect()
}
