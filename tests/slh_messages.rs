//! Messages as slices, parts and readers: equal bytes give equal signatures, and sources that fail or change do not.
#![cfg(feature = "std")]

mod common;

use std::{
    cell::Cell,
    io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom},
    rc::Rc,
};

use common::{
    on_every_engine, painted,
    slh::{CONTEXT, MODE, SMALL, key, signed},
};
use hashloom::{
    Engine, Error,
    slh_dsa::{Message, Mode, PreHash, Randomness, Reader},
};

const MODES: [Mode<'static>; 4] = [
    Mode::Internal,
    Mode::Pure { context: CONTEXT },
    Mode::PreHash { context: CONTEXT, function: PreHash::Sha2_512 },
    Mode::PreHash { context: CONTEXT, function: PreHash::Shake128 },
];

/// Longer than a reader's buffer and no multiple of anything.
const LONG: usize = 150_001;

#[test]
fn parts_and_readers_sign_as_the_joined_bytes() {
    on_every_engine(|engine| {
        for set in SMALL {
            let key = key(set, engine);
            let public = key.verifying_key();
            for len in [0, 1, 64, 137, LONG] {
                let bytes = painted(len);
                let (a, b) = bytes.split_at(len / 3);
                let parts: &[&[u8]] = &[a, b"", b];
                for mode in MODES {
                    let sign = || Randomness::Deterministic;
                    let joined = key.sign(&bytes[..], &mode, sign()).unwrap();
                    let joined = joined.as_ref();
                    assert!(key.sign(parts, &mode, sign()).unwrap().as_ref() == joined, "{set}, {mode:?}, parts");
                    let reader = || Reader::new(Cursor::new(&bytes)).unwrap();
                    assert!(key.sign(reader(), &mode, sign()).unwrap().as_ref() == joined, "{set}, {mode:?}, reader");
                    let mut again = reader();
                    assert!(key.sign(&mut again, &mode, sign()).unwrap().as_ref() == joined);
                    assert!(key.sign(&mut again, &mode, sign()).unwrap().as_ref() == joined, "a reader used again");

                    assert_eq!(public.verify(&bytes[..], &mode, joined), Ok(()));
                    assert_eq!(public.verify(parts, &mode, joined), Ok(()));
                    assert_eq!(public.verify(reader(), &mode, joined), Ok(()));
                    assert_eq!(public.verify_reader(&bytes[..], &mode, joined), Ok(()));
                    assert_eq!(public.verify_reader(a.chain(b), &mode, joined), Ok(()));
                    let more = bytes.chain(&b"x"[..]);
                    assert_eq!(public.verify_reader(more, &mode, joined), Err(Error::InvalidSignature));
                }
            }
        }
    });
}

#[test]
fn an_array_is_its_bytes() {
    let key = key(SMALL[0], &Engine::get());
    let signature = key.sign(b"array", &MODE, Randomness::Deterministic).unwrap();
    assert!(key.sign(&b"array"[..], &MODE, Randomness::Deterministic).unwrap() == signature);
    assert_eq!(key.verifying_key().verify(b"array", &MODE, signature.as_ref()), Ok(()));
    assert_eq!(key.verifying_key().verify(b"arrax", &MODE, signature.as_ref()), Err(Error::InvalidSignature));
}

#[test]
fn functions_are_written_as_they_are_read() {
    for function in PreHash::ALL {
        assert_eq!(function.to_string(), function.name());
        assert_eq!(function.to_string().parse(), Ok(function));
    }
    assert_eq!(format!("{:>9}", PreHash::Shake128), " SHAKE128");
}

#[test]
fn randomness_says_what_it_is_and_not_its_bytes() {
    assert_eq!(format!("{:?}", Randomness::Deterministic), "Deterministic");
    assert_eq!(format!("{:?}", Randomness::Given(&[7; 16])), "Given");
}

