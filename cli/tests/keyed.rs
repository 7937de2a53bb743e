//! `mac`, `kdf`, and keys that are encrypted under a passphrase.

mod common;

use common::{Place, json, stderr, stdout};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

/// RFC 4231 section 4.3: HMAC-SHA-256 under "Jefe".
const JEFE: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

const FAST: &str = "--iterations 1000 --passphrase-file pass";

fn with_key() -> Place {
    let place = Place::with_messages();
    place.keygen();
    place.write("pass", b"a passphrase\r\nnot this line\n");
    place
}

#[test]
fn tags() {
    let place = Place::with_messages();
    place.write("key", b"Jefe");
    place.write("hexkey", b"4a65 6665\n".split(|b| *b == b' ').collect::<Vec<_>>().concat().as_slice());
    place.write("m", b"what do ya want for nothing?");
    place.run("mac --alg sha256 --key-file key m", 0).stdout(format!("{JEFE}  m\n"));
    place.run("mac --alg SHA2-256 --key-file hexkey --key-hex m", 0).stdout(format!("{JEFE}  m\n"));
    place.run("mac --alg sha-256 --key-file key --len 16 m", 0).stdout(format!("{}  m\n", &JEFE[..32]));
    place.command("mac --alg sha256 --key-fd 0 m").write_stdin("Jefe").assert().code(0).stdout(format!("{JEFE}  m\n"));
    let many = json(&place.run("--json mac --alg sha256 --key-file key a m b c", 0));
    assert_eq!((&many[1]["tag"], &many[1]["file"]), (&JEFE.into(), &"m".into()));
    assert_eq!((&many[4]["kind"], &many[4]["authenticated"]), (&"summary".into(), &4.into()));
    assert_eq!(many[0]["algorithm"], "HMAC-SHA2-256");
    for alg in ["sha224", "sha512", "sha512-256", "sha3-224", "sha3-512"] {
        let one = stdout(&place.run(&format!("--backend portable mac --alg {alg} --key-file key c a b m"), 0));
        assert_eq!(one, stdout(&place.run(&format!("mac --alg {alg} --key-file key c a b m"), 0)), "{alg}");
    }
}

#[test]
fn tags_that_cannot_be_had() {
    let place = Place::with_messages();
    place.write("key", b"Jefe");
    place.write("nokey", b"xyz");
    place.run("mac --alg shake256 --key-file key a", 2).stderr(contains("SHA3-256"));
    for len in [0, 15, 33] {
        place.run(&format!("mac --alg sha256 --key-file key --len {len} a"), 2).stderr(contains("16 to 32 bytes"));
    }
    place.run("mac --alg sha256 --key-file nowhere a", 2).stderr(contains("nowhere: cannot read the secret"));
    place.run("mac --alg sha256 --key-file nokey --key-hex a", 2).stderr(contains("not hexadecimal"));
    place.run("mac --alg sha256 --key-file key --key-fd 0 a", 2);
    place.run("mac --alg sha256 --key-fd 0 -", 2).stderr(contains("only once"));
    place.run("mac --alg sha256 --key-file key a nowhere b", 2).stdout(contains("  a\n").and(contains("  b\n")));
}

