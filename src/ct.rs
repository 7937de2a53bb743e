//! Marks on secrets, for tools that follow them through memory: Valgrind's memcheck and MemorySanitizer report a branch
//! or an index that depends on bytes marked as undefined. A private key is marked where it is made, and marks spread to
//! everything that is computed from it. What FIPS 204 and FIPS 205 publish in the middle of signing loses its mark here,
//! at sites that `tests/layering.rs` lists.
//!
//! Without `--cfg hashloom_ct`, which only `ctgrind/` sets, all of this is nothing.

use subtle::Choice;

#[cfg(hashloom_ct)]
pub use marks::{is_secret, leave_out, reveal};

/// What key generation, signing and verification look at although it is computed from secrets, because everybody may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The randomizer, the first part of a signature (FIPS 205 Alg. 19 lines 3 and 4), from which the digest and all
    /// indices follow.
    R,
    /// The FORS public key, which a verifier recomputes (FIPS 205 Alg. 19 line 16). Its digits decide how far the WOTS+
    /// chains of the bottom layer run.
    PkFors,
    /// The root of an XMSS tree, which a verifier recomputes (FIPS 205 Alg. 12 lines 5 and 14). Its digits decide how
    /// far the chains of the layer above run.
    XmssRoot,
    /// The root of the hypertree, half of the public key (FIPS 205 Alg. 18 line 3).
    PkRoot,
    /// The seed of A, part of the public key (FIPS 204 Alg. 6 line 8).
    Rho,
    /// Which half bytes of a stream become coefficients of s1 and s2 (FIPS 204 Alg. 31 lines 8 and 12). The refused ones
    /// are in no key, and of an accepted one it says what everybody knows: that it was in range.
    Accepted,
    /// The upper bits of t, the rest of the public key (FIPS 204 Alg. 6 line 8).
    T1,
    /// The hash of the commitment (FIPS 204 Alg. 7 line 15). Of an accepted attempt it is part of the signature; of a
    /// rejected one it is a hash value of w1, which has all the entropy of y.
    CTilde,
    /// That a polynomial of an attempt is out of bounds, or the hint too long (FIPS 204 Alg. 7 lines 23 and 28): signing
    /// starts again in the open. How likely z is to fail does not depend on the key, nor, as far as is known, does r0; the
    /// other two depend on t0, which nothing relies on: signatures reveal it.
    Rejection,
    /// The response, part of the signature (FIPS 204 Alg. 7 line 33).
    Z,
    /// The hint, part of the signature (FIPS 204 Alg. 7 line 33).
    Hint,
}

/// Marks bytes that nothing may branch on or index by.
#[inline(always)]
pub fn secret(bytes: &mut [u8]) {
    #[cfg(hashloom_ct)]
    marks::hide(bytes);
    #[cfg(not(hashloom_ct))]
    let _ = bytes;
}

/// Takes the marks of a value that is public from here on.
#[inline(always)]
pub(crate) fn public(value: Value, bytes: &mut [u8]) {
    #[cfg(hashloom_ct)]
    marks::publish(value as u8, bytes);
    #[cfg(not(hashloom_ct))]
    let _ = (value, bytes);
}

/// Whether [`spread`] is to mark what is computed from these words.
#[inline(always)]
pub(crate) fn is_marked(words: &[i32]) -> bool {
    #[cfg(hashloom_msan)]
    return crate::x86::marks::is_marked(words);
    #[cfg(not(hashloom_msan))]
    {
        let _ = words;
        false
    }
}

/// Marks a polynomial that was made of a marked one. MemorySanitizer alone needs it: there a mark stays at its bit of a
/// sum, and so is lost with the lower half of a product.
#[inline(always)]
pub(crate) fn spread(marked: bool, words: &mut [i32]) {
    #[cfg(hashloom_msan)]
    if marked {
        crate::x86::marks::mark(words);
    }
    #[cfg(not(hashloom_msan))]
    let _ = (marked, words);
}

/// Whether a comparison of all bytes in constant time found them equal: one bit, which the caller learns as an error.
#[inline(always)]
pub(crate) fn verdict(equal: Choice) -> bool {
    #[cfg(hashloom_ct)]
    let equal = {
        let mut bit = [equal.unwrap_u8()];
        marks::publish(marks::VERDICT, &mut bit);
        Choice::from(bit[0])
    };
    equal.into()
}

#[cfg(hashloom_ct)]
mod marks {
    use core::sync::atomic::{AtomicU8, Ordering};

    use crate::{
        ct::Value,
        x86::marks::{is_undefined, make_defined, make_undefined},
    };

    /// Beside the numbers of [`Value`].
    pub(super) const VERDICT: u8 = 254;
    const NOTHING: u8 = u8::MAX;
    static LEFT_OUT: AtomicU8 = AtomicU8::new(NOTHING);

    /// Lets a value, or verdicts if there is none, keep its marks, to show that a tool misses it.
    pub fn leave_out(value: Option<Value>) {
        LEFT_OUT.store(value.map_or(VERDICT, |value| value as u8), Ordering::Relaxed);
    }

    pub(super) fn hide(bytes: &mut [u8]) {
        make_undefined(bytes);
    }

    pub(super) fn publish(what: u8, bytes: &mut [u8]) {
        if LEFT_OUT.load(Ordering::Relaxed) != what {
            make_defined(bytes);
        }
    }

    /// Takes the marks of what a program puts out.
    pub fn reveal(bytes: &mut [u8]) {
        make_defined(bytes);
    }

    /// Whether any of the bytes is marked. Never, if no tool is watching.
    pub fn is_secret(bytes: &[u8]) -> bool {
        is_undefined(bytes)
    }
}
