//! Which backend runs what: detected once, printable, forcible. The only place that matches on a backend.

use core::{fmt, ops::Range, str::FromStr};

#[cfg(all(target_arch = "aarch64", not(hashloom_portable_only)))]
mod aarch64;

#[cfg(all(target_arch = "aarch64", not(hashloom_portable_only)))]
use self::aarch64::Found;
#[cfg(all(target_arch = "aarch64", not(hashloom_portable_only)))]
use crate::aarch64::{Neon, Sha2Ext, Sha3Ext, Sha512Ext};
#[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
use crate::x86::{Avx2, Avx2One, Avx512, Avx512Vl, ShaNi};
use crate::{
    error::Error,
    lanes::{KeccakJob, RingTable, Sha2Job, Sha256Job},
    portable::{self, Scalar},
};

/// A family of kernels that can be asked for by name.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Plain Rust, one lane, on every CPU.
    Portable,
    /// x86-64 with AVX2, BMI1 and BMI2: Keccak x4, SHA-256 x8, SHA-512 x4, arithmetic x8.
    Avx2,
    /// x86-64 with AVX-512 F, BW and VL: Keccak x8, SHA-256 x16, SHA-512 x8, half of that for what remains; arithmetic x16.
    Avx512,
    /// The same instructions on 256-bit registers alone: Keccak x4, SHA-256 x8, SHA-512 x4; arithmetic as with AVX2.
    Avx512Vl,
    /// x86-64 with SHA-NI: SHA-256 in four interleaved streams, or one.
    ShaNi,
    /// aarch64 with NEON, as nearly all are: Keccak x2, SHA-256 x4, SHA-512 x2, arithmetic x4.
    Neon,
    /// aarch64 with the SHA-2 instructions: SHA-256 in four interleaved streams, SHA-512, where the CPU has that too, in
    /// two, or one.
    Sha2Ext,
    /// aarch64 with the SHA-3 instructions: Keccak x2.
    Sha3Ext,
}

impl Backend {
    /// Every backend this version knows, on any CPU.
    pub const ALL: &[Self] = &[
        Self::Portable,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Vl,
        Self::ShaNi,
        Self::Neon,
        Self::Sha2Ext,
        Self::Sha3Ext,
    ];

    /// The name that `FromStr` reads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Vl => "avx512vl",
            Self::ShaNi => "sha-ni",
            Self::Neon => "neon",
            Self::Sha2Ext => "sha2-ext",
            Self::Sha3Ext => "sha3-ext",
        }
    }

    /// What a machine must have for it.
    pub const fn needs(self) -> &'static str {
        match self {
            Self::Portable => "nothing",
            Self::Avx2 => "x86-64 with AVX2, BMI1 and BMI2",
            Self::Avx512 | Self::Avx512Vl => "x86-64 with AVX-512 F, BW and VL, BMI1 and BMI2",
            Self::ShaNi => "x86-64 with SHA-NI, SSSE3 and SSE4.1",
            Self::Neon => "aarch64 with NEON",
            Self::Sha2Ext => "aarch64 with FEAT_SHA256; SHA-512 also needs FEAT_SHA512 and FEAT_SHA3",
            Self::Sha3Ext => "aarch64 with FEAT_SHA3 and FEAT_SHA512",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.iter().copied().find(|b| b.name() == name).ok_or(Error::UnknownName)
    }
}

/// The kernels that an engine runs for one primitive: full groups of lanes go to the wide one, what remains to the
/// tail, unless at least `min_fill` items remain, which the wide one does faster although lanes stay idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Backend and lanes for full groups.
    pub wide: (Backend, usize),
    /// Backend and lanes for the remainder and for single messages.
    pub tail: (Backend, usize),
    /// Remaining items from which on the wide kernel is the faster one.
    pub min_fill: usize,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x{}", self.wide.0, self.wide.1)?;
        if self.tail != self.wide {
            write!(f, ", tail {} x{}", self.tail.0, self.tail.1)?;
        }
        Ok(())
    }
}

/// A wide kernel, one for the remainder, and the number of items from which on the wide one pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair<K> {
    wide: K,
    tail: K,
    min_fill: usize,
}

