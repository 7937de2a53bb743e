//! The signature crate's traits: pure mode, empty context.

use rand_core::TryCryptoRng;
use signature::{Keypair, MultipartVerifier, RandomizedMultipartSigner};
use zeroize::Zeroizing;

use super::{
    ExpandedSigningKey, ExpandedVerifyingKey, Mode, Random, Randomness, Signature, SigningKey, VerifyingKey,
    params::SEED,
};

macro_rules! signer {
    ($key:ty) => {
        impl Keypair for $key {
            type VerifyingKey = VerifyingKey;
            fn verifying_key(&self) -> VerifyingKey {
                Self::verifying_key(self)
            }
        }

        /// Hedged by the operating system, unlike in some other crates, where this trait is deterministic.
        #[cfg(feature = "getrandom")]
        impl signature::Signer<Signature> for $key {
            fn try_sign(&self, message: &[u8]) -> Result<Signature, signature::Error> {
                signature::MultipartSigner::try_multipart_sign(self, &[message])
            }
        }

        /// Hedged by the operating system.
        #[cfg(feature = "getrandom")]
        impl signature::MultipartSigner<Signature> for $key {
            fn try_multipart_sign(&self, message: &[&[u8]]) -> Result<Signature, signature::Error> {
                Ok(self.sign(message, &Mode::default(), Randomness::os())?)
            }
        }

        impl signature::RandomizedSigner<Signature> for $key {
            fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
            ) -> Result<Signature, signature::Error> {
                self.try_multipart_sign_with_rng(rng, &[message])
            }
        }

        impl RandomizedMultipartSigner<Signature> for $key {
            fn try_multipart_sign_with_rng<R: TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[&[u8]],
            ) -> Result<Signature, signature::Error> {
                let mut rnd = Zeroizing::new([0; SEED]);
                rng.fill(&mut *rnd)?;
                Ok(self.sign(message, &Mode::default(), Randomness::Given(&*rnd))?)
            }
        }
    };
}
signer!(SigningKey);
signer!(ExpandedSigningKey);

macro_rules! verifier {
    ($key:ty) => {
        impl signature::Verifier<Signature> for $key {
            fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), signature::Error> {
                self.multipart_verify(&[message], signature)
            }
        }

        impl MultipartVerifier<Signature> for $key {
            fn multipart_verify(&self, message: &[&[u8]], signature: &Signature) -> Result<(), signature::Error> {
                Ok(Self::verify(self, message, &Mode::default(), signature.as_ref())?)
            }
        }
    };
}
verifier!(VerifyingKey);
verifier!(ExpandedVerifyingKey);
