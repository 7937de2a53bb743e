//! Files that are not what they should be: an error or a verdict, never a panic.

use hashloom::Engine;
use hashloom_kat::{KatError, read, run};

const HASH: &str = r#"[{"acvVersion":"1.0"},{"algorithm":"SHAKE-128","testGroups":[
    {"tgId":1,"testType":"AFT","tests":[{"tcId":1,"msg":"0e","len":8,"md":"fa996dafaa208d72287c23bc4ed4bfd5","outLen":128}]},
    {"tgId":2,"testType":"LDT","tests":[{"tcId":2,"md":"00","largeMsg":{"content":"00","contentLength":8,
        "fullLength":8,"expansionTechnique":"repeating"}}]},
    {"tgId":3,"testType":"MCT","minOutLen":16,"maxOutLen":32,"tests":[{"tcId":3,"msg":"00",
        "resultsArray":[{"md":"0011","outLen":16}]}]}]}]"#;

const SIGNATURE: &str = r#"{"algorithm":"SLH-DSA","mode":"sigVer","testGroups":[{"tgId":1,"testType":"AFT",
    "parameterSet":"SLH-DSA-SHA2-128f","signatureInterface":"external","preHash":"preHash","tests":[{"tcId":1,
    "pk":"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f","message":"00","context":"",
    "hashAlg":"SHA2-256","signature":"00","testPassed":false}]}]}"#;

const WYCHEPROOF: &str = r#"{"algorithm":"SLH-DSA-SHA2-128f","schema":"slhdsa_verify_schema.json","testGroups":[
    {"type":"SlhDsaPreHashVerify","publicKey":"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f",
    "hash":"SHA2-256","tests":[{"tcId":1,"msg":"00","ctx":"","sig":"00","result":"invalid"}]}]}"#;

const HMAC: &str = r#"{"algorithm":"HMACSHA256","schema":"mac_test_schema_v1.json","testGroups":[{"keySize":32,
    "tagSize":128,"tests":[{"tcId":1,"key":"4a656665","msg":"7768617420646f2079612077616e7420666f72206e6f7468696e673f",
    "tag":"5bdcc146bf60754e6a042426089575c7","result":"valid"}]}]}"#;

const KDA: &str = r#"{"algorithm":"KDA","mode":"HKDF","testGroups":[{"tgId":1,"testType":"AFT","hmacAlg":"SHA2-256",
    "kdfConfiguration":{"fixedInfoPattern":"uPartyInfo||vPartyInfo","fixedInfoEncoding":"concatenation"},
    "tests":[{"tcId":1,"kdfParameter":{"salt":"","z":"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b","l":64},
    "fixedInfoPartyU":{"partyId":""},"fixedInfoPartyV":{"partyId":""},"dkm":"8da4e775a563c18f"}]}]}"#;

const PBKDF: &str = r#"{"algorithm":"PBKDF","testGroups":[{"tgId":1,"testType":"AFT","hmacAlg":"SHA2-256","tests":[
    {"tcId":1,"password":"passwd","salt":"73616c74","iterationCount":1,"keyLen":64,"derivedKey":"55ac046e56e3089f"}]}]}"#;

#[test]
fn wrong_types_and_text_are_errors() {
    let group =
        |fields: &str| format!(r#"{{"algorithm":"SHA2-256","testGroups":[{{"tgId":1,"testType":"AFT",{fields}}}]}}"#);
    let texts = [
        String::new(),
        "null".to_string(),
        "[]".to_string(),
        "{}".to_string(),
        r#"[{"acvVersion":"1.0"}]"#.to_string(),
        r#"[{"acvVersion":"1.0"},{"algorithm":"SHA2-256","testGroups":[]},{}]"#.to_string(),
        r#"{"algorithm":"SHA2-256"}"#.to_string(),
        r#"{"algorithm":"SHA2-256","testGroups":[]} x"#.to_string(),
        r#"{"algorithm":"SHA2-256","testGroups":{}}"#.to_string(),
        r#"{"algorithm":["SHA2-256"],"testGroups":[]}"#.to_string(),
        group(r#""tests":{}"#),
        group(r#""tests":[{}]"#),
        group(r#""tests":[{"tcId":-1}]"#),
        group(r#""tests":[{"tcId":1.5}]"#),
        group(r#""tests":[{"tcId":99999999999999999999}]"#),
        group(r#""tests":[{"tcId":1,"tcId":1}]"#),
        group(r#""tests":[{"tcId":1,"len":"8"}]"#),
        group(r#""tests":[{"tcId":1,"msg":8}]"#),
        group(r#""tests":[{"tcId":1,"msg":"0"}]"#),
        group(r#""tests":[{"tcId":1,"msg":"0g"}]"#),
        group(r#""tests":[{"tcId":1,"msg":"é"}]"#),
        group(r#""tests":[{"tcId":1,"testPassed":"true"}]"#),
        group(r#""tests":[],"deterministic":1"#),
        format!("{{\"algorithm\":{}", "[".repeat(100_000)),
    ];
    for text in texts {
        assert!(matches!(read(text.as_bytes()), Err(KatError::Json(_))), "{text:.200}");
    }
    assert!(matches!(read(&[0xff, 0xfe]), Err(KatError::Json(_))));
    let error = read(group(r#""tests":[{"tcId":1,"msg":"0g"}]"#).as_bytes()).unwrap_err();
    assert!(error.to_string().contains("line 1 column"), "{error}");
}

/// Cuts a file at each byte and puts another there, then reads and runs it.
#[test]
fn no_damage_panics() {
    let engine = Engine::get();
    for text in [HASH, SIGNATURE, WYCHEPROOF, HMAC, KDA, PBKDF] {
        let whole = run(&read(text.as_bytes()).unwrap(), &engine, None);
        assert!(whole.passed() > 0, "{:?}", whole.failures);
        for at in 0..text.len() {
            assert!(read(&text.as_bytes()[..at]).is_err());
            for byte in *b"\"{}[],:0279afnt-.eX \n\\\0\xff" {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = byte;
                if let Ok(file) = read(&bytes) {
                    let _ = run(&file, &engine, None).to_string();
                }
            }
        }
    }
}
