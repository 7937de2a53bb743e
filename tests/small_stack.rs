//! Key generation, signing and verification on threads with a stack of 128 KiB, also in a build without optimisation:
//! `cargo test --profile dev --test small_stack`. A thread whose stack overflows takes the process with it and is named
//! in the message that the process leaves.

mod common;

use std::{env, hint::black_box, process::Command, thread};

use common::{
    engines,
    slh::{MESSAGE, MODE, fast_sets, is_fast, seeds},
};
use hashloom::{
    Engine,
    hash::FixedHash,
    hkdf, hmac,
    keccak::{Sha3_224, Sha3_512},
    ml_dsa, pbkdf2,
    sha2::{Sha256, Sha512},
    slh_dsa::{Item, Mode, ParameterSet, PreHash, Randomness, SigningKey, VerifyingKey, verify_batch},
};

const STACK: usize = 128 * 1024;

/// Runs `work` on a thread with a small stack and, where batches are shared out to threads, on such threads.
fn on_small_stack(name: &str, work: impl Fn() + Send + Sync) {
    let direct = |work: &(dyn Fn() + Send + Sync)| {
        thread::scope(|scope| {
            thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn_scoped(scope, work).unwrap();
        });
    };
    #[cfg(feature = "rayon")]
    {
        let named = name.to_owned();
        let worker = move |i| format!("{named}, worker {i}");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(STACK).thread_name(worker);
        let pool = pool.build().unwrap();
        direct(&|| pool.install(&work));
    }
    #[cfg(not(feature = "rayon"))]
    direct(&work);
}

/// Everything that hashes, once.
fn round(set: ParameterSet, engine: &Engine) {
    let [sk_seed, sk_prf, pk_seed] = seeds(set, "small stack");
    let key = SigningKey::from_seeds(set, engine, &sk_seed, &sk_prf, &pk_seed).unwrap();
    let public = VerifyingKey::from_spki_pem(engine, &key.verifying_key().to_spki_pem()).unwrap();
    let signature = key.sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap();
    let signature = signature.as_ref();
    assert_eq!(public.verify(MESSAGE, &MODE, signature), Ok(()));
    let item = Item { key: &public, message: MESSAGE, mode: MODE, signature };
    assert_eq!(verify_batch(&[item; 5]), [Ok(()); 5]);
}

/// The doors that [`round`] has not gone through.
fn other_doors(set: ParameterSet, engine: &Engine) {
    let key = SigningKey::generate(set, engine, &mut common::slh::Rng::new("small stack")).unwrap();
    let key = SigningKey::from_pkcs8_pem(engine, &key.to_pkcs8_pem()).unwrap();
    let mode = Mode::PreHash { context: &[7; 255], function: PreHash::Sha2_384 };
    for signature in key.sign_batch(&[MESSAGE; 3], &mode, Randomness::Hedged(&mut common::slh::Rng::new("hedged"))) {
        assert_eq!(key.verifying_key().verify(MESSAGE, &mode, signature.unwrap().as_ref()), Ok(()));
    }
}

fn sets(sets: impl Iterator<Item = ParameterSet>, engines: &[(String, Engine)]) {
    for set in sets {
        for (name, engine) in engines {
            on_small_stack(&format!("{set} on {name}"), || round(set, engine));
        }
    }
}

#[test]
fn fast_sets_on_a_small_stack() {
    sets(fast_sets(), &engines());
}

#[test]
#[ignore = "20 s; without optimisation three and a half minutes, on the automatic engine alone"]
fn small_sets_on_a_small_stack() {
    // without optimisation one set takes a minute, and frames are those of the fast sets
    let some = if cfg!(unoptimised) { vec![("automatic".to_owned(), Engine::get())] } else { engines() };
    sets(ParameterSet::ALL.into_iter().filter(|set| !is_fast(*set)), &some);
}

#[test]
fn every_door_on_a_small_stack() {
    for set in common::slh::SMALL {
        on_small_stack(&format!("every door of {set}"), || other_doors(set, &Engine::get()));
    }
}

/// Has at least `bytes` of local variables alive at once.
fn use_stack(bytes: usize) -> u8 {
    let local = black_box([1; 1024]);
    if bytes <= local.len() { local[0] } else { use_stack(bytes - local.len()) ^ black_box(&local)[1] }
}