#[test]
fn a_reader_begins_where_it_stands() {
    let bytes = painted(1000);
    let key = key(SMALL[0], &Engine::get());
    for start in [0, 1, 999, 1000, 2000] {
        let mut cursor = Cursor::new(&bytes);
        cursor.set_position(start);
        let signature = key.sign(Reader::new(cursor).unwrap(), &MODE, Randomness::Deterministic).unwrap();
        let rest = &bytes[bytes.len().min(start as usize)..];
        assert_eq!(key.verifying_key().verify(rest, &MODE, signature.as_ref()), Ok(()), "from {start}");
    }
}

#[test]
fn files_are_messages() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("slh_messages.bin");
    let bytes = painted(LONG);
    std::fs::write(&path, &bytes).unwrap();
    let open = || std::fs::File::open(&path).unwrap();
    for set in SMALL {
        let key = key(set, &Engine::get());
        let signature = key.sign(Reader::new(open()).unwrap(), &MODE, Randomness::Deterministic).unwrap();
        assert_eq!(key.verifying_key().verify(&bytes[..], &MODE, signature.as_ref()), Ok(()));
        assert_eq!(key.verifying_key().verify_reader(open(), &MODE, signature.as_ref()), Ok(()));
    }
    std::fs::remove_file(&path).unwrap();
}

/// A source that yields few bytes at a time and now and then is interrupted.
struct Slow<'a>(&'a [u8], u32);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            return Err(ErrorKind::Interrupted.into());
        }
        let take = out.len().min(7);
        self.0.read(&mut out[..take])
    }
}

#[test]
fn short_reads_and_interruptions_do_not_matter() {
    for set in SMALL {
        let public = key(set, &Engine::get()).verifying_key();
        assert_eq!(public.verify_reader(Slow(common::slh::MESSAGE, 0), &MODE, &signed(set)), Ok(()));
    }
}

/// A source that behaves differently from its second reading on.
struct Fickle {
    inner: Cursor<Vec<u8>>,
    /// What the second reading has.
    then: Vec<u8>,
    /// How often it has been read from the start.
    readings: Rc<Cell<u32>>,
    /// The reading, counted from 1, that fails, and where.
    fails: Option<(u32, u64)>,
    /// The seek, counted from 1, that fails.
    stuck: Option<u32>,
    seeks: u32,
}

impl Fickle {
    fn new(first: &[u8], then: &[u8]) -> Self {
        let inner = Cursor::new(first.to_vec());
        Self { inner, then: then.to_vec(), readings: Rc::default(), fails: None, stuck: None, seeks: 0 }
    }
}

impl Read for Fickle {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.inner.position() == 0 {
            self.readings.set(self.readings.get() + 1);
            if self.readings.get() == 2 {
                self.inner = Cursor::new(self.then.clone());
            }
        }
        if let Some((reading, at)) = self.fails
            && self.readings.get() == reading
            && self.inner.position() >= at
        {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let take = out.len().min(64);
        self.inner.read(&mut out[..take])
    }
}

impl Seek for Fickle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.seeks += 1;
        if self.stuck == Some(self.seeks) {
            return Err(ErrorKind::NotSeekable.into());
        }
        self.inner.seek(to)
    }
}

#[test]
fn a_message_whose_readings_differ_in_length_is_not_signed() {
    let bytes = painted(300);
    for set in SMALL {
        let key = key(set, &Engine::get());
        let sign = |source, mode: &Mode<'_>| {
            key.sign(Reader::new(source).unwrap(), mode, Randomness::Deterministic).map(|_| ())
        };
        for mode in [Mode::Internal, MODE, Mode::default()] {
            for then in [&bytes[..299], &bytes[..0], &[&bytes[..], &[0]].concat(), &bytes.repeat(2)] {
                assert_eq!(sign(Fickle::new(&bytes, then), &mode), Err(Error::MessageChanged), "{mode:?}");
            }
            assert_eq!(sign(Fickle::new(&bytes[..1], &bytes), &mode), Err(Error::MessageChanged), "{mode:?}");
            assert_eq!(sign(Fickle::new(&bytes, &bytes), &mode), Ok(()));
        }
        // a pre-hash reads once
        let mode = Mode::PreHash { context: CONTEXT, function: PreHash::Sha2_256 };
        let source = Fickle::new(&bytes, b"");
        let readings = source.readings.clone();
        assert_eq!(sign(source, &mode), Ok(()));
        assert_eq!(readings.get(), 1);
    }
}