/// A primitive's kernel on one of the backends.
pub(crate) trait Kernel: Copy + PartialEq {
    fn backend(self) -> Backend;
    fn lanes(self) -> usize;
}

impl<K: Kernel> Pair<K> {
    const fn only(kernel: K) -> Self {
        Self { wide: kernel, tail: kernel, min_fill: 1 }
    }

    /// Cuts `len` items between the two kernels, by their count alone, and hands each its share.
    fn cut(&self, len: usize, mut run: impl FnMut(K, Range<usize>)) {
        let rest = len % self.wide.lanes();
        let at = if rest >= self.min_fill { len } else { len - rest };
        if at > 0 {
            run(self.wide, 0..at);
        }
        if at < len {
            run(self.tail, at..len);
        }
    }

    /// The kernel for all of `len` items, for a job that refills lanes: items that take long keep few of them busy while
    /// others end.
    fn whole(&self, len: usize) -> K {
        if len >= self.min_fill { self.wide } else { self.tail }
    }

    pub(crate) fn choice(&self) -> Choice {
        Choice {
            wide: (self.wide.backend(), self.wide.lanes()),
            tail: (self.tail.backend(), self.tail.lanes()),
            min_fill: self.min_fill,
        }
    }
}

macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $job:path, $enter:ident: $($arch:literal $kernel:ident($token:ty) of $backend:ident x $lanes:literal),*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            Portable,
            $(#[cfg(all(target_arch = $arch, not(hashloom_portable_only)))] $kernel($token)),*
        }

        impl Kernel for $name {
            fn backend(self) -> Backend {
                match self {
                    Self::Portable => Backend::Portable,
                    $(#[cfg(all(target_arch = $arch, not(hashloom_portable_only)))] Self::$kernel(_) => Backend::$backend),*
                }
            }
            fn lanes(self) -> usize {
                match self {
                    Self::Portable => 1,
                    $(#[cfg(all(target_arch = $arch, not(hashloom_portable_only)))] Self::$kernel(_) => $lanes),*
                }
            }
        }

        impl $name {
            fn run<J: $job>(self, job: &mut J, items: Range<usize>) {
                match self {
                    Self::Portable => job.run(Scalar, items),
                    $(#[cfg(all(target_arch = $arch, not(hashloom_portable_only)))] Self::$kernel(token) => token.$enter(job, items)),*
                }
            }
        }

        impl Pair<$name> {
            /// Runs a job on the lanes of this choice.
            pub(crate) fn run<J: $job>(&self, mut job: J) {
                self.cut(job.len(), |kernel, items| kernel.run(&mut job, items));
            }
        }
    };
}

kernels!(
    /// Kernels for `Keccak-f[1600]`.
    KeccakKernel, KeccakJob, enter_keccak:
    "x86_64" Avx2(Avx2) of Avx2 x 4,
    "x86_64" Avx2One(Avx2One) of Avx2 x 1,
    "x86_64" Avx512(Avx512) of Avx512 x 8,
    "x86_64" Avx512Vl(Avx512Vl) of Avx512Vl x 4,
    "aarch64" Neon(Neon) of Neon x 2,
    "aarch64" Sha3Ext(Sha3Ext) of Sha3Ext x 2
);
kernels!(
    /// Kernels for SHA-256's compression function and chains.
    Sha256Kernel, Sha256Job, enter_sha256:
    "x86_64" Avx2(Avx2) of Avx2 x 8,
    "x86_64" Avx512(Avx512) of Avx512 x 16,
    "x86_64" Avx512Vl(Avx512Vl) of Avx512Vl x 8,
    "x86_64" ShaNi(ShaNi) of ShaNi x 4,
    "aarch64" Neon(Neon) of Neon x 4,
    "aarch64" Sha2Ext(Sha2Ext) of Sha2Ext x 4
);
kernels!(
    /// Kernels for SHA-512's compression function.
    Sha512Kernel, Sha2Job<u64>, enter_sha512:
    "x86_64" Avx2(Avx2) of Avx2 x 4,
    "x86_64" Avx512(Avx512) of Avx512 x 8,
    "x86_64" Avx512Vl(Avx512Vl) of Avx512Vl x 4,
    "aarch64" Neon(Neon) of Neon x 2,
    "aarch64" Sha2Ext(Sha512Ext) of Sha2Ext x 2
);

impl Pair<KeccakKernel> {
    /// Runs a job that refills lanes, all of it on one kernel.
    pub(crate) fn run_whole<J: KeccakJob>(&self, mut job: J) {
        let len = job.len();
        self.whole(len).run(&mut job, 0..len);
    }
}

/// The kernels for arithmetic on polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RingKernel {
    Portable,
    #[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
    Avx2(Avx2),
    #[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
    Avx512(Avx512),
    #[cfg(all(target_arch = "aarch64", not(hashloom_portable_only)))]
    Neon(Neon),
}

