//! Which backend runs what: detected once, printable, forcible. The only place that matches on a backend.

use core::{fmt, ops::Range, str::FromStr};

#[cfg(target_arch = "x86_64")]
use crate::x86::Avx2;
use crate::{
    error::Error,
    lanes::{KeccakJob, Sha2Job, Sha256Job},
    portable::Scalar,
};

/// A family of kernels that can be asked for by name.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Plain Rust, one lane, on every CPU.
    Portable,
    /// x86-64 with AVX2, BMI1 and BMI2: Keccak x4, SHA-256 x8, SHA-512 x4.
    Avx2,
}

impl Backend {
    /// Every backend this version knows, on any CPU.
    pub const ALL: &[Self] = &[Self::Portable, Self::Avx2];

    /// The name that `FromStr` reads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
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

    pub(crate) fn choice(&self) -> Choice {
        Choice {
            wide: (self.wide.backend(), self.wide.lanes()),
            tail: (self.tail.backend(), self.tail.lanes()),
            min_fill: self.min_fill,
        }
    }
}

macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $job:path, $enter:ident: $($(#[$cfg:meta])* $backend:ident($token:ty) x $lanes:literal),*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            Portable,
            $($(#[$cfg])* $backend($token)),*
        }

        impl Kernel for $name {
            fn backend(self) -> Backend {
                match self {
                    Self::Portable => Backend::Portable,
                    $($(#[$cfg])* Self::$backend(_) => Backend::$backend),*
                }
            }
            fn lanes(self) -> usize {
                match self {
                    Self::Portable => 1,
                    $($(#[$cfg])* Self::$backend(_) => $lanes),*
                }
            }
        }

        impl Pair<$name> {
            /// Runs a job on the lanes of this choice.
            pub(crate) fn run<J: $job>(&self, mut job: J) {
                self.cut(job.len(), |kernel, items| match kernel {
                    $name::Portable => job.run(Scalar, items),
                    $($(#[$cfg])* $name::$backend(token) => token.$enter(&mut job, items)),*
                });
            }
        }
    };
}

kernels!(
    /// Kernels for Keccak-f[1600].
    KeccakKernel, KeccakJob, enter_keccak:
    #[cfg(target_arch = "x86_64")] Avx2(Avx2) x 4
);
kernels!(
    /// Kernels for SHA-256's compression function and chains.
    Sha256Kernel, Sha256Job, enter_sha256:
    #[cfg(target_arch = "x86_64")] Avx2(Avx2) x 8
);
kernels!(
    /// Kernels for SHA-512's compression function.
    Sha512Kernel, Sha2Job<u64>, enter_sha512:
    #[cfg(target_arch = "x86_64")] Avx2(Avx2) x 4
);

/// The backends chosen for each primitive. Small and `Copy`; its `Display` is the line to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    pub(crate) keccak: Pair<KeccakKernel>,
    pub(crate) sha256: Pair<Sha256Kernel>,
    pub(crate) sha512: Pair<Sha512Kernel>,
}

impl Engine {
    /// The fastest choice for this CPU.
    pub fn get() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            return Self {
                keccak: Pair { wide: KeccakKernel::Avx2(avx2), tail: KeccakKernel::Portable, min_fill: 2 },
                sha256: Pair { wide: Sha256Kernel::Avx2(avx2), tail: Sha256Kernel::Portable, min_fill: 2 },
                sha512: Pair { wide: Sha512Kernel::Avx2(avx2), tail: Sha512Kernel::Portable, min_fill: 2 },
            };
        }
        Self::portable()
    }

    /// The portable backend for every primitive.
    pub const fn portable() -> Self {
        Self {
            keccak: Pair::only(KeccakKernel::Portable),
            sha256: Pair::only(Sha256Kernel::Portable),
            sha512: Pair::only(Sha512Kernel::Portable),
        }
    }

    /// `backend` for every primitive that it implements, also for remainders and single messages, and the portable
    /// one for the rest.
    ///
    /// # Errors
    /// [`Error::BackendUnavailable`] if the CPU lacks it: it is never replaced by another.
    pub fn with(backend: Backend) -> Result<Self, Error> {
        match backend {
            Backend::Portable => Ok(Self::portable()),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => Avx2::detect()
                .map(|avx2| Self {
                    keccak: Pair::only(KeccakKernel::Avx2(avx2)),
                    sha256: Pair::only(Sha256Kernel::Avx2(avx2)),
                    sha512: Pair::only(Sha512Kernel::Avx2(avx2)),
                })
                .ok_or(Error::BackendUnavailable(backend)),
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx2 => Err(Error::BackendUnavailable(backend)),
        }
    }

    /// One engine for each backend that this machine has, each forced, portable first.
    pub fn available() -> impl Iterator<Item = (Backend, Self)> {
        Backend::ALL.iter().filter_map(|&b| Self::with(b).ok().map(|e| (b, e)))
    }

    /// What runs Keccak-f[1600] (SHA-3, SHAKE).
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
}

impl Default for Engine {
    fn default() -> Self {
        Self::get()
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "keccak {} | sha256 {} | sha512 {}", self.keccak(), self.sha256(), self.sha512())
    }
}
