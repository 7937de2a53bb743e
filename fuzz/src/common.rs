//! What targets share.

use std::sync::OnceLock;

use hashloom::{
    Engine,
    hash::Hash,
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
    slh_dsa::{Mode, ParameterSet, PreHash},
};
use seeds::Reader;

/// Calls `$run::<H>($arg...)` for the hash function that the number chooses of the twelve.
macro_rules! with_hash {
    ($number:expr, $run:ident($($arg:expr),*)) => {{
        use hashloom::{keccak, sha2};
        match $number {
            0 => $run::<sha2::Sha224>($($arg),*),
            1 => $run::<sha2::Sha256>($($arg),*),
            2 => $run::<sha2::Sha384>($($arg),*),
            3 => $run::<sha2::Sha512>($($arg),*),
            4 => $run::<sha2::Sha512_224>($($arg),*),
            5 => $run::<sha2::Sha512_256>($($arg),*),
            6 => $run::<keccak::Sha3_224>($($arg),*),
            7 => $run::<keccak::Sha3_256>($($arg),*),
            8 => $run::<keccak::Sha3_384>($($arg),*),
            9 => $run::<keccak::Sha3_512>($($arg),*),
            10 => $run::<keccak::Shake128>($($arg),*),
            _ => $run::<keccak::Shake256>($($arg),*),
        }
    }};
}
pub(crate) use with_hash;

/// Every backend of this machine by itself, and the automatic choice.
pub(crate) fn engines() -> &'static [Engine] {
    static ENGINES: OnceLock<Vec<Engine>> = OnceLock::new();
    ENGINES.get_or_init(|| Engine::available().map(|(_, engine)| engine).chain([Engine::get()]).collect())
}

/// What everything is compared with.
pub(crate) fn portable() -> Engine {
    Engine::portable()
}

pub(crate) fn set(input: &mut Reader<'_>) -> ParameterSet {
    input.pick(&ParameterSet::ALL)
}

/// One of the four interfaces, with one of the twelve functions.
pub(crate) fn mode(kind: u8, function: PreHash, context: &[u8]) -> Mode<'_> {
    match kind % 4 {
        0 => Mode::Internal,
        1 => Mode::Pure { context },
        2 => Mode::PreHash { context, function },
        _ => Mode::Digest { context, function },
    }
}

/// `len` bytes of `data` over and over; zeros if there is none.
pub(crate) fn stretched(data: &[u8], len: usize) -> Vec<u8> {
    if data.is_empty() { vec![0; len] } else { data.iter().copied().cycle().take(len).collect() }
}

/// M' (FIPS 204 Alg. 2 to 5, FIPS 205 Alg. 22 to 25), or `None` where there is none.
pub(crate) fn framed(mode: &Mode<'_>, message: &[u8]) -> Option<Vec<u8>> {
    let head = |domain, context: &[u8]| Some([&[domain, u8::try_from(context.len()).ok()?], context].concat());
    let hashed = |context, function, digest: &[u8]| Some([&head(1, context)?, &oid(function)[..], digest].concat());
    match *mode {
        Mode::Internal => Some(message.to_vec()),
        Mode::Pure { context } => Some([&head(0, context)?, message].concat()),
        Mode::PreHash { context, function } => hashed(context, function, &digest(function, message)),
        Mode::Digest { function, .. } if message.len() != digest(function, &[]).len() => None,
        Mode::Digest { context, function } => hashed(context, function, message),
    }
}

/// A function's object identifier in DER.
pub(crate) fn oid(function: PreHash) -> [u8; 11] {
    let last = match function {
        PreHash::Sha2_256 => 1,
        PreHash::Sha2_384 => 2,
        PreHash::Sha2_512 => 3,
        PreHash::Sha2_224 => 4,
        PreHash::Sha2_512_224 => 5,
        PreHash::Sha2_512_256 => 6,
        PreHash::Sha3_224 => 7,
        PreHash::Sha3_256 => 8,
        PreHash::Sha3_384 => 9,
        PreHash::Sha3_512 => 10,
        PreHash::Shake128 => 11,
        PreHash::Shake256 => 12,
    };
    [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last]
}

pub(crate) fn digest(function: PreHash, message: &[u8]) -> Vec<u8> {
    fn of<H: Hash>(len: usize, message: &[u8]) -> Vec<u8> {
        let mut out = vec![0; len];
        H::on(&portable()).hash(&[message], &mut out).expect("the output is no longer than the digest");
        out
    }
    match function {
        PreHash::Sha2_256 => of::<Sha256>(32, message),
        PreHash::Sha2_384 => of::<Sha384>(48, message),
        PreHash::Sha2_512 => of::<Sha512>(64, message),
        PreHash::Sha2_224 => of::<Sha224>(28, message),
        PreHash::Sha2_512_224 => of::<Sha512_224>(28, message),
        PreHash::Sha2_512_256 => of::<Sha512_256>(32, message),
        PreHash::Sha3_224 => of::<Sha3_224>(28, message),
        PreHash::Sha3_256 => of::<Sha3_256>(32, message),
        PreHash::Sha3_384 => of::<Sha3_384>(48, message),
        PreHash::Sha3_512 => of::<Sha3_512>(64, message),
        PreHash::Shake128 => of::<Shake128>(32, message),
        PreHash::Shake256 => of::<Shake256>(64, message),
    }
}
