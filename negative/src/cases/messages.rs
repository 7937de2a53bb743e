//! Messages and contexts, and the encoding M' that is signed in their place (FIPS 204 Alg. 2 to 5, FIPS 205 Alg. 22 to 25).

use hashloom::slh_dsa::{Mode, PreHash};
use sha2::{Digest, Sha256};
use sha3::Sha3_256;
use shake::{ExtendableOutput, Shake128, Shake256, Update, XofReader};

use super::{Extent, MESSAGE, Signer, random};
use crate::file::{Case, Flag, Interface};

/// A message, its context, and what is tried with them.
type Row<'a> = (&'a [u8], Option<&'a [u8]>, &'a str);

const CONTEXT: &[u8] = b"context";

/// A claim about a message and context.
struct Claim<'a> {
    interface: Interface,
    message: &'a [u8],
    context: Option<&'a [u8]>,
}

const PURE: Claim<'static> = Claim { interface: Interface::Pure, message: MESSAGE, context: Some(CONTEXT) };

fn add(maker: &mut dyn Signer, flag: Flag, comment: impl Into<String>, claim: &Claim<'_>, signature: &[u8]) {
    let public = maker.public().to_vec();
    maker.add(&Case {
        public: &public,
        interface: claim.interface,
        flag,
        comment: comment.into(),
        message: claim.message,
        context: claim.context,
        signature,
        valid: flag == Flag::ValidSignature,
    });
}

/// Valid signatures; where encodings are left out, with the pre-hash functions of SHAKE alone.
pub(crate) fn valid(maker: &mut dyn Signer, extent: Extent) {
    let long = random("negative vectors, long message", 1000);
    let contexts = random("negative vectors, contexts", 255);
    let messages: [Row<'_>; 7] = [
        (MESSAGE, None, "no context"),
        (MESSAGE, Some(b""), "empty context"),
        (MESSAGE, Some(CONTEXT), "a context"),
        (MESSAGE, Some(&[0]), "a context of one zero byte"),
        (MESSAGE, Some(&contexts), "longest context"),
        (b"", Some(CONTEXT), "empty message"),
        (&long, None, "long message"),
    ];
    for (message, context, comment) in messages {
        let mode = Mode::Pure { context: context.unwrap_or_default() };
        let signature = maker.sign(message, &mode);
        let claim = Claim { interface: Interface::Pure, message, context };
        add(maker, Flag::ValidSignature, comment, &claim, &signature);
    }
    for (message, comment) in [(MESSAGE, "M' of any form"), (&b""[..], "M' empty")] {
        let signature = maker.sign(message, &Mode::Internal);
        let claim = Claim { interface: Interface::Internal, message, context: None };
        add(maker, Flag::ValidSignature, comment, &claim, &signature);
    }
    let functions = match extent {
        Extent::Whole => &PreHash::ALL[..],
        _ => &PreHash::ALL[10..],
    };
    for &function in functions {
        let signature = maker.sign(MESSAGE, &Mode::PreHash { context: CONTEXT, function });
        let claim = Claim { interface: Interface::PreHash(function), ..PURE };
        add(maker, Flag::ValidSignature, "valid", &claim, &signature);
    }
}

pub(crate) fn encodings(maker: &mut dyn Signer) {
    messages(maker);
    contexts(maker);
    long_contexts(maker);
    pure(maker);
    interfaces(maker);
    prehash(maker);
    confusion(maker);
}

/// The message is not the one that was signed.
fn messages(maker: &mut dyn Signer) {
    let signature = maker.good().to_vec();
    let wrong: [(&[u8], &str); 6] = [
        (b"", "empty message"),
        (b"a messag", "last byte missing"),
        (b" message", "first byte missing"),
        (b"a message\0", "a zero byte appended"),
        (b"A message", "first byte changed"),
        (b"a message\n", "a newline appended"),
    ];
    for (message, comment) in wrong {
        add(maker, Flag::ModifiedMessage, comment, &Claim { message, context: None, ..PURE }, &signature);
    }
}

