//! What runs on which aarch64 core. Speeds are argued here from what was published, because no such core was at hand;
//! `src/aarch64/README.md` has the argument, and `hashloom bench` on a core says whether it holds.

use super::{Backend, Engine, KeccakKernel as K, Pair, RingKernel, Sha256Kernel as S, Sha512Kernel as L};
use crate::aarch64::{Core, Features, Neon, Sha2Ext, Sha3Ext, Sha512Ext};

/// What runs Keccak fastest on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keccak {
    /// The SHA-3 extension: every vector pipe has it, so that it is faster even with one of its two lanes idle.
    Extension,
    /// The extension for two states; one is as fast on integer registers as two are there.
    Pairs,
    /// Plain NEON, on four vector pipes, of which one or none has the extension. SHA-512 alike.
    Neon,
    /// Integer registers: two vector pipes are slower.
    Portable,
}

/// Cores by implementer and part number of MIDR_EL1, no part for all of them. The first row that fits counts.
const CORES: &[(u8, Option<u16>, Keccak)] = &[
    (b'a', None, Keccak::Extension),        // Apple
    (b'A', Some(0xd82), Keccak::Extension), // Cortex-X4
    (b'A', Some(0xd40), Keccak::Neon),      // Neoverse V1
    (b'A', Some(0xd44), Keccak::Neon),      // Cortex-X1
    (b'A', Some(0xd48), Keccak::Neon),      // Cortex-X2
    (b'A', Some(0xd4e), Keccak::Neon),      // Cortex-X3
    (b'A', Some(0xd4f), Keccak::Neon),      // Neoverse V2
];

/// The row of a core; any other is taken for one of the many with two vector pipes.
fn keccak(core: Option<Core>, sha3: bool) -> Keccak {
    let fits = |&&(implementer, part, _): &&(u8, Option<u16>, Keccak)| {
        core.is_some_and(|core| core.implementer == implementer && part.is_none_or(|part| part == core.part))
    };
    match (CORES.iter().find(fits), sha3) {
        (Some(&(_, _, Keccak::Neon)), _) => Keccak::Neon,
        (Some(&(_, _, row)), true) => row,
        (None, true) => Keccak::Pairs,
        (_, false) => Keccak::Portable,
    }
}

/// The accelerated backends that a CPU has.
#[derive(Clone, Copy)]
pub(super) struct Found {
    neon: Neon,
    sha2: Option<Sha2Ext>,
    sha512: Option<Sha512Ext>,
    sha3: Option<Sha3Ext>,
    core: Option<Core>,
}

impl Found {
    pub(super) fn detect() -> Self {
        Self::new(Features::detect(), Core::detect())
    }

    fn new(features: Features, core: Option<Core>) -> Self {
        Self {
            neon: Neon::detect(),
            sha2: Sha2Ext::detect(features),
            sha512: Sha512Ext::detect(features),
            sha3: Sha3Ext::detect(features),
            core,
        }
    }

    /// The fastest choice for each primitive. Four blocks of SHA-256 in NEON take as long as two on integer registers,
    /// products of four coefficients hardly longer than of one.
    pub(super) fn engine(self) -> Engine {
        let portable = Engine::portable();
        let best = keccak(self.core, self.sha3.is_some());
        Engine {
            keccak: match (best, self.sha3) {
                (Keccak::Extension, Some(sha3)) => Pair::only(K::Sha3Ext(sha3)),
                (Keccak::Pairs, Some(sha3)) => Pair { wide: K::Sha3Ext(sha3), tail: K::Portable, min_fill: 2 },
                (Keccak::Neon, _) => Pair { wide: K::Neon(self.neon), tail: K::Portable, min_fill: 2 },
                _ => portable.keccak,
            },
            sha256: match self.sha2 {
                Some(sha2) => Pair::only(S::Sha2Ext(sha2)),
                None => Pair { wide: S::Neon(self.neon), tail: S::Portable, min_fill: 3 },
            },
            sha512: match (self.sha512, best) {
                (Some(sha512), _) => Pair::only(L::Sha2Ext(sha512)),
                (None, Keccak::Neon) => Pair { wide: L::Neon(self.neon), tail: L::Portable, min_fill: 2 },
                (None, _) => portable.sha512,
            },
            ring: RingKernel::Neon(self.neon),
        }
    }