impl Kernel for RingKernel {
    fn backend(self) -> Backend {
        match self {
            Self::Portable => Backend::Portable,
            #[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
            Self::Avx2(_) => Backend::Avx2,
            #[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
            Self::Avx512(_) => Backend::Avx512,
            #[cfg(all(target_arch = "aarch64", not(hashloom_portable_only)))]
            Self::Neon(_) => Backend::Neon,
        }
    }
    fn lanes(self) -> usize {
        match self {
            Self::Portable => 1,
            #[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
            Self::Avx2(_) => 8,
            #[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
            Self::Avx512(_) => 16,
            #[cfg(all(target_arch = "aarch64", not(hashloom_portable_only)))]
            Self::Neon(_) => 4,
        }
    }
}

impl RingKernel {
    pub(crate) fn table(self) -> &'static RingTable {
        match self {
            Self::Portable => &portable::ring::TABLE,
            #[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
            Self::Avx2(token) => token.ring(),
            #[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
            Self::Avx512(token) => token.ring(),
            #[cfg(all(target_arch = "aarch64", not(hashloom_portable_only)))]
            Self::Neon(token) => token.ring(),
        }
    }
}

/// The accelerated backends that a CPU has.
#[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
#[derive(Clone, Copy)]
struct Found {
    avx2: Option<Avx2>,
    avx512: Option<Avx512>,
    sha_ni: Option<ShaNi>,
}

#[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
impl Found {
    fn detect() -> Self {
        Self { avx2: Avx2::detect(), avx512: Avx512::detect(), sha_ni: ShaNi::detect() }
    }

    /// The fastest choice for each primitive.
    ///
    /// A wide kernel takes the same time however many of its lanes are busy; cycles of one call, Zen 4:
    ///
    /// | | portable | AVX2 | AVX-512VL | AVX-512 | SHA-NI x1 / x4 |
    /// |---|---|---|---|---|---|
    /// | `Keccak-f[1600]` | 1107 | 4 x 327 | 4 x 191 | 8 x 182 | |
    /// | SHA-256 | 628 | 8 x 120 | 8 x 67 | 16 x 61 | 138 / 4 x 62 |
    /// | SHA-512 | 760 | 4 x 296 | 4 x 168 | 8 x 153 | |
    fn engine(self) -> Engine {
        use {KeccakKernel as K, Sha256Kernel as S, Sha512Kernel as L};
        let portable = Engine::portable();
        Engine {
            keccak: match (self.avx512, self.avx2) {
                (Some(zmm), _) => Pair { wide: K::Avx512(zmm), tail: K::Avx512Vl(zmm.into()), min_fill: 5 },
                (None, Some(avx2)) => Pair { wide: K::Avx2(avx2), tail: K::Avx2One(avx2.into()), min_fill: 2 },
                (None, None) => portable.keccak,
            },
            sha256: match (self.avx512, self.sha_ni, self.avx2) {
                (Some(zmm), Some(sha_ni), _) => Pair { wide: S::Avx512(zmm), tail: S::ShaNi(sha_ni), min_fill: 13 },
                (Some(zmm), None, _) => Pair { wide: S::Avx512(zmm), tail: S::Avx512Vl(zmm.into()), min_fill: 9 },
                (None, Some(sha_ni), _) => Pair::only(S::ShaNi(sha_ni)),
                (None, None, Some(avx2)) => Pair { wide: S::Avx2(avx2), tail: S::Portable, min_fill: 2 },
                (None, None, None) => portable.sha256,
            },
            sha512: match (self.avx512, self.avx2) {
                (Some(zmm), _) => Pair { wide: L::Avx512(zmm), tail: L::Avx512Vl(zmm.into()), min_fill: 5 },
                (None, Some(avx2)) => Pair { wide: L::Avx2(avx2), tail: L::Portable, min_fill: 2 },
                (None, None) => portable.sha512,
            },
            ring: match (self.avx512, self.avx2) {
                (Some(zmm), _) => RingKernel::Avx512(zmm),
                (None, Some(avx2)) => RingKernel::Avx2(avx2),
                (None, None) => portable.ring,
            },
        }
    }

