//! Many threads at once: the first detection of the CPU, one key in many hands, batches that run beside each other.

mod common;

use std::{
    env,
    process::Command,
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use common::{
    engines, loud,
    oracle::{fixed, xof},
    painted,
    slh::{CONTEXT, MESSAGE, MODE, SMALL, key, signed},
};
use hashloom::{
    Engine, Error,
    hash::Hash,
    keccak::Shake256,
    ml_dsa, pbkdf2,
    sha2::{Sha256, Sha512},
    slh_dsa::{Item, Mode, ParameterSet, PreHash, Randomness, Signature, SigningKey, verify_batch},
};

/// Threads that make the first hash of a process.
const FIRST: usize = 64;

/// Every thread waits for all others, then chooses an engine and hashes.
fn first_hashes() {
    let message = painted(1000);
    let (sha256, sha512) = (fixed::<sha2::Sha256>(&message, 32), fixed::<sha2::Sha512>(&message, 64));
    let shake = xof::<shake::Shake256>(&message, 64);
    let all_are_there = Barrier::new(FIRST);
    let engines: Vec<Engine> = thread::scope(|scope| {
        let hash = || {
            let (mut short, mut long, mut many) = ([0; 32], [0; 64], [0; 20 * 32]);
            all_are_there.wait();
            let engine = Engine::get();
            Sha256::on(&engine).hash(&[&message], &mut short).unwrap();
            assert_eq!(short[..], sha256);
            Sha512::on(&engine).hash(&[&message], &mut long).unwrap();
            assert_eq!(long[..], sha512);
            Shake256::on(&engine).hash(&[&message], &mut long).unwrap();
            assert_eq!(long[..], shake);
            Sha256::on(&engine).hash_many(&[&message[..]; 20], &mut many).unwrap();
            assert!(many.chunks(32).all(|digest| digest == sha256));
            engine
        };
        let threads: Vec<_> = (0..FIRST).map(|_| scope.spawn(hash)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(engines.iter().all(|engine| *engine == Engine::get()), "threads chose {engines:?}");
    println!("{FIRST} first hashes");
}

#[test]
fn sixty_four_threads_make_the_first_hash() {
    const CHILD: &str = "HASHLOOM_FIRST_HASH";
    if env::var_os(CHILD).is_some() {
        return first_hashes();
    }
    // processes in which nothing has been hashed
    for _ in 0..10 {
        let mut child = Command::new(env::current_exe().unwrap());
        let name = "sixty_four_threads_make_the_first_hash";
        let child = child.env(CHILD, "1").args(["--exact", name, "--nocapture"]).output().unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && said.contains("64 first hashes"), "{child:?}");
    }
}

/// What one thread makes of each message, the work inside included.
fn by_one_thread(key: &SigningKey, messages: &[[u8; 4]]) -> Vec<Signature> {
    let sign = || {
        let sign = |message| key.sign(message, &MODE, Randomness::Deterministic).unwrap();
        messages.iter().map(sign).collect()
    };
    #[cfg(feature = "rayon")]
    return rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(sign);
    #[cfg(not(feature = "rayon"))]
    sign()
}

#[test]
fn sixteen_threads_share_a_key() {
    const THREADS: usize = 16;
    const SIGNATURES: usize = 1000;
    let plain = key(ParameterSet::Sha2_128f, &Engine::get());
    let messages: Vec<[u8; 4]> = (0..SIGNATURES as u32).map(u32::to_be_bytes).collect();
    let want = by_one_thread(&plain, &messages);
    // trees that many threads keep and take at once
    let expanded = plain.clone().expand(32 << 10);
    let next = AtomicUsize::new(0);
    let all_are_there = Barrier::new(THREADS);
    let work = &|number: usize| {
        let key = if number.is_multiple_of(2) { &plain } else { &expanded };
        all_are_there.wait();
        let mut signed = 0;
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(message) = messages.get(i) else { return signed };
            let signature = key.sign(message, &MODE, Randomness::Deterministic).unwrap();
            assert!(signature == want[i], "message {i} on thread {number}");
            signed += 1;
        }
    };
    let shares: Vec<usize> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(shares.iter().sum::<usize>(), SIGNATURES);
    assert!(shares.iter().all(|share| *share > 0), "some thread signed nothing: {shares:?}");
    loud(&format!("{SIGNATURES} signatures by {THREADS} threads: {shares:?}"));
}

/// Verifies batches in which every third, fourth... item is bad, and signs batches in which the same ones are.
fn interleaved(set: ParameterSet, engine: &Engine, number: usize) -> usize {
    const ITEMS: usize = 40;
    let key = key(set, engine);
    let public = key.verifying_key();
    let good = signed(set);
    let bad_at = |i: usize| i % (2 + number % 4) == number % 2;

    // each bad one in its own way
    let signatures: Vec<Vec<u8>> = (0..ITEMS)
        .map(|i| {
            let mut signature = good.clone();
            match (bad_at(i), i % 3) {
                (false, _) => {}
                (true, 0) => signature[(i * 7919) % good.len()] ^= 1,
                (true, 1) => signature.truncate(i * 100),
                (true, _) => signature.push(0),
            }
            signature
        })
        .collect();
    let items: Vec<Item<'_>> =
        signatures.iter().map(|signature| Item { key: &public, message: MESSAGE, mode: MODE, signature }).collect();
    let want: Vec<_> = (0..ITEMS).map(|i| if bad_at(i) { Err(Error::InvalidSignature) } else { Ok(()) }).collect();
    assert_eq!(verify_batch(&items), want, "{set}, thread {number}");

    let mode = Mode::Digest { context: CONTEXT, function: PreHash::Sha2_256 };
    let digests: Vec<Vec<u8>> = (0..8).map(|i| vec![i as u8; if bad_at(i) { 31 - i } else { 32 }]).collect();
    let messages: Vec<&[u8]> = digests.iter().map(Vec::as_slice).collect();
    let batch = key.sign_batch(&messages, &mode, Randomness::Deterministic);
    for (i, (message, result)) in messages.iter().zip(batch).enumerate() {
        match result {
            Err(error) => assert_eq!((error, bad_at(i)), (Error::WrongLength { expected: 32, actual: 31 - i }, true)),
            Ok(signature) => {
                assert!(!bad_at(i));
                assert!(Ok(signature) == key.sign(*message, &mode, Randomness::Deterministic), "{set}, message {i}");
            }
        }
    }
    ITEMS + messages.len()
}

#[test]
fn sixteen_threads_share_a_lattice_key() {
    const THREADS: usize = 16;
    for set in ml_dsa::ParameterSet::ALL {
        let key = ml_dsa::SigningKey::from_seed(set, &Engine::get(), &[7; 32]).unwrap();
        let (expanded, public) = (key.expand(), key.verifying_key().expand());
        let messages: Vec<[u8; 4]> = (0..400_u32).map(u32::to_be_bytes).collect();
        let slices: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        let want = key.sign_batch(&slices, &MODE, Randomness::Deterministic);
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    while let Some(message) = messages.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let signature = expanded.sign(message, &MODE, Randomness::Deterministic).unwrap();
                        let i = u32::from_be_bytes(*message) as usize;
                        assert!(want[i].as_ref() == Ok(&signature), "{set}, message {i}");
                        assert_eq!(public.verify(message, &MODE, signature.as_ref()), Ok(()));
                    }
                });
            }
        });
    }
}