/// The context is not the one that was signed.
fn contexts(maker: &mut dyn Signer) {
    let signature = maker.sign(MESSAGE, &Mode::Pure { context: CONTEXT });
    let wrong: [Row<'_>; 11] = [
        (MESSAGE, None, "no context in place of one"),
        (MESSAGE, Some(b""), "empty context in place of one"),
        (MESSAGE, Some(b"contex"), "last byte missing"),
        (MESSAGE, Some(b"context\0"), "a zero byte appended"),
        (MESSAGE, Some(b"\0context"), "a zero byte in front"),
        (MESSAGE, Some(b"Context"), "in another case"),
        (MESSAGE, Some(b"txetnoc"), "backwards"),
        (b"ta message", Some(b"contex"), "last byte moved to the message"),
        (b"contexta message", None, "all of it moved to the message"),
        (b" message", Some(b"contexta"), "a byte of the message moved to it"),
        (b"\0\x07contexta message", None, "the encoding as message"),
    ];
    for (message, context, comment) in wrong {
        let comment = format!("context: {comment}");
        add(maker, Flag::WrongContext, comment, &Claim { message, context, ..PURE }, &signature);
    }
    let signature = maker.good().to_vec();
    for (context, comment) in [(CONTEXT, "a context in place of none"), (&[0], "a zero byte in place of none")] {
        add(maker, Flag::WrongContext, comment, &Claim { context: Some(context), ..PURE }, &signature);
    }
}

/// No signature is valid with such a context, however its length was written.
fn long_contexts(maker: &mut dyn Signer) {
    let long = random("negative vectors, long context", 512);
    for (len, length, signed, comment) in [
        (256, &[0][..], 256, "256 bytes, length byte 0"),
        (256, &[255], 255, "256 bytes, cut to 255"),
        (256, &[255], 256, "256 bytes, length byte 255"),
        (256, &[0], 0, "256 bytes, taken for none"),
        (256, &[1, 0], 256, "256 bytes, length of two bytes"),
        (257, &[1], 257, "257 bytes, length byte 1"),
        (512, &[0], 512, "512 bytes, length byte 0"),
    ] {
        let signature = maker.sign(&[&[0], length, &long[..signed], MESSAGE].concat(), &Mode::Internal);
        add(maker, Flag::InvalidContext, comment, &Claim { context: Some(&long[..len]), ..PURE }, &signature);
    }
    let function = PreHash::Sha2_256;
    let signature = maker.sign(&[&[1, 0], &long[..256], &oid(function), &sha256(MESSAGE)].concat(), &Mode::Internal);
    let claim = Claim { interface: Interface::PreHash(function), context: Some(&long[..256]), ..PURE };
    add(maker, Flag::InvalidContext, "256 bytes, length byte 0", &claim, &signature);
}

/// What a signer may put in place of M' of the pure interface.
fn pure(maker: &mut dyn Signer) {
    let (m, c) = (MESSAGE, CONTEXT);
    for (framed, comment) in [
        ([&[1, 7], c, m].concat(), "domain separator 1"),
        ([&[2, 7], c, m].concat(), "domain separator 2"),
        ([&[7], c, m].concat(), "no domain separator"),
        ([&[7, 0], c, m].concat(), "domain separator after the length"),
        ([&[0], c, m].concat(), "no length byte"),
        ([&[0, 0], c, m].concat(), "length byte 0"),
        ([&[0, 6], c, m].concat(), "length byte too small"),
        ([&[0, 8], c, m].concat(), "length byte too large"),
        ([&[0, 56], c, m].concat(), "length in bits"),
        ([&[0, 0, 7], c, m].concat(), "length of two bytes, big-endian"),
        ([&[0, 7, 0], c, m].concat(), "length of two bytes, little-endian"),
        ([&[0, 0, 0, 0, 0, 0, 0, 7], c, m].concat(), "length of seven bytes"),
        ([&[0, 9], m, c].concat(), "message and context exchanged"),
        ([&[0, 7], m, c].concat(), "context after the message"),
        ([&[0, 7], m].concat(), "context left out, its length not"),
        ([&[0, 7], c].concat(), "message left out"),
        ([c, m].concat(), "context and message alone"),
        ([&[0, 8], c, &[0], m].concat(), "context ended by a zero byte"),
        ([&[0, 7], c, &sha256(m)[..]].concat(), "SHA-256 of the message in place of the message"),
        (sha256(&[&[0, 7], c, m].concat()), "SHA-256 of M'"),
    ] {
        let signature = maker.sign(&framed, &Mode::Internal);
        add(maker, Flag::MessageEncoding, comment, &PURE, &signature);
    }
    let empty = Claim { context: None, ..PURE };
    for (framed, comment) in [
        (MESSAGE.to_vec(), "no context: the message alone"),
        ([&[0], m].concat(), "no context: no length byte"),
        ([&[0, 1, 0], m].concat(), "no context: a zero byte as context"),
        ([&[1, 0], m].concat(), "no context: domain separator 1"),
    ] {
        let signature = maker.sign(&framed, &Mode::Internal);
        add(maker, Flag::MessageEncoding, comment, &empty, &signature);
    }
}

