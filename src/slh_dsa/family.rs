//! The hash families of FIPS 205 section 11: which function is F and PRF, which is H and T_l, and how messages are
//! hashed. [`Suite`] binds a family to an engine and to public seeds.

use alloc::vec::Vec;

use super::params::Params;
use crate::{
    adrs::Adrs,
    engine::Engine,
    error::Error,
    hash::{Chain, Chains, FixedHash, Hash, Incremental, Start, Tweak},
    hmac::Hmac,
    keccak::Shake256,
    message::Message,
    mgf1::mgf1,
    sha2::{Sha256, Sha512},
};

/// A way to instantiate SLH-DSA's six functions (section 4.1).
pub(crate) trait Family: Copy + Send + Sync {
    /// F and PRF.
    type F: Chains;
    /// H and T_l.
    type H: Tweak;

    /// PRF_msg: the randomizer R.
    fn prf_msg(
        engine: &Engine,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &mut dyn Message,
        out: &mut [u8],
    ) -> Result<(), Error>;

    /// H_msg: the message digest, from R || PK.seed, PK.root and the message.
    fn h_msg(
        engine: &Engine,
        r_seed: &[&[u8]; 2],
        pk_root: &[u8],
        message: &mut dyn Message,
        out: &mut [u8],
    ) -> Result<(), Error>;
}

/// SHAKE256 for everything (section 11.1).
#[derive(Clone, Copy)]
pub(crate) struct Shake;

impl Family for Shake {
    type F = Shake256;
    type H = Shake256;

    fn prf_msg(
        engine: &Engine,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &mut dyn Message,
        out: &mut [u8],
    ) -> Result<(), Error> {
        digest::<Shake256>(engine, &[sk_prf, opt_rand], message, out)
    }

    fn h_msg(
        engine: &Engine,
        r_seed: &[&[u8]; 2],
        pk_root: &[u8],
        message: &mut dyn Message,
        out: &mut [u8],
    ) -> Result<(), Error> {
        digest::<Shake256>(engine, &[r_seed[0], r_seed[1], pk_root], message, out)
    }
}

/// SHA-256 for everything: security category 1 (section 11.2.1).
#[derive(Clone, Copy)]
pub(crate) struct Sha2Cat1;

impl Family for Sha2Cat1 {
    type F = Sha256;
    type H = Sha256;

    fn prf_msg(
        engine: &Engine,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &mut dyn Message,
        out: &mut [u8],
    ) -> Result<(), Error> {
        hmac::<Sha256>(engine, sk_prf, opt_rand, message, out)
    }

    fn h_msg(
        engine: &Engine,
        r_seed: &[&[u8]; 2],
        pk_root: &[u8],
        message: &mut dyn Message,
        out: &mut [u8],
    ) -> Result<(), Error> {
        mgf1_digest::<Sha256>(engine, r_seed, pk_root, message, out)
    }
}

/// SHA-256 for F and PRF, SHA-512 for the rest: security categories 3 and 5 (section 11.2.2).
#[derive(Clone, Copy)]
pub(crate) struct Sha2Cat35;

impl Family for Sha2Cat35 {
    type F = Sha256;
    type H = Sha512;

    fn prf_msg(
        engine: &Engine,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &mut dyn Message,
        out: &mut [u8],
    ) -> Result<(), Error> {
        hmac::<Sha512>(engine, sk_prf, opt_rand, message, out)
    }

    fn h_msg(
        engine: &Engine,
        r_seed: &[&[u8]; 2],
        pk_root: &[u8],
        message: &mut dyn Message,
        out: &mut [u8],
    ) -> Result<(), Error> {
        mgf1_digest::<Sha512>(engine, r_seed, pk_root, message, out)
    }
}

/// The hash of `head || message`.
pub(crate) fn digest<H: Hash>(
    engine: &Engine,
    head: &[&[u8]],
    message: &mut dyn Message,
    out: &mut [u8],
) -> Result<(), Error> {
    let mut hasher = H::on(engine).hasher();
    head.iter().for_each(|part| hasher.update(part));
    message.feed(&mut |data| hasher.update(data))?;
    hasher.finish(out);
    Ok(())
}

/// A collision-resistant digest of data that the scheme keeps in memory: SHA-256.
pub(crate) fn checksum(engine: &Engine, parts: &[&[u8]]) -> [u8; 32] {
    let mut out = [0; 32];
    let mut hasher = Sha256::on(engine).hasher();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finish(&mut out);
    out
}

fn hmac<H: FixedHash>(
    engine: &Engine,
    key: &[u8],
    opt_rand: &[u8],
    message: &mut dyn Message,
    out: &mut [u8],
) -> Result<(), Error> {
    let mut hmac = Hmac::new(H::on(engine), key);
    hmac.update(opt_rand);
    message.feed(&mut |data| hmac.update(data))?;
    hmac.finish(out)
}

fn mgf1_digest<H: FixedHash>(
    engine: &Engine,
    r_seed: &[&[u8]; 2],
    pk_root: &[u8],
    message: &mut dyn Message,
    out: &mut [u8],
) -> Result<(), Error> {
    let mut inner = [0; 64];
    let inner = &mut inner[..H::LEN];
    digest::<H>(engine, &[r_seed[0], r_seed[1], pk_root], message, inner)?;
    mgf1(H::on(engine), &[r_seed[0], r_seed[1], inner], out);
    Ok(())
}

/// A parameter set's hashes on an engine, with the public seeds absorbed: one, or one for each of the signatures that
/// are processed side by side. Items of a call share the seeds evenly, in order.
pub(crate) struct Suite<X: Family> {
    pub(crate) params: &'static Params,
    pub(crate) engine: Engine,
    f: X::F,
    h: X::H,
    f_prefix: Vec<<X::F as Tweak>::Prefix>,
    h_prefix: Vec<<X::H as Tweak>::Prefix>,
}

impl<X: Family> Suite<X> {
    pub(crate) fn new<'a>(
        params: &'static Params,
        engine: &Engine,
        pk_seeds: impl IntoIterator<Item = &'a [u8]>,
    ) -> Self {
        let (f, h) = (X::F::on(engine), X::H::on(engine));
        let (f_prefix, h_prefix) = pk_seeds.into_iter().map(|seed| (f.prefix(seed), h.prefix(seed))).unzip();
        Self { params, engine: *engine, f, h, f_prefix, h_prefix }
    }

    /// PRF and F, along chains (Alg. 5).
    pub(crate) fn chains<const N: usize>(&self, chains: &[Chain], start: Start<'_, N>, nodes: &mut [[u8; N]]) {
        self.f.chain_many(&self.f_prefix, chains, start, nodes);
    }

    /// H and T_l: the hash of each address and its equal share of `nodes`.
    pub(crate) fn compress<const N: usize>(&self, adrs: &[Adrs], nodes: &[[u8; N]], out: &mut [[u8; N]]) {
        self.h.tweak_many(&self.h_prefix, adrs, nodes, out);
    }
}
