//! Makes seed corpora from the vectors: `seeds VECTORS CORPUS` writes a folder of inputs for each target that takes
//! keys, signatures or vector files; the others need none.

use std::{
    collections::BTreeMap,
    error::Error,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use seeds::Writer;
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The order of the library's sets and of the object identifiers.
const SETS: [&str; 12] = [
    "SHA2-128s",
    "SHA2-128f",
    "SHA2-192s",
    "SHA2-192f",
    "SHA2-256s",
    "SHA2-256f", //
    "SHAKE-128s",
    "SHAKE-128f",
    "SHAKE-192s",
    "SHAKE-192f",
    "SHAKE-256s",
    "SHAKE-256f",
];

/// The order of the library's pre-hash functions.
const FUNCTIONS: [&str; 12] = [
    "SHA2-256",
    "SHA2-384",
    "SHA2-512",
    "SHA2-224",
    "SHA2-512/224",
    "SHA2-512/256", //
    "SHA3-224",
    "SHA3-256",
    "SHA3-384",
    "SHA3-512",
    "SHAKE-128",
    "SHAKE-256",
];

/// Of a file's cases, as many as a run gets through quickly.
const CASES: usize = 2;

/// Corpora being written.
struct Corpora {
    dir: PathBuf,
    written: BTreeMap<&'static str, usize>,
}

impl Corpora {
    fn add(&mut self, target: &'static str, input: impl AsRef<[u8]>) -> Result<()> {
        let count = self.written.entry(target).or_default();
        let dir = self.dir.join(target);
        fs::create_dir_all(&dir)?;
        fs::write(dir.join(format!("seed-{count:04}")), input)?;
        *count += 1;
        Ok(())
    }
}

fn main() -> Result<()> {
    let mut args = std::env::args_os().skip(1);
    let (Some(vectors), Some(dir), None) = (args.next(), args.next(), args.next()) else {
        return Err("usage: seeds VECTORS CORPUS".into());
    };
    let vectors = Path::new(&vectors);
    let mut corpora = Corpora { dir: dir.into(), written: BTreeMap::new() };
    if corpora.dir.exists() {
        fs::remove_dir_all(&corpora.dir)?;
    }
    signatures(&load(&vectors.join("SLH-DSA-sigVer.json.gz"))?, &mut corpora)?;
    keys(&load(&vectors.join("SLH-DSA-keyGen.json.gz"))?, &mut corpora)?;
    files(vectors, &mut corpora)?;
    encrypted(&mut corpora)?;
    ml_dsa(vectors, &mut corpora)?;
    println!("seeds: {:?}", corpora.written);
    Ok(())
}

/// A vector file's groups.
fn load(path: &Path) -> Result<Value> {
    let mut text = String::new();
    MultiGzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Every group and each of its cases.
fn cases(file: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    list(&file["testGroups"]).iter().flat_map(|group| list(&group["tests"]).iter().map(move |test| (group, test)))
}

fn bytes(test: &Value, field: &str) -> Result<Vec<u8>> {
    Ok(hex::decode(test[field].as_str().unwrap_or_default())?)
}

fn set_of(group: &Value) -> Result<u8> {
    let name = group["parameterSet"].as_str().unwrap_or_default();
    let place = SETS.iter().position(|set| name.strip_prefix("SLH-DSA-") == Some(*set));
    Ok(u8::try_from(place.ok_or("unknown set")?)?)
}

fn signatures(file: &Value, corpora: &mut Corpora) -> Result<()> {
    for (group, test) in cases(file) {
        let set = set_of(group)?;
        let kind = match (group["signatureInterface"].as_str(), group["preHash"].as_str()) {
            (Some("external"), Some("pure")) => 1,
            (Some("external"), _) => 2,
            _ => 0,
        };
        let function = FUNCTIONS.iter().position(|name| test["hashAlg"] == **name).unwrap_or_default();
        let (public, message, signature) = (bytes(test, "pk")?, bytes(test, "message")?, bytes(test, "signature")?);
        let head = Writer::default().byte(set).byte(kind).byte(u8::try_from(function)?).byte(0).short(12_345);
        let body = head.field(&public).field(&bytes(test, "context")?).field(&message).rest(&signature);
        corpora.add("verify", body.0)?;
        // message and signature of two files
        let spki = spki(20 + set, &public);
        if let Ok(first) = u16::try_from(signature.len()) {
            let head = Writer::default().byte(2).byte(set).byte(0).field(&spki).field(&message);
            corpora.add("cli_files", head.short(first).rest(&signature).field(&message).rest(&signature).0)?;
        }
    }
    Ok(())
}

/// Private keys of the sets that make their root fast only: every reading makes it.
fn keys(file: &Value, corpora: &mut Corpora) -> Result<()> {
    for (group, test) in cases(file).step_by(10) {
        let set = set_of(group)?;
        let (secret, public) = (bytes(test, "sk")?, bytes(test, "pk")?);
        let (pkcs8, spki) = (pkcs8(20 + set, &secret, None), spki(20 + set, &public));
        let slow = group["parameterSet"].as_str().is_some_and(|name| name.ends_with('s'));
        let forms = |der: &[u8], label: &str, raw: &[u8]| [der.to_vec(), pem(label, der).into_bytes(), raw.to_vec()];
        let private = forms(&pkcs8, "PRIVATE KEY", &secret);
        let public = forms(&spki, "PUBLIC KEY", &public);
        for (form, bytes) in (0..).zip(&private).filter(|_| !slow) {
            corpora.add("private_key", Writer::default().byte(form).byte(set).byte(0).rest(bytes).0)?;
        }
        for (form, bytes) in (0..).zip(&public) {
            corpora.add("public_key", Writer::default().byte(form).byte(set).byte(0).rest(bytes).0)?;
        }
        for (kind, bytes) in (0..).zip(private.iter().filter(|_| !slow).chain(&public)) {
            corpora.add("cli_files", Writer::default().byte(kind % 2).byte(set).byte(1).rest(bytes).0)?;
        }
        let with_public = self::pkcs8(20 + set, &secret, Some(&bytes(test, "pk")?));
        if !slow {
            corpora.add("private_key", Writer::default().byte(0).byte(set).byte(0).rest(&with_public).0)?;
        }
    }
    Ok(())
}

/// The beginning of every vector file, once plain and once as it is.
fn files(vectors: &Path, corpora: &mut Corpora) -> Result<()> {
    for entry in fs::read_dir(vectors)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "gz") {
            continue;
        }
        let file = load(&path)?;
        for group in list(&file["testGroups"]) {
            let mut group = group.clone();
            if let Some(tests) = group["tests"].as_array_mut() {
                tests.truncate(CASES);
                for results in tests.iter_mut().filter_map(|test| test["resultsArray"].as_array_mut()) {
                    results.truncate(1);
                }
            }
            let small = json!({"algorithm": file["algorithm"], "mode": file["mode"], "testGroups": [group]});
            let mut text = small.to_string();
            if file["mode"].is_null() {
                text = text.replace("\"mode\":null,", "");
            }
            if text.len() < 1 << 14 {
                corpora.add("vectors", &text)?;
                corpora.add("cli_files", Writer::default().byte(5).byte(0).byte(0).rest(text.as_bytes()).0)?;
            }
        }
        if path.metadata()?.len() < 1 << 15 {
            corpora.add("vectors", fs::read(&path)?)?;
        }
    }
    Ok(())
}