/// Signatures by one interface for another.
fn interfaces(maker: &mut dyn Signer) {
    let function = PreHash::Sha2_256;
    let digest = sha256(MESSAGE);
    let internal = Claim { interface: Interface::Internal, context: None, ..PURE };
    let hashed = Claim { interface: Interface::PreHash(function), ..PURE };

    let pure = maker.sign(MESSAGE, &Mode::Pure { context: CONTEXT });
    add(maker, Flag::OtherInterface, "pure, verified as internal", &internal, &pure);
    add(maker, Flag::OtherInterface, "pure, verified as pre-hash", &hashed, &pure);
    let framed = [&[0, 7], CONTEXT, MESSAGE].concat();
    let claim = Claim { message: &framed, ..internal };
    add(maker, Flag::ValidSignature, "the M' of the pure interface", &claim, &pure);

    let prehash = maker.sign(MESSAGE, &Mode::PreHash { context: CONTEXT, function });
    add(maker, Flag::OtherInterface, "pre-hash, verified as internal", &internal, &prehash);
    add(maker, Flag::OtherInterface, "pre-hash, verified as pure", &PURE, &prehash);
    let claim = Claim { message: &digest, ..PURE };
    add(maker, Flag::OtherInterface, "pre-hash, verified as pure of the digest", &claim, &prehash);
    let signed = [&oid(function)[..], &digest].concat();
    let claim = Claim { message: &signed, ..PURE };
    add(maker, Flag::OtherInterface, "pre-hash, verified as pure of identifier and digest", &claim, &prehash);

    let pure = maker.sign(&signed, &Mode::Pure { context: CONTEXT });
    add(maker, Flag::OtherInterface, "pure of identifier and digest, verified as pre-hash", &hashed, &pure);
    let pure = maker.sign(&digest, &Mode::Pure { context: CONTEXT });
    add(maker, Flag::OtherInterface, "pure of the digest, verified as pre-hash", &hashed, &pure);
    let bare = maker.sign(&digest, &Mode::Internal);
    add(maker, Flag::OtherInterface, "internal of the digest, verified as pre-hash", &hashed, &bare);
}