#[test]
fn tags_are_checked() {
    let place = Place::with_messages();
    place.write("key", b"Jefe");
    place.write("m", b"what do ya want for nothing?");
    let mac = "mac --alg sha256 --key-file key";
    place.run(&format!("{mac} --tag-hex {JEFE} m"), 0).stdout("m: OK\n").stderr(contains("1 valid, 0 invalid"));
    // truncated to half, in any case
    place.run(&format!("{mac} --tag-hex {} m", JEFE[..32].to_uppercase()), 0);
    place.run(&format!("--quiet {mac} --tag-hex {JEFE} m"), 0).stdout("").stderr("");
    // the first bit of each byte
    for at in (0..64).step_by(2) {
        let digit = u8::from_str_radix(&JEFE[at..=at], 16).unwrap() ^ 8;
        let changed = format!("{}{digit:x}{}", &JEFE[..at], &JEFE[at + 1..]);
        place.run(&format!("{mac} --tag-hex {changed} m"), 1).stdout("m: INVALID\n");
    }
    place.run(&format!("{mac} --tag-hex {JEFE} a"), 1);
    place.write("other", b"Jeff");
    place.run(&format!("mac --alg sha256 --key-file other --tag-hex {JEFE} m"), 1);

    // what is written is read: a short message, a long one, a name that is escaped
    place.write("new\\line", b"attack at dawn");
    place.write("tags", stdout(&place.run(&format!("{mac} a c b new\\line"), 0)).as_bytes());
    place.run(&format!("{mac} --tag-file tags a c b new\\line"), 0);
    let told = json(&place.run(&format!("--json {mac} --tag-file tags a b c new\\line"), 1));
    assert_eq!(
        told.iter().map(|line| line["status"].as_str()).collect::<Vec<_>>()[..4],
        [Some("valid"), Some("invalid"), Some("invalid"), Some("valid")]
    );
    assert_eq!((&told[4]["valid"], &told[4]["invalid"], &told[4]["failed"]), (&2.into(), &2.into(), &0.into()));
    // all are checked even if one cannot be
    place.run(&format!("{mac} --tag-file tags a nowhere b new\\line"), 2).stdout(contains("b: OK"));
    place.run(&format!("{mac} --tag-file tags a c b"), 2).stderr(contains("4 codes for 3 messages"));
    place.run(&format!("{mac} --tag-file nowhere a"), 2).stderr(contains("nowhere: cannot read"));
    place.run(&format!("{mac} --tag-file key a"), 2).stderr(contains("--tag-file: "));
    place.run(&format!("{mac} --tag-hex {} m", &JEFE[..30]), 2).stderr(contains("16 to 32 bytes"));
    place.run(&format!("{mac} --tag-hex {JEFE}00 m"), 2).stderr(contains("16 to 32 bytes"));
    place.run(&format!("{mac} --tag-hex {JEFE} --len 32 m"), 2);
    place.run(&format!("{mac} --tag-hex {JEFE} --tag-file tags m"), 2);
}