/// Forms of encrypted keys, AES in CBC mode under PBKDF2, with all functions, with and without NULL, and with too many
/// iterations. What they hold is noise; the target changes good ones by itself.
fn encrypted(corpora: &mut Corpora) -> Result<()> {
    let pkcs5 = |last: &[u8]| der(0x06, &[&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01][..], last].concat());
    for (function, cipher, count) in
        [(8, 2, &[3][..]), (9, 22, &[40]), (10, 42, &[64]), (11, 42, &[65]), (7, 42, &[1, 0, 0, 0, 0])]
    {
        let null = der(0x05, &[]);
        let prf = |null: &[u8]| der(0x30, &[&digest(function), null].concat());
        for prf in [prf(&null), prf(&[])] {
            let parameters = der(0x30, &[der(0x04, &[7; 16]), der(0x02, count), prf].concat());
            let kdf = der(0x30, &[pkcs5(&[0x05, 0x0c]), parameters].concat());
            let aes = der(0x06, &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, cipher]);
            let aes = der(0x30, &[aes, der(0x04, &[9; 16])].concat());
            let scheme = der(0x30, &[pkcs5(&[0x05, 0x0d]), der(0x30, &[kdf, aes].concat())].concat());
            let file = der(0x30, &[scheme, der(0x04, &[5; 96])].concat());
            corpora.add("encrypted_key", Writer::default().byte(0).byte(0).rest(&file).0)?;
            let text = pem("ENCRYPTED PRIVATE KEY", &file);
            corpora.add("encrypted_key", Writer::default().byte(1).byte(1).rest(text.as_bytes()).0)?;
            corpora.add("cli_files", Writer::default().byte(0).byte(0).byte(0).rest(&file).0)?;
        }
    }
    Ok(())
}

