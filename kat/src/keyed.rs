//! HMAC (FIPS 198-1), HKDF (RFC 5869), the two-step key derivation of SP 800-56C with it, and PBKDF2 (RFC 8018).

use std::collections::BTreeMap;

use hashloom::{
    Engine,
    hash::{FixedHash, Hash},
    hkdf,
    hmac::{self, Hmac, HmacKey},
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512},
    pbkdf2::{self, Derivation},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};

use crate::{
    format::{Group, Party, Vector, need, unknown, whole_bytes},
    hashes::{Function, PIECES},
    report::{Label, Trouble, Verdict, same},
};

/// Cases of one call that works on many; bounds the memory that a file's outputs take.
const BATCH: usize = 256;

/// Iterations of all blocks that a case may ask for; the most in a published file are 160,000.
const MOST_ITERATIONS: u64 = 1 << 18;

/// What a file's keys are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Hmac,
    Hkdf,
    KdaHkdf,
    Pbkdf2,
}

impl Kind {
    /// The kind of a file with this `algorithm` and `mode`, and its hash function if that is part of the name.
    pub(crate) fn from_name(algorithm: &str, mode: Option<&str>) -> Option<(Self, Option<String>)> {
        match (algorithm, mode) {
            ("HMAC", None) => Some((Self::Hmac, None)),
            ("HKDF", None) => Some((Self::Hkdf, None)),
            ("KDA", Some("HKDF")) => Some((Self::KdaHkdf, None)),
            ("PBKDF", None) => Some((Self::Pbkdf2, None)),
            (name, None) => {
                let function = name.strip_prefix("HMAC-").filter(|name| Function::from_name(name).is_some())?;
                Some((Self::Hmac, Some(function.to_string())))
            }
            _ => None,
        }
    }

    /// Its name, before that of the hash function.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Hmac => "HMAC",
            Self::Hkdf => "HKDF",
            Self::KdaHkdf => "KDA-HKDF",
            Self::Pbkdf2 => "PBKDF2-HMAC",
        }
    }

    /// The row of a group.
    pub(crate) fn label(self, group: &Group) -> Label {
        let function = group.hmac_alg.as_deref().unwrap_or("?");
        let function = Function::from_name(function)
            .map_or_else(|| function.escape_debug().to_string(), |function| function.name().to_string());
        Label {
            subject: format!("{}-{function}", self.name()),
            kind: group.test_type.escape_debug().to_string(),
            mode: "",
        }
    }

    /// Runs a group of cases.
    pub(crate) fn run(self, engine: &Engine, group: &Group, done: &mut impl FnMut(&Vector, Verdict)) {
        let skip = |trouble: Trouble, done: &mut dyn FnMut(&Vector, Verdict)| {
            group.tests.iter().for_each(|test| done(test, Err(trouble.clone())));
        };
        if group.test_type != "AFT" {
            return skip(unknown("testType", &group.test_type), done);
        }
        let name = match need(&group.hmac_alg, "hmacAlg") {
            Ok(name) => name,
            Err(trouble) => return skip(trouble, done),
        };
        match Function::from_name(name) {
            Some(Function::Sha224) => self.run_with(Sha224::on(engine), group, done),
            Some(Function::Sha256) => self.run_with(Sha256::on(engine), group, done),
            Some(Function::Sha384) => self.run_with(Sha384::on(engine), group, done),
            Some(Function::Sha512) => self.run_with(Sha512::on(engine), group, done),
            Some(Function::Sha512_224) => self.run_with(Sha512_224::on(engine), group, done),
            Some(Function::Sha512_256) => self.run_with(Sha512_256::on(engine), group, done),
            Some(Function::Sha3_224) => self.run_with(Sha3_224::on(engine), group, done),
            Some(Function::Sha3_256) => self.run_with(Sha3_256::on(engine), group, done),
            Some(Function::Sha3_384) => self.run_with(Sha3_384::on(engine), group, done),
            Some(Function::Sha3_512) => self.run_with(Sha3_512::on(engine), group, done),
            Some(Function::Shake128 | Function::Shake256) | None => skip(unknown("hmacAlg", name), done),
        }
    }

    fn run_with<H: FixedHash>(self, hash: H, group: &Group, done: &mut impl FnMut(&Vector, Verdict)) {
        for tests in group.tests.chunks(BATCH) {
            match self {
                Self::Hmac => macs(hash, group, tests, done),
                Self::Hkdf => hkdfs(hash, tests, Expansion::of_hkdf, done),
                Self::KdaHkdf => hkdfs(hash, tests, |test| Expansion::of_kda(group, test), done),
                Self::Pbkdf2 => pbkdf2s(hash, tests, done),
            }
        }
    }
}