#[test]
fn bad_items_beside_good_ones_in_batches_beside_each_other() {
    const THREADS: usize = 4;
    let mut items = 0;
    for (name, engine) in engines() {
        println!("on {name}");
        let all_are_there = Barrier::new(THREADS);
        let work = &|number: usize| {
            all_are_there.wait();
            SMALL.into_iter().map(|set| interleaved(set, &engine, number)).sum::<usize>()
        };
        items += thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || work(number))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
        });
    }
    loud(&format!("{items} items in batches, a half to a fifth of them bad"));
}

#[test]
fn sixteen_threads_derive_keys() {
    const THREADS: usize = 16;
    const PASSWORDS: usize = 40;
    let passwords: Vec<Vec<u8>> = (0..PASSWORDS).map(painted).collect();
    let derive = |engine: &Engine| {
        let mut keys = vec![[0; 40]; PASSWORDS];
        let both = passwords.iter().zip(&mut keys);
        let mut derivations: Vec<_> =
            both.map(|(password, out)| pbkdf2::Derivation { password, salt: b"salt", out }).collect();
        pbkdf2::derive_many(Sha256::on(engine), 20, &mut derivations).unwrap();
        keys
    };
    let want = derive(&Engine::portable());
    for (name, engine) in engines() {
        let all_are_there = Barrier::new(THREADS);
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (derive, want, all_are_there, name) = (&derive, &want, &all_are_there, &name);
                scope.spawn(move || {
                    all_are_there.wait();
                    assert!(derive(&engine) == *want, "thread {number} on {name}");
                    #[cfg(feature = "encryption")]
                    encrypted(&engine, number);
                });
            }
        });
    }
}

/// A key into a file under a passphrase of this thread's own, and out of it.
#[cfg(feature = "encryption")]
fn encrypted(engine: &Engine, number: usize) {
    use hashloom::at_rest::{Protection, decrypt, encrypt};
    let protection = Protection { iterations: 20, ..Protection::default() };
    let mut rng = common::slh::Rng::new(&number.to_string());
    let key = ml_dsa::SigningKey::generate(ml_dsa::ParameterSet::MlDsa44, engine, &mut rng).unwrap();
    let der = key.to_pkcs8_der(ml_dsa::PrivateKeyForm::Seed).unwrap();
    let locked = encrypt(engine, &[number as u8 + 1; 9], &der, &protection, &mut rng).unwrap();
    assert_eq!(decrypt(engine, &[number as u8 + 1; 9], &locked, 20).as_ref(), Ok(&der));
    assert!(decrypt(engine, &[number as u8 + 1; 8], &locked, 20).is_err());
}
