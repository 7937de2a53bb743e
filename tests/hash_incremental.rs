//! Messages in pieces: every chunking around the block, the digest crate's traits, lengths whose bit count needs more
//! than 32 bits.

mod common;

use common::{loud, on_every_engine, oracle, oracle::Oracle, painted};
use digest::{Digest, ExtendableOutput, Reset, Update, XofReader};
use hashloom::{
    Engine,
    hash::{Hash, Incremental},
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};

type Hasher<H> = <H as Hash>::Hasher;

fn output_len<H: Hash>() -> usize {
    H::DIGEST_LEN.unwrap_or(40)
}

/// A hasher's state is how much of a block it holds, and a chunk's effect depends on its length: all pairs of both.
fn chunk_pairs<H: Hash>(oracle: Oracle, engine: &Engine) {
    let (block, out_len) = (H::BLOCK_LEN, output_len::<H>());
    let paint = painted(3 * block + 3);
    let want: Vec<Vec<u8>> = (0..=paint.len()).map(|len| oracle(&paint[..len], out_len)).collect();
    let mut out = vec![0; out_len];
    for first in 0..=block {
        let mut begun = H::on(engine).hasher();
        Incremental::update(&mut begun, &paint[..first]);
        for second in 0..=2 * block + 2 {
            let mut hasher = begun.clone();
            Incremental::update(&mut hasher, &paint[first..first + second]);
            hasher.finish(&mut out);
            assert_eq!(out, want[first + second], "{}: {first} bytes, then {second}", H::NAME);
        }
    }
}

#[test]
fn every_pair_of_chunks_around_the_block() {
    on_every_engine(|engine| for_each_hash!(chunk_pairs(engine)));
}

fn equal_chunks<H: Hash>(oracle: Oracle, engine: &Engine) {
    let out_len = output_len::<H>();
    let paint = painted(5 * H::BLOCK_LEN + 3);
    let want = oracle(&paint, out_len);
    for size in 1..=2 * H::BLOCK_LEN + 2 {
        let mut hasher = H::on(engine).hasher();
        for chunk in paint.chunks(size) {
            Incremental::update(&mut hasher, chunk);
        }
        let mut out = vec![0; out_len];
        hasher.finish(&mut out);
        assert_eq!(out, want, "{} in chunks of {size}", H::NAME);
    }
}

#[test]
fn chunks_of_every_size() {
    on_every_engine(|engine| for_each_hash!(equal_chunks(engine)));
}

fn truncated<H: Hash>(oracle: Oracle, engine: &Engine) {
    let paint = painted(200);
    for len in 0..=H::DIGEST_LEN.unwrap_or(2 * H::BLOCK_LEN + 1) {
        let mut hasher = H::on(engine).hasher();
        Incremental::update(&mut hasher, &paint);
        let mut out = vec![0; len];
        hasher.finish(&mut out);
        assert_eq!(out, oracle(&paint, len), "{}, {len} bytes of output", H::NAME);
    }
}

#[test]
fn outputs_of_every_length() {
    on_every_engine(|engine| for_each_hash!(truncated(engine)));
}

fn branches<H: Hash>(oracle: Oracle, engine: &Engine) {
    let out_len = output_len::<H>();
    let paint = painted(2 * H::BLOCK_LEN);
    let (head, tail) = paint.split_at(H::BLOCK_LEN + 9);
    let mut one = H::on(engine).hasher();
    Incremental::update(&mut one, head);
    let mut other = one.clone();
    Incremental::update(&mut one, tail);
    Incremental::update(&mut other, b"something else");
    let mut outs = [vec![0; out_len], vec![0; out_len]];
    one.finish(&mut outs[0]);
    other.finish(&mut outs[1]);
    assert_eq!(outs[0], oracle(&paint, out_len), "{}", H::NAME);
    assert_eq!(outs[1], oracle(&[head, b"something else"].concat(), out_len), "{}", H::NAME);
}

#[test]
fn clones_part_in_mid_message() {
    on_every_engine(|engine| for_each_hash!(branches(engine)));
}

/// Through nothing but the digest crate's traits.
fn digest_traits<D: Digest + Reset + Clone>(oracle: Oracle, name: &str) {
    let paint = painted(777);
    let len = <D as Digest>::output_size();
    let want = oracle(&paint, len);
    assert_eq!(D::digest(&paint)[..], want, "{name}");
    let mut hasher = D::new();
    for chunk in paint.chunks(10) {
        Digest::update(&mut hasher, chunk);
    }
    let clone = hasher.clone();
    assert_eq!(clone.finalize()[..], want, "{name} in chunks, cloned");
    Digest::update(&mut hasher, b"other");
    Digest::reset(&mut hasher);
    assert_eq!(hasher.clone().finalize()[..], oracle(b"", len), "{name} after a reset");
    assert_eq!(hasher.chain_update(&paint).finalize()[..], want, "{name} after a reset");
}

#[test]
fn digest_traits_of_fixed_length_functions() {
    digest_traits::<Hasher<Sha224>>(oracle::fixed::<sha2::Sha224>, "SHA-224");
    digest_traits::<Hasher<Sha256>>(oracle::fixed::<sha2::Sha256>, "SHA-256");
    digest_traits::<Hasher<Sha384>>(oracle::fixed::<sha2::Sha384>, "SHA-384");
    digest_traits::<Hasher<Sha512>>(oracle::fixed::<sha2::Sha512>, "SHA-512");
    digest_traits::<Hasher<Sha512_224>>(oracle::fixed::<sha2::Sha512_224>, "SHA-512/224");
    digest_traits::<Hasher<Sha512_256>>(oracle::fixed::<sha2::Sha512_256>, "SHA-512/256");
    digest_traits::<Hasher<Sha3_224>>(oracle::fixed::<sha3::Sha3_224>, "SHA3-224");
    digest_traits::<Hasher<Sha3_256>>(oracle::fixed::<sha3::Sha3_256>, "SHA3-256");
    digest_traits::<Hasher<Sha3_384>>(oracle::fixed::<sha3::Sha3_384>, "SHA3-384");
    digest_traits::<Hasher<Sha3_512>>(oracle::fixed::<sha3::Sha3_512>, "SHA3-512");
}

