//! Output of SHAKE128 and SHAKE256 for many inputs, of both functions and any lengths at once: lanes are refilled as
//! outputs end, so that long inputs run beside many short ones.

use core::{fmt, ops::Range};

use super::{Extendable, Sponge};
use crate::{
    count,
    engine::Engine,
    lanes::{Items, KeccakJob, KeccakLanes, KeccakState, MAX_BLOCK},
    schedule::Order,
    secret::wipe,
};

/// One input of [`stream_many`], and where its output goes.
pub struct Stream<'a> {
    rate: usize,
    pad: u8,
    input: &'a [u8],
    out: &'a mut [u8],
}

impl<V: Extendable> Sponge<V> {
    /// The leading `out.len()` bytes of this function's output for `input`, to be made by [`stream_many`].
    pub fn stream<'a>(input: &'a [u8], out: &'a mut [u8]) -> Stream<'a> {
        Stream { rate: V::RATE, pad: V::PAD, input, out }
    }
}

impl Stream<'_> {
    /// How often the state is permuted.
    fn permutations(&self) -> usize {
        self.input.len() / self.rate + self.out.len().div_ceil(self.rate).max(1)
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({} bytes to {})", self.input.len(), self.out.len())
    }
}

/// How many streams run side by side.
pub(crate) fn side_by_side(engine: &Engine) -> usize {
    engine.keccak().wide.1
}

/// How many streams take no longer than one.
pub(crate) fn abreast(engine: &Engine) -> usize {
    engine.keccak().tail.1
}

/// Makes the output of every stream, side by side.
pub fn stream_many(engine: &Engine, streams: &mut [Stream<'_>]) {
    count::keccak(|| streams.iter().map(Stream::permutations).sum());
    let order = Order::longest_first(streams.len(), |i| streams[i].permutations());
    engine.keccak.run_whole(StreamJob { streams, order });
}

struct StreamJob<'a, 'b> {
    streams: &'a mut [Stream<'b>],
    order: Order,
}

impl Items for StreamJob<'_, '_> {
    fn len(&self) -> usize {
        self.streams.len()
    }
}

/// What a lane is doing.
#[derive(Clone, Copy)]
struct Lane {
    item: Option<usize>,
    /// Bytes of the input absorbed; `None` once the padding has been.
    absorbed: Option<usize>,
    /// Bytes of the output made.
    squeezed: usize,
}

/// XORs bytes into a lane from its first word on.
#[inline(always)]
fn add<const W: usize>(s: &mut KeccakState<W>, lane: usize, bytes: &[u8]) {
    let (words, rest) = bytes.as_chunks();
    for i in 0..words.len() {
        s.0[i][lane] ^= u64::from_le_bytes(words[i]);
    }
    let mut last = 0;
    for i in 0..rest.len() {
        last |= u64::from(rest[i]) << (8 * i);
    }
    s.0[words.len()][lane] ^= last;
}

/// The leading bytes of a block.
#[inline(always)]
fn copy(words: &[u64], out: &mut [u8]) {
    for (bytes, word) in out.chunks_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}

impl KeccakJob for StreamJob<'_, '_> {
    #[inline(always)]
    fn run<const W: usize, K: KeccakLanes<W>>(&mut self, k: K, mut items: Range<usize>) {
        let mut s = KeccakState::<W>::new();
        let mut blocks = [[0; MAX_BLOCK]; W];
        let mut lanes = [Lane { item: None, absorbed: None, squeezed: 0 }; W];
        loop {
            let mut busy = false;
            for i in 0..W {
                let lane = &mut lanes[i];
                if lane.item.is_none() {
                    for row in &mut s.0 {
                        row[i] = 0;
                    }
                    let Some(place) = items.next() else { continue };
                    *lane = Lane { item: Some(self.order.at(place)), absorbed: Some(0), squeezed: 0 };
                }
                busy = true;
                if let (Some(item), Some(absorbed)) = (lane.item, lane.absorbed) {
                    let Stream { rate, pad, input, .. } = &self.streams[item];
                    let rest = &input[absorbed..];
                    if let Some(block) = rest.get(..*rate) {
                        add(&mut s, i, block);
                        lane.absorbed = Some(absorbed + rate);
                    } else {
                        add(&mut s, i, rest);
                        s.0[rest.len() / 8][i] ^= u64::from(*pad) << (rest.len() % 8 * 8);
                        s.0[rate / 8 - 1][i] ^= 1 << 63;
                        lane.absorbed = None;
                    }
                }
            }
            if !busy {
                break;
            }
            k.permute(&mut s);
            if lanes.iter().all(|lane| lane.item.is_none() || lane.absorbed.is_some()) {
                continue;
            }
            k.squeeze(&s, &mut blocks);
            for (lane, block) in lanes.iter_mut().zip(&blocks) {
                let (Some(item), None) = (lane.item, lane.absorbed) else { continue };
                let Stream { rate, out, .. } = &mut self.streams[item];
                let out = &mut out[lane.squeezed..];
                // whole blocks by constant lengths, as copies of registers
                match *rate {
                    168 if out.len() >= 168 => copy(block, &mut out[..168]),
                    136 if out.len() >= 136 => copy(block, &mut out[..136]),
                    rate => {
                        let take = out.len().min(rate);
                        copy(block, &mut out[..take]);
                    }
                }
                lane.squeezed += *rate;
                if out.len() <= *rate {
                    lane.item = None;
                }
            }
        }
        wipe(blocks.as_flattened_mut());
    }
}