#[test]
fn verification_reads_once() {
    for set in SMALL {
        let public = key(set, &Engine::get()).verifying_key();
        let source = Fickle::new(common::slh::MESSAGE, b"");
        let readings = source.readings.clone();
        assert_eq!(public.verify(Reader::new(source).unwrap(), &MODE, &signed(set)), Ok(()));
        assert_eq!(readings.get(), 1);
    }
}

#[test]
fn sources_that_fail() {
    let bytes = painted(300);
    let broken = Err(Error::Read(ErrorKind::BrokenPipe));
    let stuck = Err(Error::Read(ErrorKind::NotSeekable));
    for set in SMALL {
        let key = key(set, &Engine::get());
        let public = key.verifying_key();
        for mode in MODES {
            let readings = if matches!(mode, Mode::PreHash { .. }) { 1 } else { 2 };
            for reading in 1..=readings {
                for at in [0, 64, 300] {
                    let source = || Fickle { fails: Some((reading, at)), ..Fickle::new(&bytes, &bytes) };
                    let signed = key.sign(Reader::new(source()).unwrap(), &mode, Randomness::Deterministic);
                    assert_eq!(signed.map(|_| ()), broken, "{mode:?}, reading {reading} at {at}");
                }
            }
            // the first seek asks for the position, each reading begins with another
            for seek in 2..=1 + readings {
                let source = Fickle { stuck: Some(seek), ..Fickle::new(&bytes, &bytes) };
                let signed = key.sign(Reader::new(source).unwrap(), &mode, Randomness::Deterministic);
                assert_eq!(signed.map(|_| ()), stuck, "{mode:?}, seek {seek}");
            }
            let source = || Fickle { fails: Some((1, 64)), ..Fickle::new(&bytes, &bytes) };
            let signature = signed(set);
            assert_eq!(public.verify(Reader::new(source()).unwrap(), &mode, &signature), broken, "{mode:?}");
            assert_eq!(public.verify_reader(source(), &mode, &signature), broken, "{mode:?}");
        }
        let source = Fickle { stuck: Some(1), ..Fickle::new(&bytes, &bytes) };
        assert_eq!(Reader::new(source).map(|_| ()), stuck, "a pipe has no position");
    }
}

/// The trait is open: any source that can be read again is a message.
#[test]
fn sources_of_ones_own() {
    struct Counted(u32);
    impl Message for Counted {
        fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
            (0..self.0).for_each(|i| sink(&i.to_be_bytes()));
            Ok(())
        }
    }
    struct Refuses;
    impl Message for Refuses {
        fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
            sink(b"some");
            Err(Error::MessageChanged)
        }
    }
    for set in SMALL {
        let key = key(set, &Engine::get());
        let bytes: Vec<u8> = (0..100_u32).flat_map(u32::to_be_bytes).collect();
        for mode in MODES {
            let signature = key.sign(Counted(100), &mode, Randomness::Deterministic).unwrap();
            assert_eq!(key.verifying_key().verify(&bytes[..], &mode, signature.as_ref()), Ok(()));
            let refused = key.sign(Refuses, &mode, Randomness::Deterministic).map(|_| ());
            assert_eq!(refused, Err(Error::MessageChanged));
            assert_eq!(key.verifying_key().verify(Refuses, &mode, signature.as_ref()), Err(Error::MessageChanged));
        }
    }
}