    /// `backend` for every primitive that it implements, the portable one for the rest.
    fn forced(self, backend: Backend) -> Option<Engine> {
        let portable = Engine::portable();
        match backend {
            Backend::Portable => Some(portable),
            Backend::Avx2 => self.avx2.map(|avx2| Engine {
                keccak: Pair { wide: KeccakKernel::Avx2(avx2), tail: KeccakKernel::Avx2One(avx2.into()), min_fill: 2 },
                sha256: Pair::only(Sha256Kernel::Avx2(avx2)),
                sha512: Pair::only(Sha512Kernel::Avx2(avx2)),
                ring: RingKernel::Avx2(avx2),
            }),
            Backend::Avx512 => self.avx512.map(|zmm| Self { avx2: None, sha_ni: None, avx512: Some(zmm) }.engine()),
            Backend::Avx512Vl => self.avx512.map(Avx512Vl::from).map(|ymm| Engine {
                keccak: Pair::only(KeccakKernel::Avx512Vl(ymm)),
                sha256: Pair::only(Sha256Kernel::Avx512Vl(ymm)),
                sha512: Pair::only(Sha512Kernel::Avx512Vl(ymm)),
                ring: RingKernel::Avx2(ymm.into()),
            }),
            Backend::ShaNi => {
                self.sha_ni.map(|sha_ni| Engine { sha256: Pair::only(Sha256Kernel::ShaNi(sha_ni)), ..portable })
            }
            _ => None,
        }
    }
}

/// No accelerated backend: another CPU, or a build for measuring the portable one, which nothing else can enter.
#[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), hashloom_portable_only))]
struct Found;

#[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), hashloom_portable_only))]
impl Found {
    fn detect() -> Self {
        Self
    }

    fn engine(self) -> Engine {
        Engine::portable()
    }

    fn forced(self, backend: Backend) -> Option<Engine> {
        (backend == Backend::Portable).then(Engine::portable)
    }
}

/// The backends chosen for each primitive. Small and `Copy`; its `Display` is the line to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    pub(crate) keccak: Pair<KeccakKernel>,
    pub(crate) sha256: Pair<Sha256Kernel>,
    pub(crate) sha512: Pair<Sha512Kernel>,
    pub(crate) ring: RingKernel,
}

impl Engine {
    /// The fastest choice for this CPU.
    pub fn get() -> Self {
        Found::detect().engine()
    }

    /// The portable backend for every primitive.
    pub const fn portable() -> Self {
        Self {
            keccak: Pair::only(KeccakKernel::Portable),
            sha256: Pair::only(Sha256Kernel::Portable),
            sha512: Pair::only(Sha512Kernel::Portable),
            ring: RingKernel::Portable,
        }
    }

    /// `backend` for every primitive that it implements, also for remainders and single messages, and the portable
    /// one for the rest.
    ///
    /// # Errors
    /// [`Error::BackendUnavailable`] if the CPU lacks it: it is never replaced by another.
    pub fn with(backend: Backend) -> Result<Self, Error> {
        Found::detect().forced(backend).ok_or(Error::BackendUnavailable(backend))
    }

    /// One engine for each backend that this machine has, each forced, portable first.
    pub fn available() -> impl Iterator<Item = (Backend, Self)> {
        Backend::ALL.iter().filter_map(|&b| Self::with(b).ok().map(|e| (b, e)))
    }

