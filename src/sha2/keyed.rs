//! What follows on a first block, for HMAC, and PBKDF2's iterations.

use core::ops::Range;

use super::{OnEngine, Sha2, Sha2Hasher, Variant, block_len};
use crate::{
    count,
    error::Error,
    hash::{FixedHash, Hash},
    lanes::{Items, Sha2Iterations, Sha2Job, Sha2Lanes, Sha2State, Word},
    schedule::IterateJob,
    secret::wipe,
};

impl<V: Variant> FixedHash for Sha2<V> {
    const LEN: usize = V::LEN;
    type State = [V::Word; 8];

    fn begin_many(&self, blocks: &[u8], states: &mut [[V::Word; 8]]) {
        assert_eq!(blocks.len(), states.len() * Self::BLOCK_LEN, "one block per state");
        count::sha2::<V::Word>(|| states.len());
        V::Word::begin_many(&self.engine, BeginJob { init: V::INIT, blocks, states });
    }

    fn resume(hasher: &mut Sha2Hasher<V>, state: &[V::Word; 8]) {
        hasher.state = *state;
        hasher.filled = 0;
        hasher.length = Self::BLOCK_LEN as u128;
    }

    fn resume_many(&self, states: &[[V::Word; 8]], msgs: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        self.hash_many_from(states, Self::BLOCK_LEN, msgs, out)
    }

    fn iterate_many(&self, keys: &[[[V::Word; 8]; 2]], count: u32, u: &mut [u8], sum: &mut [u8]) {
        count::sha2::<V::Word>(|| 2 * keys.len() * count as usize);
        V::Word::iterate_many(&self.engine, IterateJob::new(keys, count, V::LEN, u, sum));
    }
}

/// One block after the initial state, for each of many states.
pub struct BeginJob<'a, T> {
    init: [T; 8],
    blocks: &'a [u8],
    states: &'a mut [[T; 8]],
}

impl<T> Items for BeginJob<'_, T> {
    fn len(&self) -> usize {
        self.states.len()
    }
}

impl<T: Word> Sha2Job<T> for BeginJob<'_, T> {
    #[inline(always)]
    fn run<const W: usize, K: Sha2Lanes<T, W>>(&mut self, k: K, items: Range<usize>) {
        let block_len = block_len::<T>();
        let mut s = Sha2State::<T, W>::new();
        let mut blocks = [T::ZERO_BLOCK; W];
        for first in items.clone().step_by(W) {
            for lane in 0..W {
                let live = items.contains(&(first + lane));
                for i in 0..8 {
                    s.0[i][lane] = if live { self.init[i] } else { T::default() };
                }
                if live {
                    blocks[lane].as_mut().copy_from_slice(&self.blocks[(first + lane) * block_len..][..block_len]);
                } else {
                    blocks[lane] = T::ZERO_BLOCK;
                }
            }
            k.compress(&mut s, &blocks);
            for lane in 0..W.min(items.end - first) {
                for i in 0..8 {
                    self.states[first + lane][i] = s.0[i][lane];
                }
            }
        }
        for block in &mut blocks {
            wipe(block.as_mut());
        }
    }
}

/// PBKDF2's iterations with digests of `LEN` bytes.
pub(super) struct Iterate<'a, T, const LEN: usize>(pub(super) IterateJob<'a, [T; 8]>);

impl<T, const LEN: usize> Items for Iterate<'_, T, LEN> {
    fn len(&self) -> usize {
        self.0.keys.len()
    }
}

impl<T: Word, const LEN: usize> Sha2Job<T> for Iterate<'_, T, LEN> {
    #[inline(always)]
    fn run<const W: usize, K: Sha2Lanes<T, W>>(&mut self, k: K, items: Range<usize>) {
        let job = &mut self.0;
        let mut c = Sha2Iterations::<T, W>::new();
        for first in items.clone().step_by(W) {
            for lane in 0..W {
                let live = items.contains(&(first + lane));
                for i in 0..8 {
                    for pad in 0..2 {
                        c.keys[pad][i][lane] = if live { job.keys[first + lane][pad][i] } else { T::default() };
                    }
                    // idle lanes start from zeros
                    let word = |digests: &[u8]| {
                        let at = (first + lane) * LEN + (i * T::BYTES).min(LEN);
                        let end = (first + lane) * LEN + ((i + 1) * T::BYTES).min(LEN);
                        if live { T::from_be(&digests[at..end]) } else { T::default() }
                    };
                    (c.u[i][lane], c.sum[i][lane]) = (word(job.u), word(job.sum));
                }
            }
            k.iterate::<LEN>(&mut c, job.count);
            for lane in 0..W.min(items.end - first) {
                let digest = (first + lane) * LEN..(first + lane + 1) * LEN;
                for (rows, digests) in [(&c.u, &mut *job.u), (&c.sum, &mut *job.sum)] {
                    for (row, bytes) in rows.iter().zip(digests[digest.clone()].chunks_mut(T::BYTES)) {
                        row[lane].to_be(bytes);
                    }
                }
            }
        }
    }
}