/// Bytes that a length in bits, if there is one, says that a field has.
fn check_len(field: &str, bytes: &[u8], bits: Option<u64>) -> Result<(), Trouble> {
    match bits.map(|bits| whole_bytes(field, bits)).transpose()? {
        Some(len) if len != bytes.len() => {
            Err(Trouble::Failed(format!("{field} says {len} bytes, there are {}", bytes.len())))
        }
        _ => Ok(()),
    }
}

/// Nothing is the beginning of any output, so agreement says nothing.
fn something<'a>(field: &str, bytes: &'a [u8]) -> Result<&'a [u8], Trouble> {
    if bytes.is_empty() { Err(Trouble::Skipped(format!("{field} is empty"))) } else { Ok(bytes) }
}

/// What a call came to, against what the file expects.
fn judge(way: &str, result: Result<&[u8], hashloom::Error>, expected: &[u8]) -> Verdict {
    match result {
        Ok(output) => same(way, output, expected),
        Err(error) => Err(Trouble::Failed(format!("{way}: {error}"))),
    }
}

/// A key, a message and a tag, the leading bytes of the whole one.
struct Known<'a> {
    key: &'a [u8],
    message: &'a [u8],
    tag: &'a [u8],
    valid: bool,
}

impl<'a> Known<'a> {
    fn of(group: &Group, test: &'a Vector) -> Result<Self, Trouble> {
        let (key, message) = (need(&test.key, "key")?, need(&test.msg, "msg")?);
        let tag = something("mac", need(&test.mac, "mac")?)?;
        check_len("keyLen", key, test.key_len.or(group.key_len))?;
        check_len("msgLen", message, test.msg_len.or(group.msg_len))?;
        let valid = test.test_passed != Some(false);
        if valid {
            check_len("macLen", tag, test.mac_len.or(group.mac_len))?;
        }
        Ok(Self { key, message, tag, valid })
    }
}

/// Tags three ways, which must all agree with the file: each by itself, each from odd pieces, all in one call; and
/// verified, where the tag is long enough.
fn macs<H: FixedHash>(hash: H, group: &Group, tests: &[Vector], done: &mut impl FnMut(&Vector, Verdict)) {
    let cases: Vec<_> = tests.iter().map(|test| Known::of(group, test)).collect();
    let known: Vec<&Known<'_>> = cases.iter().flatten().collect();
    let keys = HmacKey::many(hash, &known.iter().map(|known| known.key).collect::<Vec<_>>());
    let messages: Vec<&[u8]> = known.iter().map(|known| known.message).collect();
    let mut tags = vec![0; H::LEN * messages.len()];
    let many = hmac::mac_many(&keys, &messages, &mut tags);
    let mut tags = tags.chunks_exact(H::LEN);
    for (test, case) in tests.iter().zip(&cases) {
        done(
            test,
            case.as_ref().map_err(Clone::clone).and_then(|known| {
                // a tag that is too long is not the beginning of a whole one
                let len = known.tag.len().min(H::LEN);
                let of_many = many.map(|()| &tags.next().unwrap_or_default()[..len]);
                let mut tag = vec![0; len];
                let single = hmac::mac(hash, known.key, &[known.message], &mut tag).map(|()| &tag[..]);
                let verified = hmac::verify(hash, known.key, &[known.message], known.tag);
                if !known.valid {
                    let differs = matches!((single, of_many), (Ok(one), Ok(many)) if one != known.tag && one == many);
                    let refused = verified.is_err();
                    return if differs && refused {
                        Ok(())
                    } else {
                        Err(Trouble::Failed("accepted, expected to be refused".to_string()))
                    };
                }
                judge("mac", single, known.tag)?;
                judge("mac_many", of_many, known.tag)?;
                let mut tag = vec![0; len];
                judge("hmac", in_pieces(hash, known, &mut tag).map(|()| &tag[..]), known.tag)?;
                match verified {
                    Err(hashloom::Error::TagTooShort { minimum }) if len < minimum => Ok(()),
                    Ok(()) if len >= hmac::min_tag_len::<H>() => Ok(()),
                    other => Err(Trouble::Failed(format!("verify: {other:?}"))),
                }
            }),
        );
    }
}

