//! Signing: `ML-DSA.Sign_internal` (FIPS 204 Alg. 7) of many messages side by side. Every message has an attempt under
//! way; one that is rejected starts again together with the next messages. Where a lane would stay idle while c~ is
//! hashed, which no lane can help with, a message has two: the next one is made before it is known to be needed.

use alloc::vec::Vec;

use super::{
    functions::{H, abreast, side_by_side, stream_many},
    hint::Packer,
    mu::Mu,
    params::{MAX_C, N, Params, SEED, WIDE},
    private::Private,
    sample::{BALL, Masks, in_ball},
};
use crate::{
    ct,
    ring::{Poly, Ring},
    secret::{Wiped, wipe_stack},
};

/// Bytes that rho'' comes from: K, rnd and mu.
const RHO_INPUT: usize = 2 * SEED + WIDE;

/// A message to be signed.
pub(crate) struct Task<'a> {
    pub(crate) mu: &'a Mu,
    /// 32 bytes.
    pub(crate) rnd: &'a [u8],
    /// Where the signature goes.
    pub(crate) signature: &'a mut Vec<u8>,
}

/// Signs every message.
pub(crate) fn sign_many(private: &Private, tasks: &mut [Task<'_>]) {
    let engine = &private.engine;
    // line 7
    let (mut inputs, mut mask_seeds) = (Wiped::zeroed(tasks.len() * RHO_INPUT), Wiped::zeroed(tasks.len() * WIDE));
    for (input, task) in inputs.chunks_exact_mut(RHO_INPUT).zip(&*tasks) {
        input[..SEED].copy_from_slice(&private.k_seed);
        input[SEED..2 * SEED].copy_from_slice(task.rnd);
        input[2 * SEED..].copy_from_slice(task.mu.as_bytes());
    }
    let streams = inputs.chunks_exact(RHO_INPUT).zip(mask_seeds.chunks_exact_mut(WIDE));
    stream_many(engine, &mut streams.map(|(input, out)| H::stream(input, out)).collect::<Vec<_>>());

    let each = if 2 * tasks.len() <= abreast(engine) { 2 } else { 1 };
    let mut waiting = 0..tasks.len();
    let first = waiting.by_ref().take(side_by_side(engine));
    let mut under_way: Vec<_> = first.map(|task| UnderWay::new(private, task, tasks[task].mu, each)).collect();
    while !under_way.is_empty() {
        fill_masks(private, &mask_seeds, &mut under_way);
        under_way.iter_mut().for_each(|message| message.commit(private));
        challenge(private, under_way.iter_mut().flat_map(|message| &mut message.attempts).collect());
        under_way.retain_mut(|message| {
            let Some(signature) = message.attempts.iter_mut().find_map(|attempt| attempt.respond(private)) else {
                return true;
            };
            *tasks[message.task].signature = signature;
            let Some(next) = waiting.next() else { return false };
            message.begin(private, next, tasks[next].mu);
            true
        });
    }
    wipe_stack();
}

/// Masks for all attempts, and, where lanes would be idle, for the next ones.
fn fill_masks(private: &Private, mask_seeds: &[u8], under_way: &mut [UnderWay]) {
    let (engine, count) = (&private.engine, under_way.len());
    let missing = |message: &UnderWay| (message.attempts.len() * private.params.l).saturating_sub(message.masks.left());
    let needed: usize = under_way.iter().map(missing).sum();
    let spare = needed.next_multiple_of(side_by_side(engine)) - needed;
    for (i, message) in under_way.iter_mut().enumerate() {
        // the shares add up to all that is spare
        let more = missing(message) + (spare + i) / count;
        message.masks.prepare(&mask_seeds[message.task * WIDE..][..WIDE], more);
    }
    stream_many(engine, &mut under_way.iter_mut().flat_map(|message| message.masks.streams()).collect::<Vec<_>>());
}

/// c~ of every commitment, and the bytes that c is sampled from (lines 15 and 16).
fn challenge(private: &Private, mut attempts: Vec<&mut Attempt>) {
    let (engine, len) = (&private.engine, private.params.c_bytes());
    let hashes = attempts.iter_mut().map(|attempt| H::stream(&attempt.hashed, &mut attempt.c_tilde[..len]));
    stream_many(engine, &mut hashes.collect::<Vec<_>>());
    for attempt in &mut attempts {
        // Alg. 7 line 15
        ct::public(ct::Value::CTilde, &mut attempt.c_tilde);
    }
    let balls = attempts.iter_mut().map(|attempt| H::stream(&attempt.c_tilde[..len], &mut attempt.ball));
    stream_many(engine, &mut balls.collect::<Vec<_>>());
}

/// A message on its way to a signature.
struct UnderWay {
    /// Its place among the tasks.
    task: usize,
    masks: Masks,
    /// One, or two side by side.
    attempts: Vec<Attempt>,
}

impl UnderWay {
    fn new(private: &Private, task: usize, mu: &Mu, each: usize) -> Self {
        let attempts = (0..each).map(|_| Attempt::new(private.params)).collect();
        let mut message = Self { task, masks: Masks::new(private.params), attempts };
        message.begin(private, task, mu);
        message
    }

    /// Takes a message.
    fn begin(&mut self, private: &Private, task: usize, mu: &Mu) {
        (self.task, self.masks) = (task, Masks::new(private.params));
        self.attempts.iter_mut().for_each(|attempt| attempt.hashed[..WIDE].copy_from_slice(mu.as_bytes()));
    }

    fn commit(&mut self, private: &Private) {
        self.attempts.iter_mut().for_each(|attempt| attempt.commit(private, self.masks.take(private.params.l)));
    }
}

/// An attempt at a signature.
struct Attempt {
    y: Wiped<Poly>,
    /// Lower and upper part of w.
    w0: Wiped<Poly>,
    w1: Wiped<Poly>,
    /// y in the NTT domain, then whatever is needed for a moment.
    scratch: Wiped<Poly>,
    /// mu and the encoding of w1.
    hashed: Wiped<u8>,
    /// c~, and the bytes that c is sampled from: public, as [`Value::CTilde`](ct::Value::CTilde) says.
    c_tilde: [u8; MAX_C],
    ball: [u8; BALL],
}

impl Attempt {
    fn new(params: &Params) -> Self {
        let polys = Wiped::<Poly>::zeroed;
        Self {
            y: polys(params.l),
            w0: polys(params.k),
            w1: polys(params.k),
            scratch: polys(params.l),
            hashed: Wiped::zeroed(WIDE + params.k * params.w1_bytes()),
            c_tilde: [0; MAX_C],
            ball: [0; BALL],
        }
    }

    /// The commitment of masks (lines 11 to 13), encoded (`w1Encode`, Alg. 28), ready to be hashed.
    fn commit<'a>(&mut self, private: &Private, masks: impl Iterator<Item = &'a [u8]>) {
        let (params, ring) = (private.params, Ring::on(&private.engine));
        for ((bytes, y), y_ntt) in masks.zip(self.y.iter_mut()).zip(self.scratch.iter_mut()) {
            ring.unpack(bytes, params.z_bits(), Some(params.gamma1), y);
            y_ntt.0 = y.0;
            ring.ntt(y_ntt);
        }
        let encoded = self.hashed[WIDE..].chunks_exact_mut(params.w1_bytes());
        let parts = self.w0.iter_mut().zip(self.w1.iter_mut()).zip(encoded);
        for (a, ((w, w1), encoded)) in private.a.chunks_exact(params.l).zip(parts) {
            ring.row(a, &self.scratch, w);
            ring.inverse(w);
            ring.canonical(w);
            ring.decompose(params.gamma2, w, w1);
            ring.pack(w1, params.w1_bits(), None, encoded);
        }
    }

    /// The signature, if the attempt is not rejected (lines 16 to 33). The test of r0 comes first, since it fails most
    /// often, and each stops at the first polynomial that is out of bounds.
    fn respond(&mut self, private: &Private) -> Option<Vec<u8>> {
        let (params, ring) = (private.params, Ring::on(&private.engine));
        let mut c = Poly::default();
        in_ball(params, &private.engine, &self.c_tilde[..params.c_bytes()], &self.ball, &mut c);
        ring.ntt(&mut c);
        let product = &mut self.scratch[0];

        for (s2, w0) in private.s2.iter().zip(self.w0.iter_mut()) {
            ring.product(&c, s2, product);
            ring.inverse(product);
            ring.sub(w0, product);
            ring.reduce(w0);
            if rejected(ring.exceeds(w0, params.gamma2 - params.beta)) {
                return None;
            }
        }
        for (s1, y) in private.s1.iter().zip(self.y.iter_mut()) {
            ring.product(&c, s1, product);
            ring.inverse(product);
            ring.add(y, product);
            ring.reduce(y);
            if rejected(ring.exceeds(y, params.gamma1 - params.beta)) {
                return None;
            }
        }
        let mut ones = 0;
        for ((t0, w0), w1) in private.t0.iter().zip(self.w0.iter_mut()).zip(self.w1.iter()) {
            ring.product(&c, t0, product);
            ring.inverse(product);
            ring.reduce(product);
            if rejected(ring.exceeds(product, params.gamma2)) {
                return None;
            }
            ring.add(w0, product);
            ones += ring.make_hint(params.gamma2, w0, w1);
        }
        let too_many = (params.omega as u32).wrapping_sub(ones) >> 31;
        if rejected(too_many as u8) {
            return None;
        }
        Some(self.encode(private, ring))
    }

    /// `sigEncode` (Alg. 26) of c~, z and the hint that w0 has become.
    fn encode(&mut self, private: &Private, ring: Ring) -> Vec<u8> {
        let (params, c_bytes) = (private.params, private.params.c_bytes());
        let mut signature = alloc::vec![0; private.set.signature_len()];
        let (c_tilde, rest) = signature.split_at_mut(c_bytes);
        c_tilde.copy_from_slice(&self.c_tilde[..c_bytes]);
        let (z, hint) = rest.split_at_mut(params.l * params.z_bytes());
        for (poly, out) in self.y.iter().zip(z.chunks_exact_mut(params.z_bytes())) {
            ring.pack(poly, params.z_bits(), Some(params.gamma1), out);
        }
        // Alg. 7 line 33
        ct::public(ct::Value::Z, z);
        let mut packer = Packer::new(params, hint);
        for h in self.w0.iter() {
            let mut ones = [0_u8; N];
            ones.iter_mut().zip(&h.0).for_each(|(one, h)| *one = u8::from(*h != 0));
            // Alg. 7 line 33
            ct::public(ct::Value::Hint, &mut ones);
            packer.push((0..=u8::MAX).filter(|&place| ones[usize::from(place)] == 1));
        }
        signature
    }
}

/// Whether to start again.
fn rejected(failed: u8) -> bool {
    let mut failed = [failed];
    // Alg. 7 lines 23 and 28
    ct::public(ct::Value::Rejection, &mut failed);
    failed[0] != 0
}
