//! What the operating system tells of the CPU. Unprivileged code cannot ask the CPU itself.

use core::sync::atomic::{AtomicU32, Ordering};

/// Extensions that backends need beyond NEON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// SHA-256 instructions (FEAT_SHA256).
    pub sha2: bool,
    /// SHA-3 and SHA-512 instructions (FEAT_SHA3, FEAT_SHA512), which Rust knows as one feature: a kernel compiled for
    /// it may contain both.
    pub sha3: bool,
}

/// Who made the core, and which it is: two fields of MIDR_EL1, the main ID register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Core {
    /// Implementer code, a letter.
    pub implementer: u8,
    /// Part number, the implementer's own.
    pub part: u16,
}

impl Core {
    const fn from_midr(midr: u32) -> Self {
        Self { implementer: (midr >> 24) as u8, part: (midr >> 4 & 0xfff) as u16 }
    }

    /// The core that runs this, the first time it is asked: with cores of several kinds the answer would change, a
    /// choice must not.
    pub(crate) fn detect() -> Option<Self> {
        static MIDR: AtomicU32 = AtomicU32::new(0);
        let known = MIDR.load(Ordering::Relaxed);
        let midr = if known == 0 { system::midr()? } else { known };
        let first = MIDR.compare_exchange(0, midr, Ordering::Relaxed, Ordering::Relaxed);
        Some(Self::from_midr(first.err().unwrap_or(midr)))
    }
}

impl Features {
    /// The features of this CPU.
    pub(crate) fn detect() -> Self {
        system::features()
    }
}

/// Linux and Android: bits of AT_HWCAP (the kernel's `Documentation/arch/arm64/elf_hwcaps.rst`).
#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use super::Features;

    /// A feature and the bits that must all be set for it.
    type Row = (fn(&mut Features) -> &mut bool, u64);
    const FEATURES: [Row; 2] =
        [(|f| &mut f.sha2, libc::HWCAP_SHA2), (|f| &mut f.sha3, libc::HWCAP_SHA3 | libc::HWCAP_SHA512)];

    fn hwcaps() -> u64 {
        // SAFETY: reads a word that the kernel has given to the process.
        unsafe { libc::getauxval(libc::AT_HWCAP) }
    }

    fn from_hwcaps(hwcaps: u64) -> Features {
        let mut found = Features::default();
        for (feature, bits) in FEATURES {
            *feature(&mut found) = hwcaps & bits == bits;
        }
        found
    }

    pub(super) fn features() -> Features {
        from_hwcaps(hwcaps())
    }

    pub(super) fn midr() -> Option<u32> {
        if hwcaps() & libc::HWCAP_CPUID == 0 {
            return None;
        }
        let midr: u64;
        // SAFETY: the bit says that the kernel lets unprivileged code read identification registers.
        unsafe {
            core::arch::asm!("mrs {}, midr_el1", out(reg) midr, options(pure, nomem, nostack, preserves_flags));
        }
        Some(midr as u32)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn hwcaps_become_features() {
            const FP_ASIMD_AES_PMULL_SHA1: u64 = 0b111_1011;
            const SHA2: u64 = 1 << 6;
            const SHA3: u64 = 1 << 17;
            const SHA512: u64 = 1 << 21;
            let base = FP_ASIMD_AES_PMULL_SHA1 & !SHA2;
            for (hwcaps, sha2, sha3) in [
                (0, false, false),
                (base, false, false),
                (base | SHA2, true, false),
                (base | SHA2 | SHA3, true, false),
                (base | SHA2 | SHA512, true, false),
                (base | SHA2 | SHA3 | SHA512, true, true),
                (SHA3 | SHA512, false, true),
                (!SHA2, false, true),
                (!SHA3, true, false),
                (!SHA512, true, false),
                (!0, true, true),
            ] {
                assert_eq!(from_hwcaps(hwcaps), Features { sha2, sha3 }, "{hwcaps:#x}");
            }
        }

        /// The standard library asks as we do, with code of its own.
        #[test]
        fn the_standard_library_agrees() {
            let sha2 = std::arch::is_aarch64_feature_detected!("sha2");
            let sha3 = std::arch::is_aarch64_feature_detected!("sha3");
            assert_eq!(features(), Features { sha2, sha3 });
        }
    }
}

/// Apple: `sysctlbyname`. Every one of its cores has the SHA-256 instructions. Cores are not told apart.
#[cfg(target_vendor = "apple")]
mod system {
    use super::Features;

    cpufeatures::new!(cpu_sha2, "sha2");
    cpufeatures::new!(cpu_sha3, "sha3");

    pub(super) fn features() -> Features {
        Features { sha2: cpu_sha2::get(), sha3: cpu_sha3::get() }
    }

    /// Implementer 'a', no part.
    pub(super) fn midr() -> Option<u32> {
        Some(0x61 << 24)
    }
}

/// Other systems, Windows among them: what the standard library knows, if there is one.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod system {
    use super::Features;

    pub(super) fn features() -> Features {
        #[cfg(feature = "std")]
        return Features {
            sha2: std::arch::is_aarch64_feature_detected!("sha2"),
            sha3: std::arch::is_aarch64_feature_detected!("sha3"),
        };
        #[cfg(not(feature = "std"))]
        Features::default()
    }

    pub(super) fn midr() -> Option<u32> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_is_two_fields_of_its_register() {
        // Cortex-A72 r0p3, Neoverse-V2 r0p0
        assert_eq!(Core::from_midr(0x410f_d083), Core { implementer: b'A', part: 0xd08 });
        assert_eq!(Core::from_midr(0x410f_d4f0), Core { implementer: b'A', part: 0xd4f });
        assert_eq!(Core::from_midr(0x61 << 24), Core { implementer: b'a', part: 0 });
    }

    #[test]
    fn the_core_stays_the_first_one() {
        assert_eq!(Core::detect(), Core::detect());
    }
}