fn in_pieces<H: FixedHash>(hash: H, known: &Known<'_>, tag: &mut [u8]) -> Result<(), hashloom::Error> {
    let mut hmac = Hmac::new(hash, known.key);
    let mut message = known.message;
    for piece in PIECES.into_iter().cycle() {
        let (now, later) = message.split_at(piece.min(message.len()));
        hmac.update(now);
        message = later;
        if message.is_empty() {
            break;
        }
    }
    hmac.finish(tag)
}

/// A case of HKDF.
struct Expansion<'a> {
    salt: &'a [u8],
    ikm: &'a [u8],
    info: Vec<u8>,
    prk: Option<&'a [u8]>,
    len: usize,
    okm: &'a [u8],
    valid: bool,
}

impl<'a> Expansion<'a> {
    fn of_hkdf(test: &'a Vector) -> Result<Self, Trouble> {
        let valid = test.test_passed != Some(false);
        let okm = need(&test.okm, "okm")?;
        if valid {
            something("okm", okm)?;
        }
        let len = *need(&test.length, "length")?;
        if valid {
            check_len("length", okm, len.checked_mul(8))?;
        }
        Ok(Self {
            salt: need(&test.salt, "salt")?,
            ikm: need(&test.ikm, "ikm")?,
            info: need(&test.info, "info")?.to_vec(),
            prk: test.prk.as_deref(),
            len: usize::try_from(len).unwrap_or(usize::MAX),
            okm,
            valid,
        })
    }

    /// SP 800-56C Rev. 1 section 5.1, with HMAC in both steps: FixedInfo is HKDF's info, Z its input.
    fn of_kda(group: &Group, test: &'a Vector) -> Result<Self, Trouble> {
        let configuration = need(&group.kdf_configuration, "kdfConfiguration")?;
        if configuration.fixed_info_encoding != "concatenation" {
            return Err(unknown("fixedInfoEncoding", &configuration.fixed_info_encoding));
        }
        let parameter = need(&test.kdf_parameter, "kdfParameter")?;
        let okm = something("dkm", need(&test.dkm, "dkm")?)?;
        check_len("l", okm, Some(parameter.l))?;
        let bits = u32::try_from(parameter.l).map_err(|_| unknown("l", &parameter.l.to_string()))?;
        let mut info = Vec::new();
        for part in configuration.fixed_info_pattern.split("||") {
            match part {
                "uPartyInfo" => need(&test.fixed_info_party_u, "fixedInfoPartyU")?.append_to(&mut info),
                "vPartyInfo" => need(&test.fixed_info_party_v, "fixedInfoPartyV")?.append_to(&mut info),
                "l" => info.extend(bits.to_be_bytes()),
                other => return Err(unknown("fixedInfoPattern", other)),
            }
        }
        let (salt, ikm) = (&parameter.salt, &parameter.z);
        Ok(Self { salt, ikm, info, prk: None, len: okm.len(), okm, valid: true })
    }
}

impl Party {
    fn append_to(&self, info: &mut Vec<u8>) {
        info.extend_from_slice(&self.party_id);
        info.extend_from_slice(self.ephemeral_data.as_deref().unwrap_or_default());
    }
}