fn xof_traits<X>(oracle: Oracle, rate: usize)
where
    X: ExtendableOutput<Reader: Clone> + Update + Reset + Default + Clone,
{
    let paint = painted(777);
    let want = oracle(&paint, 4 * rate);
    let hasher = X::default().chain(&paint);
    for size in [1, 2, 7, 8, 31, rate - 1, rate, rate + 1, 2 * rate, 3 * rate + 1] {
        let mut reader = hasher.clone().finalize_xof();
        let mut out = vec![0; want.len()];
        for piece in out.chunks_mut(size) {
            reader.read(&mut []);
            reader.read(piece);
        }
        assert_eq!(out, want, "read in pieces of {size}");
    }
    // all pairs of first and second reads around the rate
    for first in 0..=rate + 1 {
        let mut begun = hasher.clone().finalize_xof();
        begun.read(&mut vec![0; first]);
        for second in [1, 8, rate - 1, rate, rate + 1, 2 * rate + 1] {
            let mut out = vec![0; second];
            begun.clone().read(&mut out);
            assert_eq!(out, want[first..first + second], "{second} bytes after {first}");
        }
    }
    let mut reused = X::default().chain(b"something else");
    reused.reset();
    reused.update(&paint);
    assert_eq!(reused.finalize_boxed(4 * rate)[..], want, "after a reset");
}

#[test]
fn digest_traits_of_extendable_output_functions() {
    xof_traits::<Hasher<Shake128>>(oracle::xof::<shake::Shake128>, 168);
    xof_traits::<Hasher<Shake256>>(oracle::xof::<shake::Shake256>, 136);
}

fn reset_on_engine<H: Hash<Hasher: Reset>>(oracle: Oracle, engine: &Engine) {
    let out_len = output_len::<H>();
    for used in [0, 1, H::BLOCK_LEN, H::BLOCK_LEN + 1] {
        let mut hasher = H::on(engine).hasher();
        Incremental::update(&mut hasher, &painted(used));
        hasher.reset();
        Incremental::update(&mut hasher, b"abc");
        let mut out = vec![0; out_len];
        hasher.finish(&mut out);
        assert_eq!(out, oracle(b"abc", out_len), "{} reset after {used} bytes", H::NAME);
    }
}

#[test]
fn reset_forgets_the_message() {
    on_every_engine(|engine| for_each_hash!(reset_on_engine(engine)));
}

#[test]
fn hashers_say_that_they_wipe_and_do_not_print_their_state() {
    fn check<T: zeroize::ZeroizeOnDrop + std::fmt::Debug>(value: &T, name: &str) {
        let text = format!("{value:?}");
        assert!(text.starts_with(name) && text.len() < 32, "{text}");
    }
    let engine = Engine::get();
    check(&Sha256::on(&engine).hasher(), "SHA2-256");
    check(&Sha3_256::on(&engine).hasher(), "SHA3-256");
    check(&Shake128::on(&engine).hasher().finalize_xof(), "SHAKE128");
}

/// `len` zero bytes in pieces of an odd size.
fn zeros(len: usize, mut update: impl FnMut(&[u8])) {
    let piece = vec![0; (1 << 20) - 1];
    for _ in 0..len / piece.len() {
        update(&piece);
    }
    update(&piece[..len % piece.len()]);
}

fn long_message<H: Hash, D: Digest>(len: usize) {
    let mut oracle = D::new();
    zeros(len, |piece| oracle.update(piece));
    let want = oracle.finalize();
    let mut hasher = H::on(&Engine::get()).hasher();
    zeros(len, |piece| Incremental::update(&mut hasher, piece));
    let mut out = vec![0; want.len()];
    hasher.finish(&mut out);
    assert_eq!(out[..], want[..], "{} of {len} bytes in pieces", H::NAME);
    // whole; the second message sits on another lane, whose length must not mix with the first's. The pages of this
    // buffer are never written, so they take no memory of their own.
    let whole = vec![0; len];
    let mut outs = vec![0; 2 * want.len()];
    H::on(&Engine::get()).hash_many(&[&whole, &whole[..3]], &mut outs).unwrap();
    assert_eq!(outs[..want.len()], want[..], "{} of {len} bytes whole", H::NAME);
    assert_eq!(outs[want.len()..], D::digest([0; 3])[..], "{} beside {len} bytes", H::NAME);
}

#[test]
fn bit_counts_beyond_32_bits() {
    long_message::<Sha256, sha2::Sha256>((1 << 29) + 1);
}

#[test]
#[ignore = "about two minutes on one core, and 4 GiB of address space"]
fn byte_counts_beyond_32_bits() {
    let len = usize::try_from((1_u64 << 32) + 1).expect("a 64-bit machine");
    loud("hashing 4 GiB and a byte by SHA2-256, SHA2-512 and SHA3-256");
    long_message::<Sha256, sha2::Sha256>(len);
    long_message::<Sha512, sha2::Sha512>(len);
    long_message::<Sha3_256, sha3::Sha3_256>(len);
}
