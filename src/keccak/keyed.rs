//! What follows on a first block, for HMAC, and PBKDF2's iterations.

use core::ops::Range;

use super::{Fixed, Sponge, SpongeHasher};
use crate::{
    count,
    engine::{KeccakKernel, Pair},
    error::Error,
    hash::FixedHash,
    lanes::{Items, KeccakJob, KeccakLanes, KeccakState},
    schedule::IterateJob,
};

/// Words of the largest digest.
const MAX_DIGEST: usize = 8;

impl<V: Fixed> FixedHash for Sponge<V> {
    const LEN: usize = V::LEN;
    type State = [u64; 25];

    fn begin_many(&self, blocks: &[u8], states: &mut [[u64; 25]]) {
        assert_eq!(blocks.len(), states.len() * V::RATE, "one block per state");
        count::keccak(|| states.len());
        begin_many(&self.lanes, BeginJob { blocks, states });
    }

    fn resume(hasher: &mut SpongeHasher<V>, state: &[u64; 25]) {
        hasher.state = *state;
        hasher.filled = 0;
    }

    fn resume_many(&self, states: &[[u64; 25]], msgs: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        self.hash_many_from(states, msgs, out)
    }

    fn iterate_many(&self, keys: &[[[u64; 25]; 2]], count: u32, u: &mut [u8], sum: &mut [u8]) {
        count::keccak(|| 2 * keys.len() * count as usize);
        let job = IterateJob::new(keys, count, V::LEN, u, sum);
        iterate_many(&self.lanes, Iterate { job, rate: V::RATE, pad: V::PAD });
    }
}

// Not generic over the variant, so that jobs are compiled for all backends once, in this crate.

fn begin_many(lanes: &Pair<KeccakKernel>, job: BeginJob<'_>) {
    lanes.run(job);
}

fn iterate_many(lanes: &Pair<KeccakKernel>, job: Iterate<'_>) {
    lanes.run(job);
}

/// One block into each of many states.
struct BeginJob<'a> {
    blocks: &'a [u8],
    states: &'a mut [[u64; 25]],
}

impl Items for BeginJob<'_> {
    fn len(&self) -> usize {
        self.states.len()
    }
}

impl KeccakJob for BeginJob<'_> {
    #[inline(always)]
    fn run<const W: usize, K: KeccakLanes<W>>(&mut self, k: K, items: Range<usize>) {
        let rate = self.blocks.len() / self.states.len();
        let mut s = KeccakState::<W>::new();
        for first in items.clone().step_by(W) {
            let live = W.min(items.end - first);
            s.0 = [[0; W]; 25];
            let mut rows = [&super::ZEROS[..rate]; W];
            for lane in 0..live {
                rows[lane] = &self.blocks[(first + lane) * rate..][..rate];
            }
            k.absorb(&mut s, 0, &rows);
            k.permute(&mut s);
            for lane in 0..live {
                for i in 0..25 {
                    self.states[first + lane][i] = s.0[i][lane];
                }
            }
        }
    }
}

/// PBKDF2's iterations.
struct Iterate<'a> {
    job: IterateJob<'a, [u64; 25]>,
    rate: usize,
    pad: u8,
}

impl Items for Iterate<'_> {
    fn len(&self) -> usize {
        self.job.keys.len()
    }
}

impl KeccakJob for Iterate<'_> {
    #[inline(always)]
    fn run<const W: usize, K: KeccakLanes<W>>(&mut self, k: K, items: Range<usize>) {
        let (len, words) = (self.job.len, self.job.len.div_ceil(8));
        // SHA3-224 ends in the middle of a word
        let mut masks = [!0; MAX_DIGEST];
        if !len.is_multiple_of(8) {
            masks[words - 1] = !0 >> (64 - 8 * (len % 8));
        }
        let mut padding = [0; 25];
        padding[len / 8] |= u64::from(self.pad) << (8 * (len % 8));
        padding[self.rate / 8 - 1] |= 1 << 63;

        let mut keys = [KeccakState::<W>::new(), KeccakState::<W>::new()];
        // the message and the sum, in the words of two more states
        let [mut s, mut u, mut sum] = [const { KeccakState::<W>([[0; W]; 25]) }; 3];
        for first in items.clone().step_by(W) {
            for lane in 0..W {
                let live = items.contains(&(first + lane));
                for pad in 0..2 {
                    for i in 0..25 {
                        keys[pad].0[i][lane] = if live { self.job.keys[first + lane][pad][i] ^ padding[i] } else { 0 };
                    }
                }
                for i in 0..words {
                    let at = (first + lane) * len + 8 * i;
                    let end = (at + 8).min((first + lane + 1) * len);
                    let word = |digests: &[u8]| {
                        let mut word = [0; 8];
                        if live {
                            word[..end - at].copy_from_slice(&digests[at..end]);
                        }
                        u64::from_le_bytes(word)
                    };
                    (u.0[i][lane], sum.0[i][lane]) = (word(self.job.u), word(self.job.sum));
                }
            }
            for _ in 0..self.job.count {
                for key in &keys {
                    s.0 = key.0;
                    for i in 0..words {
                        for lane in 0..W {
                            s.0[i][lane] ^= u.0[i][lane];
                        }
                    }
                    k.permute(&mut s);
                    for i in 0..words {
                        for lane in 0..W {
                            u.0[i][lane] = s.0[i][lane] & masks[i];
                        }
                    }
                }
                for i in 0..words {
                    for lane in 0..W {
                        sum.0[i][lane] ^= u.0[i][lane];
                    }
                }
            }
            for lane in 0..W.min(items.end - first) {
                let digest = (first + lane) * len..(first + lane + 1) * len;
                for (state, digests) in [(&u, &mut *self.job.u), (&sum, &mut *self.job.sum)] {
                    for (row, bytes) in state.0.iter().zip(digests[digest.clone()].chunks_mut(8)) {
                        bytes.copy_from_slice(&row[lane].to_le_bytes()[..bytes.len()]);
                    }
                }
            }
        }
    }
}