/// Outputs two ways, each by itself and all in one call, at the longest length: a shorter output is the beginning of a
/// longer one.
fn hkdfs<'a, H: FixedHash>(
    hash: H,
    tests: &'a [Vector],
    read: impl Fn(&'a Vector) -> Result<Expansion<'a>, Trouble>,
    done: &mut impl FnMut(&Vector, Verdict),
) {
    let most = hkdf::max_len::<H>();
    let cases: Vec<_> = tests.iter().map(read).collect();
    let possible: Vec<&Expansion<'_>> = cases.iter().flatten().filter(|case| case.len <= most).collect();
    let prks: Vec<_> = possible.iter().map(|case| hkdf::Prk::extract(hash, case.salt, &[case.ikm])).collect();
    let infos: Vec<&[u8]> = possible.iter().map(|case| &case.info[..]).collect();
    let len = possible.iter().map(|case| case.len).max().unwrap_or_default();
    let mut outputs = vec![0; len * infos.len()];
    let many = if infos.is_empty() { Ok(()) } else { hkdf::expand_many(&prks, &infos, &mut outputs) };
    let mut at = 0;
    for (test, case) in tests.iter().zip(&cases) {
        done(
            test,
            case.as_ref().map_err(Clone::clone).and_then(|case| {
                let mut out = vec![0; case.len.min(most + 1)];
                let single = hkdf::derive(hash, case.salt, &[case.ikm], &[&case.info], &mut out).map(|()| &out[..]);
                if case.len > most {
                    return match (single, case.valid) {
                        (Err(hashloom::Error::OutputTooLong { limit }), false) if limit == most => Ok(()),
                        (other, _) => Err(Trouble::Failed(format!("derive of {} bytes: {other:?}", case.len))),
                    };
                }
                let of_many = many.map(|()| &outputs[at..at + case.len]);
                at += len;
                if !case.valid {
                    return Err(Trouble::Skipped("invalid for an unknown reason".to_string()));
                }
                if let Some(expected) = case.prk {
                    let mut prk = vec![0; H::LEN];
                    let extracted = hkdf::extract(hash, case.salt, &[case.ikm], &mut prk).map(|()| &prk[..]);
                    judge("extract", extracted, expected)?;
                }
                judge("derive", single, case.okm)?;
                judge("expand_many", of_many, case.okm)
            }),
        );
    }
}

/// A case of PBKDF2.
struct Stretch<'a> {
    password: &'a [u8],
    salt: &'a [u8],
    iterations: u32,
    key: &'a [u8],
}

impl<'a> Stretch<'a> {
    fn of<H: FixedHash>(test: &'a Vector) -> Result<Self, Trouble> {
        let (password, salt) = (need(&test.password, "password")?, need(&test.salt, "salt")?);
        let (key, count) = (
            something("derivedKey", need(&test.derived_key, "derivedKey")?)?,
            *need(&test.iteration_count, "iterationCount")?,
        );
        if test.test_passed == Some(false) {
            return Err(Trouble::Skipped("invalid for an unknown reason".to_string()));
        }
        check_len("keyLen", key, test.key_len)?;
        let blocks = key.len().div_ceil(H::LEN) as u64;
        if count.saturating_mul(blocks) > MOST_ITERATIONS {
            return Err(Trouble::Skipped(format!(
                "{count} iterations of {blocks} blocks are more than {MOST_ITERATIONS}"
            )));
        }
        Ok(Self { password: &password.0, salt, iterations: count as u32, key })
    }
}

/// Keys two ways: each by itself, and those with the same number of iterations in one call.
fn pbkdf2s<H: FixedHash>(hash: H, tests: &[Vector], done: &mut impl FnMut(&Vector, Verdict)) {
    let cases: Vec<_> = tests.iter().map(Stretch::of::<H>).collect();
    let mut outputs: Vec<Vec<u8>> =
        cases.iter().map(|case| vec![0; case.as_ref().map_or(0, |case| case.key.len())]).collect();
    let mut batches: BTreeMap<u32, Vec<Derivation<'_>>> = BTreeMap::new();
    for (case, out) in cases.iter().zip(&mut outputs) {
        if let Ok(Stretch { password, salt, iterations, .. }) = case {
            batches.entry(*iterations).or_default().push(Derivation { password, salt, out });
        }
    }
    let many: BTreeMap<u32, Result<(), hashloom::Error>> = batches
        .into_iter()
        .map(|(iterations, mut batch)| (iterations, pbkdf2::derive_many(hash, iterations, &mut batch)))
        .collect();
    for ((test, case), of_many) in tests.iter().zip(&cases).zip(&outputs) {
        done(
            test,
            case.as_ref().map_err(Clone::clone).and_then(|case| {
                judge("derive_many", many[&case.iterations].map(|()| &of_many[..]), case.key)?;
                let mut out = vec![0; case.key.len()];
                let single = pbkdf2::derive(hash, case.password, case.salt, case.iterations, &mut out);
                judge("derive", single.map(|()| &out[..]), case.key)
            }),
        );
    }
}