/// Every door of ML-DSA.
fn lattice(set: ml_dsa::ParameterSet, engine: &Engine) {
    use ml_dsa::PrivateKeyForm as Form;
    let key = ml_dsa::SigningKey::generate(set, engine, &mut common::slh::Rng::new("small stack")).unwrap();
    for form in [Form::Seed, Form::Expanded, Form::Both] {
        ml_dsa::SigningKey::from_pkcs8_pem(engine, &key.to_pkcs8_pem(form).unwrap()).unwrap();
    }
    let public = ml_dsa::VerifyingKey::from_spki_pem(engine, &key.verifying_key().to_spki_pem()).unwrap();
    let mode = Mode::PreHash { context: &[7; 255], function: PreHash::Sha2_384 };
    let signatures = key.sign_batch(&[MESSAGE; 20], &mode, Randomness::Hedged(&mut common::slh::Rng::new("hedged")));
    let signatures: Vec<_> = signatures.into_iter().map(Result::unwrap).collect();
    let alone = key.sign(MESSAGE, &mode, Randomness::Deterministic).unwrap();
    assert_eq!(public.verify(MESSAGE, &mode, alone.as_ref()), Ok(()));
    let item = |signature| ml_dsa::Item { key: &public, message: MESSAGE, mode, signature };
    let items: Vec<_> = signatures.iter().map(|signature| item(signature.as_ref())).collect();
    assert_eq!(ml_dsa::verify_batch(&items), [Ok(()); 20]);
    let pairs: Vec<_> = signatures.iter().map(|signature| (MESSAGE, signature.as_ref())).collect();
    assert_eq!(public.expand().verify_batch(&pairs, &mode), [Ok(()); 20]);
}

#[test]
fn ml_dsa_on_a_small_stack() {
    for set in ml_dsa::ParameterSet::ALL {
        for (name, engine) in engines() {
            on_small_stack(&format!("{set} on {name}"), || lattice(set, &engine));
        }
    }
}

/// Every door of HMAC, HKDF and PBKDF2.
fn keyed<H: FixedHash>(engine: &Engine) {
    let hash = H::on(engine);
    let mut tags = vec![0; 20 * H::LEN];
    hmac::mac_many(&hmac::HmacKey::many(hash, &[&[7; 300][..]; 20]), &[MESSAGE; 20], &mut tags).unwrap();
    let tag = &tags[19 * H::LEN..];
    assert_eq!(hmac::verify(hash, &[7; 300], &[MESSAGE], tag), Ok(()));
    let (mut one, mut many) = (vec![0; 3 * H::LEN], vec![0; 20 * 3 * H::LEN]);
    hkdf::derive(hash, MESSAGE, &[tag], &[MESSAGE], &mut one).unwrap();
    hkdf::expand_many(&[hkdf::Prk::extract(hash, MESSAGE, &[tag])], &[MESSAGE; 20], &mut many).unwrap();
    assert!(many.chunks(3 * H::LEN).all(|chunk| chunk == one));
    pbkdf2::derive(hash, tag, MESSAGE, 3, &mut many).unwrap();
    pbkdf2::derive(hash, tag, MESSAGE, 3, &mut one).unwrap();
    assert_eq!(many[..3 * H::LEN], one);
}

/// A key into an encrypted file and out of it.
#[cfg(feature = "encryption")]
fn at_rest(engine: &Engine) {
    use hashloom::at_rest::{Prf, Protection, decrypt, encrypt};
    let mut rng = common::slh::Rng::new("small stack");
    let key = ml_dsa::SigningKey::generate(ml_dsa::ParameterSet::MlDsa87, engine, &mut rng).unwrap();
    let der = key.to_pkcs8_der(ml_dsa::PrivateKeyForm::Both).unwrap();
    for prf in [Prf::HmacSha256, Prf::HmacSha512] {
        let locked = encrypt(engine, b"passphrase", &der, &Protection { prf, iterations: 3 }, &mut rng).unwrap();
        assert_eq!(decrypt(engine, b"passphrase", &locked, 3).as_ref(), Ok(&der));
    }
}

#[test]
fn keys_and_passwords_on_a_small_stack() {
    for (name, engine) in engines() {
        on_small_stack(&format!("keyed hashes on {name}"), || {
            [keyed::<Sha256>, keyed::<Sha512>, keyed::<Sha3_224>, keyed::<Sha3_512>]
                .iter()
                .for_each(|run| run(&engine));
        });
        #[cfg(feature = "encryption")]
        on_small_stack(&format!("encrypted keys on {name}"), || at_rest(&engine));
    }
}

#[test]
fn a_small_stack_does_overflow() {
    const CHILD: &str = "HASHLOOM_OVERFLOW_A_STACK";
    if env::var_os(CHILD).is_some() {
        on_small_stack("overflow", || _ = black_box(use_stack(STACK)));
        return;
    }
    // in a process of its own, since it takes it along
    let mut child = Command::new(env::current_exe().unwrap());
    let child = child.env(CHILD, "1").args(["--exact", "a_small_stack_does_overflow"]).output().unwrap();
    assert!(!child.status.success(), "128 KiB on a stack of 128 KiB: {child:?}");
    assert!(String::from_utf8_lossy(&child.stderr).contains("overflow"), "{child:?}");
}
