//! Signing: `ML-DSA.Sign_internal` (FIPS 204 Alg. 7) of many messages side by side. Every message has an attempt under
//! way; one that is rejected starts again together with the next messages. Where a lane would stay idle while c~ is
//! hashed, which no lane can help with, a message has two: the next one is made before it is known to be needed.

use alloc::vec::Vec;

use super::{
    functions::{H, abreast, side_by_side, stream_many},
    hint::Packer,
    mu::Mu,
    params::{MAX_C, N, SEED, WIDE},
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
    let (mut inputs, mut rhos) = (Wiped::zeroed(tasks.len() * RHO_INPUT), Wiped::zeroed(tasks.len() * WIDE));
    for (input, task) in inputs.chunks_exact_mut(RHO_INPUT).zip(&*tasks) {
        input[..SEED].copy_from_slice(&private.k_seed);
        input[SEED..2 * SEED].copy_from_slice(task.rnd);
        input[2 * SEED..].copy_from_slice(task.mu.as_bytes());
    }
    let streams = inputs.chunks_exact(RHO_INPUT).zip(rhos.chunks_exact_mut(WIDE));
    stream_many(engine, &mut streams.map(|(input, out)| H::stream(input, out)).collect::<Vec<_>>());

    let each = if 2 * tasks.len() <= abreast(engine) { 2 } else { 1 };
    let mut waiting = 0..tasks.len();
    let mut attempts = Vec::new();
    for task in waiting.by_ref().take(side_by_side(engine)) {
        attempts.extend((0..each).map(|place| Attempt::new(private, (task, tasks[task].mu), place, each)));
    }
    while !attempts.is_empty() {
        fill_masks(private, &rhos, &mut attempts, each);
        attempts.iter_mut().for_each(|attempt| attempt.commit(private));
        challenge(private, &mut attempts);
        for of_one in attempts.chunks_mut(each) {
            let Some(signature) = of_one.iter_mut().find_map(|attempt| attempt.respond(private)) else { continue };
            *tasks[of_one[0].task].signature = signature;
            let next = waiting.next().map(|task| (task, tasks[task].mu));
            of_one.iter_mut().enumerate().for_each(|(place, attempt)| attempt.restart(private, next, place));
        }
        attempts.retain(|attempt| !attempt.over);
    }
    wipe_stack();
}

/// Masks for all attempts that have none left, some of them for the attempts after: as many, up to three of a message, as
/// keep the fewest lanes idle. More would mostly be made in vain.
fn fill_masks(private: &Private, rhos: &[u8], attempts: &mut [Attempt], each: usize) {
    let (engine, params) = (&private.engine, private.params);
    let mut empty: Vec<&mut Attempt> = attempts.iter_mut().filter(|attempt| attempt.ahead == attempt.used).collect();
    let (polys, together) = (empty.len() * params.l, side_by_side(engine));
    let cost = |ahead: usize| (ahead * polys).next_multiple_of(together);
    let ahead = (1..=4 - each).min_by(|&a, &b| (cost(a) * b).cmp(&(cost(b) * a))).unwrap_or(1);
    for attempt in &mut empty {
        let rho = &rhos[attempt.task * WIDE..][..WIDE];
        attempt.masks = Masks::new(params, rho, attempt.kappa, attempt.apart, ahead);
        (attempt.ahead, attempt.used) = (ahead, 0);
    }
    stream_many(engine, &mut empty.iter_mut().flat_map(|attempt| attempt.masks.streams()).collect::<Vec<_>>());
}

/// c~ of every commitment, and the bytes that c is sampled from (lines 15 and 16).
fn challenge(private: &Private, attempts: &mut [Attempt]) {
    let (engine, len) = (&private.engine, private.params.c_bytes());
    let hashes = attempts.iter_mut().map(|attempt| H::stream(&attempt.hashed, &mut attempt.c_tilde[..len]));
    stream_many(engine, &mut hashes.collect::<Vec<_>>());
    for attempt in &mut *attempts {
        // Alg. 7 line 15
        ct::public(ct::Value::CTilde, &mut attempt.c_tilde);
    }
    let balls = attempts.iter_mut().map(|attempt| H::stream(&attempt.c_tilde[..len], &mut attempt.ball));
    stream_many(engine, &mut balls.collect::<Vec<_>>());
}

/// A message on its way to a signature.
struct Attempt {
    /// Its place among the tasks.
    task: usize,
    /// Whether there is no message any more.
    over: bool,
    /// The counter of the masks, and by how much it grows with each attempt.
    kappa: usize,
    apart: usize,
    masks: Masks,
    /// Attempts that the masks are for, and how many of them have been made.
    ahead: usize,
    used: usize,
    y: Wiped<Poly>,
    /// Lower and upper part of w.
    w0: Wiped<Poly>,
    w1: Wiped<Poly>,
    /// y in the NTT domain, then whatever is needed for a moment.
    scratch: Wiped<Poly>,
    /// mu and the encoding of w1.
    hashed: Wiped<u8>,
    c_tilde: [u8; MAX_C],
    ball: [u8; BALL],
}

impl Attempt {
    /// The attempt at `place` of the first `each` at a message.
    fn new(private: &Private, message: (usize, &Mu), place: usize, each: usize) -> Self {
        let params = private.params;
        let polys = Wiped::<Poly>::zeroed;
        let mut attempt = Self {
            task: 0,
            over: false,
            kappa: 0,
            apart: each * params.l,
            masks: Masks::none(),
            ahead: 0,
            used: 0,
            y: polys(params.l),
            w0: polys(params.k),
            w1: polys(params.k),
            scratch: polys(params.l),
            hashed: Wiped::zeroed(WIDE + params.k * params.w1_bytes()),
            c_tilde: [0; MAX_C],
            ball: [0; BALL],
        };
        attempt.restart(private, Some(message), place);
        attempt
    }

    /// Takes the next message, if there is one.
    fn restart(&mut self, private: &Private, message: Option<(usize, &Mu)>, place: usize) {
        let Some((task, mu)) = message else {
            self.over = true;
            return;
        };
        (self.task, self.kappa, self.ahead, self.used) = (task, place * private.params.l, 0, 0);
        self.hashed[..WIDE].copy_from_slice(mu.as_bytes());
    }

    /// The commitment of the next mask (lines 11 to 13), encoded (`w1Encode`, Alg. 28), ready to be hashed.
    fn commit(&mut self, private: &Private) {
        let (params, ring) = (private.params, Ring::on(&private.engine));
        let masks = self.masks.of(params, self.used);
        for ((bytes, y), y_ntt) in masks.zip(self.y.iter_mut()).zip(self.scratch.iter_mut()) {
            ring.unpack(bytes, params.z_bits(), Some(params.gamma1), y);
            y_ntt.0 = y.0;
            ring.ntt(y_ntt);
        }
        self.used += 1;
        self.kappa += self.apart;
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

    /// The signature, if the attempt is not rejected (lines 17 to 33). The test of r0 comes first, since it fails most
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