    /// What runs `Keccak-f[1600]` (SHA-3, SHAKE).
    pub fn keccak(&self) -> Choice {
        self.keccak.choice()
    }

    /// What runs SHA-224 and SHA-256.
    pub fn sha256(&self) -> Choice {
        self.sha256.choice()
    }

    /// What runs SHA-384, SHA-512 and the truncated SHA-512s.
    pub fn sha512(&self) -> Choice {
        self.sha512.choice()
    }

    /// What runs the arithmetic of ML-DSA: lanes are coefficients, and 256 of them leave no remainder.
    pub fn ring(&self) -> Choice {
        Pair::only(self.ring).choice()
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::get()
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (keccak, sha256, sha512, ring) = (self.keccak(), self.sha256(), self.sha512(), self.ring());
        write!(f, "keccak {keccak} | sha256 {sha256} | sha512 {sha512} | ring {ring}")
    }
}

#[cfg(all(test, target_arch = "x86_64", not(hashloom_portable_only)))]
mod tests {
    use super::*;

    /// What a CPU with the given features would get; the tokens are never used to run anything.
    fn line(avx2: bool, avx512: bool, sha_ni: bool) -> String {
        let found = Found {
            avx2: avx2.then(Avx2::unproven),
            avx512: avx512.then(Avx512::unproven),
            sha_ni: sha_ni.then(ShaNi::unproven),
        };
        found.engine().to_string()
    }

    #[test]
    fn partial_cpus_get_the_best_they_have() {
        let portable = "keccak portable x1 | sha256 portable x1 | sha512 portable x1 | ring portable x1";
        assert_eq!(line(false, false, false), portable);
        assert_eq!(
            line(false, false, true),
            "keccak portable x1 | sha256 sha-ni x4 | sha512 portable x1 | ring portable x1"
        );
        let avx2 = "keccak avx2 x4, tail avx2 x1 | sha256 avx2 x8, tail portable x1 | sha512 avx2 x4, tail portable x1 | ring avx2 x8";
        assert_eq!(line(true, false, false), avx2);
        let both = "keccak avx2 x4, tail avx2 x1 | sha256 sha-ni x4 | sha512 avx2 x4, tail portable x1 | ring avx2 x8";
        assert_eq!(line(true, false, true), both);
        let avx512 = "keccak avx512 x8, tail avx512vl x4 | sha256 avx512 x16, tail avx512vl x8 | sha512 avx512 x8, tail avx512vl x4 | ring avx512 x16";
        assert_eq!(line(true, true, false), avx512);
        let all = "keccak avx512 x8, tail avx512vl x4 | sha256 avx512 x16, tail sha-ni x4 | sha512 avx512 x8, tail avx512vl x4 | ring avx512 x16";
        assert_eq!(line(true, true, true), all);
    }

    #[test]
    fn forcing_never_substitutes() {
        let nothing = Found { avx2: None, avx512: None, sha_ni: None };
        for &backend in Backend::ALL {
            assert_eq!(nothing.forced(backend).is_some(), backend == Backend::Portable);
        }
        let found = Found { sha_ni: Some(ShaNi::unproven()), ..nothing };
        let forced = found.forced(Backend::ShaNi).map(|engine| engine.to_string());
        assert_eq!(
            forced.as_deref(),
            Some("keccak portable x1 | sha256 sha-ni x4 | sha512 portable x1 | ring portable x1")
        );
    }

    #[test]
    fn a_cut_depends_on_the_count_alone() {
        let pair = Pair { wide: KeccakKernel::Avx2(Avx2::unproven()), tail: KeccakKernel::Portable, min_fill: 3 };
        let cuts = |len| {
            let mut cuts = Vec::new();
            pair.cut(len, |kernel, items| cuts.push((kernel.lanes(), items)));
            cuts
        };
        assert_eq!(cuts(0), []);
        assert_eq!(cuts(2), [(1, 0..2)]);
        assert_eq!(cuts(3), [(4, 0..3)]);
        assert_eq!(cuts(4), [(4, 0..4)]);
        assert_eq!(cuts(6), [(4, 0..4), (1, 4..6)]);
        assert_eq!(cuts(7), [(4, 0..7)]);
    }
}
