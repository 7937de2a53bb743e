//! What targets share.

use std::sync::OnceLock;

use hashloom::{
    Engine,
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