/// What a signer may put in place of M' of the pre-hash interface.
fn prehash(maker: &mut dyn Signer) {
    let function = PreHash::Sha2_256;
    let (c, id, digest) = (CONTEXT, oid(function), sha256(MESSAGE));
    let head = [&[1, 7], c].concat();
    let parameters = [&[0x30, 0x0d], &id[..], &[5, 0]].concat();
    let hashed = Claim { interface: Interface::PreHash(function), ..PURE };
    for (framed, comment) in [
        ([&[0, 7], c, &id, &digest].concat(), "domain separator 0"),
        ([&[7], c, &id, &digest].concat(), "no domain separator"),
        ([&[1, 0], &id[..], &digest].concat(), "context left out"),
        ([&[1], c, &id, &digest].concat(), "no length byte"),
        ([&head[..], &digest].concat(), "no identifier"),
        ([&head[..], &id[2..], &digest].concat(), "identifier without tag and length"),
        ([&head[..], &id[1..], &digest].concat(), "identifier without tag"),
        ([&head[..], &parameters, &digest].concat(), "an AlgorithmIdentifier in place of the identifier"),
        ([&head[..], &parameters, &[4, 32], &digest].concat(), "contents of a DigestInfo"),
        ([&head[..], b"2.16.840.1.101.3.4.2.1", &digest].concat(), "identifier as text"),
        ([&head[..], &digest, &id].concat(), "identifier after the digest"),
        ([&id[..], &head, &digest].concat(), "identifier in front"),
        ([&head[..], &id].concat(), "digest left out"),
        ([&head[..], &id, &digest[..31]].concat(), "digest without its last byte"),
        ([&head[..], &id, &digest[..16]].concat(), "half of the digest"),
        ([&head[..], &id, &digest, &[0]].concat(), "digest with a zero byte"),
        ([&head[..], &id, &sha256(&digest)].concat(), "digest of the digest"),
        ([&head[..], &id, &sha256(b"")].concat(), "digest of nothing"),
        ([&head[..], &id, &sha256(&[c, MESSAGE].concat())].concat(), "digest of context and message"),
        ([&head[..], &id, hex::encode(&digest).as_bytes()].concat(), "digest in hexadecimal"),
        ([&head[..], &id, &[0; 32]].concat(), "digest zero"),
        ([&head[..], &id, MESSAGE].concat(), "the message in place of the digest"),
    ] {
        let signature = maker.sign(&framed, &Mode::Internal);
        add(maker, Flag::MessageEncoding, comment, &hashed, &signature);
    }
    for (function, len, digest) in [
        (PreHash::Shake128, 16, xof::<Shake128>(16)),
        (PreHash::Shake128, 64, xof::<Shake128>(64)),
        (PreHash::Shake256, 32, xof::<Shake256>(32)),
        (PreHash::Shake256, 128, xof::<Shake256>(128)),
    ] {
        let signature = maker.sign(&[&head[..], &oid(function), &digest].concat(), &Mode::Internal);
        let claim = Claim { interface: Interface::PreHash(function), ..PURE };
        add(maker, Flag::PreHashConfusion, format!("digest of {len} bytes"), &claim, &signature);
    }
}

/// Functions whose digests have the same length, taken for each other.
fn confusion(maker: &mut dyn Signer) {
    use PreHash as P;
    let pairs = [
        (P::Sha2_256, P::Sha3_256),
        (P::Sha3_256, P::Sha2_256),
        (P::Sha2_256, P::Sha2_512_256),
        (P::Sha2_256, P::Shake128),
        (P::Sha2_224, P::Sha2_512_224),
        (P::Sha2_384, P::Sha3_384),
        (P::Sha2_512, P::Shake256),
    ];
    for (signed, claimed) in pairs {
        let signature = maker.sign(MESSAGE, &Mode::PreHash { context: CONTEXT, function: signed });
        let claim = Claim { interface: Interface::PreHash(claimed), ..PURE };
        add(maker, Flag::PreHashConfusion, format!("signed with {signed}"), &claim, &signature);
    }
    let digests = [(P::Sha2_256, sha256(MESSAGE)), (P::Sha3_256, Sha3_256::digest(MESSAGE).to_vec())];
    let others = [P::Sha2_256, P::Sha3_256, P::Sha2_512_256, P::Shake128];
    for (function, digest) in digests {
        for other in others.into_iter().filter(|other| *other != function) {
            let signature = maker.sign(&[&[1, 7], CONTEXT, &oid(other), &digest].concat(), &Mode::Internal);
            // right but for the identifier, and right but for the digest
            for claimed in [function, other] {
                let claim = Claim { interface: Interface::PreHash(claimed), ..PURE };
                let comment = format!("digest of {function} with the identifier of {other}");
                add(maker, Flag::PreHashConfusion, comment, &claim, &signature);
            }
        }
    }
}

fn sha256(message: &[u8]) -> Vec<u8> {
    Sha256::digest(message).to_vec()
}

fn xof<X: ExtendableOutput + Update + Default>(len: usize) -> Vec<u8> {
    let mut digest = vec![0; len];
    X::default().chain(MESSAGE).finalize_xof().read(&mut digest);
    digest
}

/// 2.16.840.1.101.3.4.2.1 to .12 in DER.
fn oid(function: PreHash) -> [u8; 11] {
    let names = [
        "SHA2-256",
        "SHA2-384",
        "SHA2-512",
        "SHA2-224",
        "SHA2-512/224",
        "SHA2-512/256",
        "SHA3-224",
        "SHA3-256",
        "SHA3-384",
        "SHA3-512",
        "SHAKE128",
        "SHAKE256",
    ];
    let arc = 1 + names.iter().position(|name| *name == function.name()).expect("twelve functions") as u8;
    [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, arc]
}
