//! SHA-2, SHA-3 and SHAKE.

use hashloom::{
    Engine,
    hash::{Hash, Incremental},
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};

use crate::{
    format::{Group, Vector, need, unknown, whole_bytes},
    mct,
    report::{Label, Trouble, Verdict, same},
};

/// Messages of one `hash_many` call; bounds the memory that a file's outputs take.
const BATCH: usize = 1024;

/// Lengths of the pieces that a message is fed in, over and over: none at all, and odd ones below, at and above the
/// block lengths.
pub(crate) const PIECES: [usize; 8] = [1, 7, 0, 63, 129, 136, 31, 257];

macro_rules! functions {
    ($($function:ident is $family:ident),*) => {
        /// A hash function by its name.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Function {
            $($function),*
        }

        impl Function {
            const ALL: &[Self] = &[$(Self::$function),*];

            /// The library's name.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$function => $function::NAME),*
                }
            }

            /// Runs a group of cases.
            pub(crate) fn run(self, engine: &Engine, group: &Group, largest: u64, done: &mut impl FnMut(&Vector, Verdict)) {
                match self {
                    $(Self::$function => run($function::on(engine), mct::Family::$family, group, largest, done)),*
                }
            }
        }
    };
}

functions!(
    Sha224 is Sha2, Sha256 is Sha2, Sha384 is Sha2, Sha512 is Sha2, Sha512_224 is Sha2, Sha512_256 is Sha2,
    Sha3_224 is Sha3, Sha3_256 is Sha3, Sha3_384 is Sha3, Sha3_512 is Sha3,
    Shake128 is Shake, Shake256 is Shake
);

impl Function {
    /// Files differ in punctuation: `SHAKE-128`, `SHA2-512/256`, `SHA2-512-256`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let bare = |name: &str| name.replace(['-', '/'], "");
        Self::ALL.iter().copied().find(|function| bare(function.name()) == bare(name))
    }

    /// The row of a group.
    pub(crate) fn label(self, group: &Group) -> Label {
        let alternate = group.test_type == "MCT" && group.mct_version.as_deref() == Some("alternate");
        Label {
            subject: self.name().to_string(),
            kind: group.test_type.escape_debug().to_string(),
            mode: if alternate { "alternate" } else { "" },
        }
    }
}

fn run<H: Hash>(hash: H, family: mct::Family, group: &Group, largest: u64, done: &mut impl FnMut(&Vector, Verdict)) {
    match group.test_type.as_str() {
        "AFT" | "VOT" => group.tests.chunks(BATCH).for_each(|tests| functional(hash, tests, done)),
        "MCT" => group.tests.iter().for_each(|test| done(test, mct::run(hash, family, group, test))),
        "LDT" => group.tests.iter().for_each(|test| done(test, large(hash, test, largest))),
        other => group.tests.iter().for_each(|test| done(test, Err(unknown("testType", other)))),
    }
}

/// A message and its digest.
struct Known<'a> {
    message: &'a [u8],
    digest: &'a [u8],
}

impl<'a> Known<'a> {
    fn of<H: Hash>(test: &'a Vector) -> Result<Self, Trouble> {
        let digest: &[u8] = need(&test.md, "md")?;
        let expected = match (H::DIGEST_LEN, test.out_len) {
            (Some(bytes), _) => bytes,
            (None, Some(bits)) => whole_bytes("outLen", bits)?,
            (None, None) => digest.len(),
        };
        if digest.len() == expected {
            Ok(Self { message: message(test)?, digest })
        } else {
            Err(Trouble::Failed(format!("md has {} bytes where an output has {expected}", digest.len())))
        }
    }
}

/// The case's message, `len` bits of `msg`.
pub(crate) fn message(test: &Vector) -> Result<&[u8], Trouble> {
    let message: &[u8] = need(&test.msg, "msg")?;
    let Some(bits) = test.len else { return Ok(message) };
    match whole_bytes("len", bits)? {
        0 => Ok(&[]), // older files write the empty message as one zero byte
        bytes if bytes == message.len() => Ok(message),
        bytes => Err(Trouble::Failed(format!("msg has {} bytes, len says {bytes}", message.len()))),
    }
}

/// Cases of a group three ways, which must all agree with the file: each by itself, each in odd pieces, and all in one
/// call. An extendable output is asked for at the longest length, of which a shorter one is the beginning.
fn functional<H: Hash>(hash: H, tests: &[Vector], done: &mut impl FnMut(&Vector, Verdict)) {
    let cases: Vec<_> = tests.iter().map(Known::of::<H>).collect();
    let messages: Vec<&[u8]> = cases.iter().flatten().map(|known| known.message).collect();
    let len = cases.iter().flatten().map(|known| known.digest.len()).max().unwrap_or_default();
    let mut outputs = vec![0; len * messages.len()];
    let many = hash.hash_many(&messages, &mut outputs);

    let mut at = 0;
    for (test, case) in tests.iter().zip(cases) {
        done(
            test,
            case.and_then(|Known { message, digest }| {
                let many = many.map(|()| &outputs[at..at + digest.len()]);
                at += len;
                let mut single = vec![0; digest.len()];
                let single = hash.hash(&[message], &mut single).map(|()| single);
                for (way, output) in [("hash", single.as_deref()), ("hash_many", many.as_ref().copied())] {
                    match output {
                        Ok(output) => same(way, output, digest)?,
                        Err(error) => return Err(Trouble::Failed(format!("{way}: {error}"))),
                    }
                }
                same("hasher", &in_pieces(hash, message, digest.len()), digest)
            }),
        );
    }
}

fn in_pieces<H: Hash>(hash: H, mut message: &[u8], len: usize) -> Vec<u8> {
    let mut hasher = hash.hasher();
    for piece in PIECES.into_iter().cycle() {
        let (now, later) = message.split_at(piece.min(message.len()));
        hasher.update(now);
        message = later;
        if message.is_empty() {
            break;
        }
    }
    let mut output = vec![0; len];
    hasher.finish(&mut output);
    output
}

/// A message of gigabytes, `content` repeated.
fn large<H: Hash>(hash: H, test: &Vector, largest: u64) -> Verdict {
    let message = need(&test.large_msg, "largeMsg")?;
    if message.expansion_technique != "repeating" {
        return Err(unknown("expansionTechnique", &message.expansion_technique));
    }
    if message.content.is_empty() || whole_bytes("contentLength", message.content_length)? != message.content.len() {
        return Err(Trouble::Failed(format!(
            "content has {} bytes, contentLength says {} bits",
            message.content.len(),
            message.content_length
        )));
    }
    let mut left = whole_bytes("fullLength", message.full_length)? as u64;
    if left > largest {
        return Err(Trouble::Skipped(format!("message of {left} bytes, more than the {largest} asked for")));
    }
    let digest = need(&test.md, "md")?;
    let block = message.content.repeat((1 << 16) / message.content.len() + 1);
    let mut hasher = hash.hasher();
    while left > 0 {
        let now = usize::try_from(left).map_or(block.len(), |left| left.min(block.len()));
        hasher.update(&block[..now]);
        left -= now as u64;
    }
    let mut output = vec![0; H::DIGEST_LEN.unwrap_or(digest.len())];
    hasher.finish(&mut output);
    same("hasher", &output, digest)
}