/// RFC 7914 section 11 and RFC 5869 appendix A.1.
#[test]
fn keys_that_are_known() {
    let place = Place::new();
    place.write("pw", b"passwd\n");
    place.write("ikm", &[0x0b; 22]);
    let pbkdf2 = "kdf pbkdf2 --alg sha256 --password-file pw --salt-hex 73616c74 --iterations 1 --len 64";
    let key = "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
               49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783";
    place.run(pbkdf2, 0).stdout(format!("{key}\n"));
    place.run(&format!("{pbkdf2} --out key"), 0).stdout("").stderr(contains("key: 1 key in"));
    assert_eq!(hex::encode(place.read("key")), key);
    place.run(&format!("{pbkdf2} --out key"), 2).stderr(contains("exists already"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(place.path("key").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let hkdf = "kdf hkdf --alg sha256 --key-file ikm --salt-hex 000102030405060708090a0b0c --len 42";
    let okm = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
    let both = stdout(&place.run(&format!("{hkdf} --info-hex f0f1f2f3f4f5f6f7f8f9 --info-hex 00"), 0));
    assert_eq!(both.lines().next(), Some(okm));
    assert_eq!(both.lines().count(), 2);
    let told = json(&place.run(&format!("--json {hkdf} --info-hex f0f1f2f3f4f5f6f7f8f9"), 0));
    assert_eq!((&told[0]["key"], &told[0]["info"]), (&okm.into(), &"f0f1f2f3f4f5f6f7f8f9".into()));
    assert_eq!((&told[1]["kind"], &told[1]["algorithm"]), (&"summary".into(), &"HKDF-SHA2-256".into()));
}

#[test]
fn many_passwords_and_salts() {
    let place = Place::new();
    place.write("pws", b"one\ntwo\r\n\nfour");
    place.write("pw", b"two");
    let kdf = |rest: &str| format!("kdf pbkdf2 --alg sha512 --iterations 50 --len 100 {rest}");
    let four = stdout(&place.run(&kdf("--password-file pws --salt-hex 00"), 0));
    assert_eq!(four.lines().count(), 4);
    let one = stdout(&place.run(&kdf("--password-file pw --salt-hex 00"), 0));
    assert_eq!(four.lines().nth(1), one.lines().next());
    let salts = stdout(&place.run(&kdf("--password-file pw --salt-hex 01 --salt-hex 00"), 0));
    assert_eq!(salts.lines().nth(1), one.lines().next());
    let pairs = kdf("--password-file pws --salt-hex 01 --salt-hex 00 --salt-hex 02 --salt-hex 03");
    let pairs = json(&place.run(&format!("--json {pairs}"), 0));
    assert_eq!(pairs[1]["key"].as_str(), one.lines().next());
    assert_eq!((&pairs[1]["index"], &pairs[1]["salt"]), (&1.into(), &"00".into()));
    assert_eq!((&pairs[4]["keys"], &pairs[4]["iterations"]), (&4.into(), &50.into()));
    place.run(&kdf("--password-file pws --salt-hex 01 --salt-hex 00"), 2).stderr(contains("4 passwords and 2 salts"));
    place.run(&kdf("--password-file pws --salt-hex 0"), 2).stderr(contains("--salt-hex"));
    place.run(&kdf("--password-file pws"), 2).stderr(contains("--salt-hex"));
    place.run("kdf pbkdf2 --alg sha256 --password-file pw --salt-hex 00 --iterations 0 --len 1", 2);
    place.run("kdf pbkdf2 --alg sha256 --password-file pw --salt-hex 00 --iterations 1 --len 0", 2);
    // 255 digests and no more
    place.run("kdf hkdf --alg sha256 --key-file pw --len 8160", 0);
    place.run("kdf hkdf --alg sha256 --key-file pw --len 8161", 2).stderr(contains("8160"));
    // nothing but results on standard error's pipe: no bar, no colour
    let long = place
        .run("--log error kdf pbkdf2 --alg sha512 --iterations 2000000 --len 64 --salt-hex 00 --password-file pw", 0);
    assert_eq!(stderr(&long), "");
}

#[test]
fn encrypted_from_the_start() {
    let place = with_key();
    place.run(&format!("keygen --encrypt {FAST} --out locked.pem --pub locked.pub.pem"), 0);
    assert!(place.read("locked.pem").starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
    place.run("sign --key locked.pem --passphrase-file pass a", 0);
    place.run("verify --key locked.pub.pem a", 0);
    place.run("key inspect locked.pem --passphrase-file pass", 0).stdout(contains("PEM, encrypted"));
    let told = json(&place.run("--json key inspect locked.pem --passphrase-file pass", 0));
    assert_eq!((&told[0]["encrypted"], &told[0]["consistent"]), (&true.into(), &true.into()));
    place.run(&format!("keygen --encrypt {FAST} --format raw --out x"), 2).stderr(contains("raw keys"));
    place.write("empty", b"\n");
    place.run("keygen --encrypt --passphrase-file empty --out x", 2).stderr(contains("passphrase is empty"));
    place.run(&format!("keygen --encrypt {FAST} --out locked.pem"), 2).stderr(contains("exists already"));
    for iterations in ["0", "10000001"] {
        place.run(&format!("keygen --encrypt --iterations {iterations} --passphrase-file pass --out x"), 2);
    }
    // what belongs to encryption does not go without it
    for option in ["--passphrase-file pass", "--passphrase-fd 0", "--prf hmac-sha512", "--iterations 1000"] {
        place.run(&format!("keygen {option} --out x"), 2).stderr(contains("need --encrypt"));
    }
    assert!(!place.path("x").exists());
}

#[test]
fn locked_and_unlocked() {
    let place = with_key();
    for (format, prf) in [("pem", "hmac-sha256"), ("der", "hmac-sha512")] {
        let locked = format!("locked.{format}");
        place.run(&format!("key encrypt key.pem --out {locked} --format {format} --prf {prf} {FAST}"), 0);
        place.run(&format!("key decrypt {locked} --out plain.pem --force --passphrase-file pass"), 0);
        assert_eq!(place.read("plain.pem"), place.read("key.pem"));
        let public = stdout(&place.run(&format!("key public {locked} --passphrase-file pass"), 0));
        assert_eq!(public.as_bytes(), place.read("pub.pem"));
        let from_descriptor = format!("key public {locked} --passphrase-fd 0");
        place.command(&from_descriptor).write_stdin("a passphrase\n").assert().code(0).stdout(public);
        place
            .command(&from_descriptor)
            .write_stdin("a passphrase ")
            .assert()
            .code(2)
            .stderr(contains("wrong passphrase"));
        place.run(&format!("verify --key {locked} a"), 2).stderr(contains("use the public one"));
        place.run(&format!("key encrypt {locked} --out again.pem {FAST}"), 2).stderr(contains("`key decrypt`"));
        place.run(&format!("key convert {locked} --out again.pem --format pem"), 2).stderr(contains("`key decrypt`"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(place.path(&locked).metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        let len = place.read(&locked).len();
        place.flip(&locked, len - 40);
        place.run(&format!("key decrypt {locked} --out x --passphrase-file pass"), 2);
    }
    assert!(!place.path("x").exists() && !place.path("again.pem").exists());
    place.run("key decrypt key.pem --out x --passphrase-file pass", 2).stderr(contains("is not encrypted"));
    place.run(&format!("key encrypt pub.pem --out x {FAST}"), 2).stderr(contains("is a public key"));
    place.run("key public key.pem --passphrase-file pass --passphrase-fd 0", 2);
    // raw keys are encrypted as well, the set given
    place.run("key convert key.pem --format raw --out key.raw", 0);
    place.run(&format!("key encrypt key.raw --set slh-dsa-sha2-128f --out raw.pem {FAST}"), 0);
    place.run("key public raw.pem --passphrase-file pass", 0);
}

/// 2^31 - 1 iterations would take minutes.
#[test]
fn too_many_iterations_are_refused() {
    let place = with_key();
    place.run(&format!("key encrypt key.pem --out locked.der --format der {FAST}"), 0);
    let der = place.read("locked.der");
    let at = der.windows(4).position(|bytes| bytes == [2, 2, 0x03, 0xe8]).unwrap();
    let mut more = [&der[..at], &[2, 4, 0x7f, 0xff, 0xff, 0xff], &der[at + 4..]].concat();
    let fix = |bytes: &mut Vec<u8>, header: usize| bytes[header] += 2;
    // PBKDF2-params, its AlgorithmIdentifier, PBES2-params, its AlgorithmIdentifier, the whole
    for header in [at - 19, at - 32, at - 34, at - 47, 2] {
        fix(&mut more, header);
    }
    place.write("long.der", &more);
    let started = std::time::Instant::now();
    place.run("key inspect long.der --passphrase-file pass", 2).stderr(contains("more than 10000000 iterations"));
    assert!(started.elapsed().as_secs() < 5);
}

/// Passphrases are never read from the command line, and a prompt needs a terminal.
#[cfg(target_os = "linux")]
#[test]
fn prompts_need_a_terminal() {
    let place = with_key();
    place.run(&format!("key encrypt key.pem --out locked.pem {FAST}"), 0);
    // without a controlling terminal there is no one to ask
    let output = std::process::Command::new("setsid")
        .arg("--wait")
        .arg(place.command("").get_program())
        .args(["key", "public", "locked.pem"])
        .current_dir(place.path("."))
        .env("HASHLOOM_HOME", place.path("home"))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("setsid of util-linux");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be asked"), "{output:?}");
}

#[test]
fn nothing_is_no_secret() {
    let place = Place::with_messages();
    for (name, bytes) in [("none", &b""[..]), ("blank", b" \n")] {
        place.write(name, bytes);
    }
    place.run("mac --alg sha256 --key-file none a", 2).stderr(contains("the key is empty"));
    place.run("mac --alg sha256 --key-file blank --key-hex a", 2).stderr(contains("the key is empty"));
    place.run("mac --alg sha256 --key-file blank a", 0);
    place.run("kdf hkdf --alg sha256 --key-file none --len 32", 2).stderr(contains("the key is empty"));
    let derive = "kdf pbkdf2 --alg sha256 --iterations 1 --salt-hex 00 --len 32 --password-file";
    place.run(&format!("{derive} none"), 2).stderr(contains("there is no password"));
    place.run(&format!("{derive} blank --out -"), 2).stderr(contains("standard output is where keys go"));
}

#[test]
fn the_default_key_may_be_encrypted() {
    let place = with_key();
    place.run("sign a", 0);
    place.run(&format!("key encrypt home/default.pem --out home/locked.pem {FAST}"), 0);
    std::fs::rename(place.path("home/locked.pem"), place.path("home/default.pem")).unwrap();
    place.run("sign --passphrase-file pass a", 0);
    place.run("verify a", 0);
}