    /// `backend` for every primitive that it implements, the portable one for the rest.
    pub(super) fn forced(self, backend: Backend) -> Option<Engine> {
        let portable = Engine::portable();
        match backend {
            Backend::Portable => Some(portable),
            Backend::Neon => Some(Engine {
                keccak: Pair::only(K::Neon(self.neon)),
                sha256: Pair::only(S::Neon(self.neon)),
                sha512: Pair::only(L::Neon(self.neon)),
                ring: RingKernel::Neon(self.neon),
            }),
            Backend::Sha2Ext => self.sha2.map(|sha2| Engine {
                sha256: Pair::only(S::Sha2Ext(sha2)),
                sha512: self.sha512.map_or(portable.sha512, |sha512| Pair::only(L::Sha2Ext(sha512))),
                ..portable
            }),
            Backend::Sha3Ext => self.sha3.map(|sha3| Engine { keccak: Pair::only(K::Sha3Ext(sha3)), ..portable }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sha2: bool, sha3: bool, core: Option<Core>) -> Found {
        Found::new(Features { sha2, sha3 }, core)
    }

    fn line(sha2: bool, sha3: bool, implementer: u8, part: u16) -> String {
        found(sha2, sha3, Some(Core { implementer, part })).engine().to_string()
    }

    /// No emulated model lacks the SHA-2 instructions: this is the test of the choice without them.
    #[test]
    fn partial_cpus_get_the_best_they_have() {
        for (features, core, expected) in [
            // Cortex-A72 of a Raspberry Pi 4, then with the SHA-2 instructions
            (
                (false, false),
                (b'A', 0xd08),
                "keccak portable x1 | sha256 neon x4, tail portable x1 | sha512 portable x1 | ring neon x4",
            ),
            (
                (true, false),
                (b'A', 0xd08),
                "keccak portable x1 | sha256 sha2-ext x4 | sha512 portable x1 | ring neon x4",
            ),
            // Neoverse V1 without its option, then with it
            (
                (false, false),
                (b'A', 0xd40),
                "keccak neon x2, tail portable x1 | sha256 neon x4, tail portable x1 | sha512 neon x2, tail portable x1 | ring neon x4",
            ),
            (
                (true, true),
                (b'A', 0xd40),
                "keccak neon x2, tail portable x1 | sha256 sha2-ext x4 | sha512 sha2-ext x2 | ring neon x4",
            ),
            // Apple's part numbers do not matter, unless a hypervisor hides the extension
            (
                (true, true),
                (b'a', 0x022),
                "keccak sha3-ext x2 | sha256 sha2-ext x4 | sha512 sha2-ext x2 | ring neon x4",
            ),
            ((true, true), (b'a', 0), "keccak sha3-ext x2 | sha256 sha2-ext x4 | sha512 sha2-ext x2 | ring neon x4"),
            ((true, false), (b'a', 0), "keccak portable x1 | sha256 sha2-ext x4 | sha512 portable x1 | ring neon x4"),
            // Neoverse N2, and somebody else's core with the part number of a Neoverse V1
            (
                (true, true),
                (b'A', 0xd49),
                "keccak sha3-ext x2, tail portable x1 | sha256 sha2-ext x4 | sha512 sha2-ext x2 | ring neon x4",
            ),
            (
                (true, true),
                (b'Q', 0xd40),
                "keccak sha3-ext x2, tail portable x1 | sha256 sha2-ext x4 | sha512 sha2-ext x2 | ring neon x4",
            ),
        ] {
            assert_eq!(line(features.0, features.1, core.0, core.1), expected, "{features:?} {core:x?}");
        }
        let unknown = found(true, true, None).engine().to_string();
        assert_eq!(unknown, line(true, true, b'A', 0xd49));
    }

    #[test]
    fn forcing_never_substitutes() {
        let nothing = found(false, false, None);
        for &backend in Backend::ALL {
            let expected = [Backend::Portable, Backend::Neon].contains(&backend);
            assert_eq!(nothing.forced(backend).is_some(), expected, "{backend}");
        }
        let forced = |found: Found, backend| found.forced(backend).map(|engine| engine.to_string());
        assert_eq!(
            forced(found(true, false, None), Backend::Sha2Ext).as_deref(),
            Some("keccak portable x1 | sha256 sha2-ext x4 | sha512 portable x1 | ring portable x1")
        );
        assert_eq!(
            forced(found(true, true, None), Backend::Sha2Ext).as_deref(),
            Some("keccak portable x1 | sha256 sha2-ext x4 | sha512 sha2-ext x2 | ring portable x1")
        );
        assert_eq!(
            forced(found(true, true, None), Backend::Sha3Ext).as_deref(),
            Some("keccak sha3-ext x2 | sha256 portable x1 | sha512 portable x1 | ring portable x1")
        );
        assert_eq!(forced(found(true, false, None), Backend::Sha3Ext), None);
        assert_eq!(
            forced(nothing, Backend::Neon).as_deref(),
            Some("keccak neon x2 | sha256 neon x4 | sha512 neon x2 | ring neon x4")
        );
    }
}