/// ML-DSA: signatures of our own negative vectors, good signatures and keys that the targets change, keys as seeds, hints.
fn ml_dsa(vectors: &Path, corpora: &mut Corpora) -> Result<()> {
    for (set, name) in (0..).zip(["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"]) {
        let file = load(&vectors.join(format!("negative-{name}.json.gz")))?;
        for (group, test) in cases(&file).step_by(10) {
            let kind = match group["type"].as_str() {
                Some("MlDsaVerify") => 1,
                Some("MlDsaPreHashVerify") => 2,
                _ => 0,
            };
            let function = FUNCTIONS.iter().position(|name| group["hash"] == **name).unwrap_or_default();
            let head = Writer::default().byte(0).byte(set).byte(0).byte(kind).byte(u8::try_from(function)?);
            let body = head.field(&bytes(group, "publicKey")?).field(&bytes(test, "ctx")?);
            corpora.add("ml_dsa_verify", body.field(&bytes(test, "msg")?).rest(&bytes(test, "sig")?).0)?;
        }
        for signature in 0..5 {
            corpora.add("ml_dsa_verify", [1, set, 0, signature])?;
        }
        let private = pkcs8(17 + set, &der(0x80, &[7; 32]), None);
        let text = pem("PRIVATE KEY", &private);
        corpora.add("ml_dsa_key", Writer::default().byte(0).byte(set).byte(0).rest(&private).0)?;
        corpora.add("ml_dsa_key", Writer::default().byte(1).byte(set).byte(0).rest(text.as_bytes()).0)?;
        for form in 0..3 {
            corpora.add("ml_dsa_key", [3, set, 0, form, 0, 30, 0, 4])?;
        }
        for form in [4, 7] {
            corpora.add("ml_dsa_key", [form, set, 0])?;
        }
        let public = bytes(&file["testGroups"][0], "publicKey")?;
        let public = spki(17 + set, &public);
        let text = pem("PUBLIC KEY", &public);
        corpora.add("ml_dsa_key", Writer::default().byte(5).byte(set).byte(0).rest(&public).0)?;
        corpora.add("ml_dsa_key", Writer::default().byte(6).byte(set).byte(0).rest(text.as_bytes()).0)?;
        for tidy in 0..2 {
            let ends = [3, 3, 10, 20, 30, 40, 50, 55];
            let places: Vec<u8> = (0..80).map(|i| 3 * i).collect();
            corpora.add("ml_dsa_hint", Writer::default().byte(set).byte(0).byte(tidy).rest(&ends).rest(&places).0)?;
        }
    }
    Ok(())
}

/// The object identifier of HMAC with a digest of PKCS#5's arc.
fn digest(function: u8) -> Vec<u8> {
    der(0x06, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, function])
}

/// One DER element.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match content.len() {
        len @ 0..128 => out.push(len as u8),
        len @ 128..256 => out.extend([0x81, len as u8]),
        len => out.extend([0x82, (len >> 8) as u8, len as u8]),
    }
    out.extend(content);
    out
}

/// AlgorithmIdentifier: 2.16.840.1.101.3.4.3.17 and following for ML-DSA (RFC 9881), .20 and following for SLH-DSA
/// (RFC 9909), without parameters.
fn algorithm(arc: u8) -> Vec<u8> {
    der(0x30, &der(0x06, &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, arc]))
}

fn spki(arc: u8, public: &[u8]) -> Vec<u8> {
    der(0x30, &[algorithm(arc), der(0x03, &[&[0], public].concat())].concat())
}

/// PKCS#8, of version 2 if the public key comes with it.
fn pkcs8(arc: u8, secret: &[u8], public: Option<&[u8]>) -> Vec<u8> {
    let version = der(0x02, &[u8::from(public.is_some())]);
    let public = public.map(|public| der(0x81, &[&[0], public].concat())).unwrap_or_default();
    der(0x30, &[version, algorithm(arc), der(0x04, secret), public].concat())
}

/// RFC 7468.
fn pem(label: &str, der: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in der.chunks(48) {
        for group in line.chunks(3) {
            let bits = (0..3).fold(0, |bits, i| bits << 8 | usize::from(group.get(i).copied().unwrap_or_default()));
            for i in 0..4 {
                let digit = DIGITS[bits >> (18 - 6 * i) & 63];
                text.push(if i <= group.len() { char::from(digit) } else { '=' });
            }
        }
        text.push('\n');
    }
    text + &format!("-----END {label}-----\n")
}
