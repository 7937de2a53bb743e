//! HMAC, HKDF, KDA and PBKDF2: what is wrong fails, and what cannot be judged is skipped.

mod common;

use common::{counts, one_failure, run_json, vectors};
use serde_json::{Value, json};

/// The tag of "what do ya want for nothing?" under "Jefe" (RFC 4231 section 4.3).
fn hmac(edit: impl FnOnce(&mut Value)) -> Value {
    let mut group = json!({"tgId": 1, "testType": "AFT", "hmacAlg": "SHA2-256", "keyLen": 32, "msgLen": 224, "macLen": 256,
        "tests": [{"tcId": 1, "key": "4a656665", "msg": "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "mac": "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"}]});
    edit(&mut group);
    json!({"algorithm": "HMAC", "testGroups": [group]})
}

/// RFC 5869 appendix A.3.
fn hkdf(edit: impl FnOnce(&mut Value)) -> Value {
    let mut group = json!({"tgId": 1, "testType": "AFT", "hmacAlg": "SHA2-256", "tests": [{"tcId": 1, "salt": "", "info": "",
        "ikm": "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "length": 42,
        "prk": "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
        "okm": "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"}]});
    edit(&mut group);
    json!({"algorithm": "HKDF", "testGroups": [group]})
}

/// The same with the two-step key derivation's names; FixedInfo is empty, as both parties are.
fn kda(edit: impl FnOnce(&mut Value)) -> Value {
    let mut group = json!({"tgId": 1, "testType": "AFT", "hmacAlg": "SHA2-256",
        "kdfConfiguration": {"fixedInfoPattern": "uPartyInfo||vPartyInfo", "fixedInfoEncoding": "concatenation"},
        "tests": [{"tcId": 1, "kdfParameter": {"salt": "", "z": "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "l": 336},
        "fixedInfoPartyU": {"partyId": ""}, "fixedInfoPartyV": {"partyId": "", "ephemeralData": ""},
        "dkm": "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"}]});
    edit(&mut group);
    json!({"algorithm": "KDA", "mode": "HKDF", "testGroups": [group]})
}

/// RFC 7914 section 11, the first 32 bytes.
fn pbkdf2(edit: impl FnOnce(&mut Value)) -> Value {
    let mut group = json!({"tgId": 1, "testType": "AFT", "hmacAlg": "SHA2-256", "tests": [{"tcId": 1, "password": "passwd",
        "salt": "73616c74", "iterationCount": 1, "keyLen": 256,
        "derivedKey": "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"}]});
    edit(&mut group);
    json!({"algorithm": "PBKDF", "testGroups": [group]})
}

#[test]
fn what_is_wrong_fails() {
    for set in [hmac(|_| ()), hkdf(|_| ()), kda(|_| ()), pbkdf2(|_| ())] {
        assert_eq!(counts(&run_json(&set)), (1, 0, 0), "{set}");
    }
    assert_eq!(one_failure(hmac(|_| ()), "mac", None), "mac: byte 31 of 32 is 43, expected 40");
    for field in ["key", "msg"] {
        one_failure(hmac(|_| ()), field, None);
    }
    assert_eq!(one_failure(hmac(|_| ()), "mac", Some(json!("5bdc"))), "macLen says 32 bytes, there are 2");
    assert_eq!(one_failure(hmac(|_| ()), "key", Some(json!("4a65"))), "keyLen says 4 bytes, there are 2");
    let too_long = format!("{}00", hmac(|_| ())["testGroups"][0]["tests"][0]["mac"].as_str().unwrap());
    let no_len = hmac(|group| group["macLen"] = Value::Null);
    let text = one_failure(no_len, "mac", Some(json!(too_long)));
    assert_eq!(text, "mac: 32 bytes, expected 33, equal up to byte 32");

    for field in ["ikm", "prk", "okm"] {
        one_failure(hkdf(|_| ()), field, None);
    }
    one_failure(hkdf(|_| ()), "info", Some(json!("00")));
    for length in [41, 43, 8161, u64::MAX] {
        one_failure(hkdf(|_| ()), "length", Some(json!(length)));
    }
    one_failure(kda(|_| ()), "dkm", None);
    one_failure(kda(|_| ()), "kdfParameter/z", None);
    one_failure(kda(|_| ()), "kdfParameter/l", Some(json!(328)));
    one_failure(kda(|_| ()), "fixedInfoPartyU/partyId", Some(json!("00")));
    for field in ["salt", "derivedKey"] {
        one_failure(pbkdf2(|_| ()), field, None);
    }
    one_failure(pbkdf2(|_| ()), "password", Some(json!("passwf")));
    one_failure(pbkdf2(|_| ()), "iterationCount", Some(json!(2)));
    one_failure(pbkdf2(|_| ()), "iterationCount", Some(json!(0)));
    one_failure(pbkdf2(|_| ()), "keyLen", Some(json!(248)));
}

/// A tag that is said to be wrong must be.
#[test]
fn what_is_said_to_be_wrong_must_be() {
    let said = |set: Value| {
        let mut set = set;
        set["testGroups"][0]["tests"][0]["testPassed"] = json!(false);
        counts(&run_json(&set))
    };
    assert_eq!(said(hmac(|_| ())), (0, 1, 0));
    for wrong in ["5bdc", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec384300", &"00".repeat(32)] {
        assert_eq!(
            said(hmac(|group| group["tests"][0]["mac"] = json!(wrong))),
            if wrong == "5bdc" { (0, 1, 0) } else { (1, 0, 0) }
        );
    }
    assert_eq!(said(hkdf(|group| group["tests"][0]["length"] = json!(8161))), (1, 0, 0));
    // nothing says what may be wrong with it
    assert_eq!(said(hkdf(|_| ())), (0, 0, 1));
    assert_eq!(said(pbkdf2(|_| ())), (0, 0, 1));
}

#[test]
fn what_cannot_be_judged_is_skipped() {
    let cases = [
        (hmac(|group| group["hmacAlg"] = json!("SHAKE128")), "hmacAlg \"SHAKE128\" is unknown"),
        (hmac(|group| group["hmacAlg"] = json!("SHA-1")), "hmacAlg \"SHA-1\" is unknown"),
        (hmac(|group| group["hmacAlg"] = Value::Null), "no \"hmacAlg\" in the file"),
        (hmac(|group| group["testType"] = json!("VAL")), "testType \"VAL\" is unknown"),
        (hmac(|group| group["tests"][0]["key"] = Value::Null), "no \"key\" in the file"),
        (hmac(|group| group["tests"][0]["msg"] = Value::Null), "no \"msg\" in the file"),
        (hmac(|group| group["tests"][0]["mac"] = Value::Null), "no \"mac\" in the file"),
        (hmac(|group| group["tests"][0]["mac"] = json!("")), "mac is empty"),
        (hmac(|group| group["macLen"] = json!(255)), "macLen of 255 bits is not a usable number of whole bytes"),
        (hkdf(|group| group["tests"][0]["okm"] = Value::Null), "no \"okm\" in the file"),
        (hkdf(|group| group["tests"][0]["okm"] = json!("")), "okm is empty"),
        (pbkdf2(|group| group["tests"][0]["derivedKey"] = json!("")), "derivedKey is empty"),
        (hkdf(|group| group["tests"][0]["length"] = Value::Null), "no \"length\" in the file"),
        (kda(|group| group["kdfConfiguration"] = Value::Null), "no \"kdfConfiguration\" in the file"),
        (kda(|group| group["tests"][0]["kdfParameter"] = Value::Null), "no \"kdfParameter\" in the file"),
        (kda(|group| group["tests"][0]["fixedInfoPartyV"] = Value::Null), "no \"fixedInfoPartyV\" in the file"),
        (
            kda(|group| group["kdfConfiguration"]["fixedInfoPattern"] = json!("uPartyInfo||t")),
            "fixedInfoPattern \"t\" is unknown",
        ),
        (
            kda(|group| group["kdfConfiguration"]["fixedInfoEncoding"] = json!("concatenationX")),
            "fixedInfoEncoding \"concatenationX\" is unknown",
        ),
        (pbkdf2(|group| group["tests"][0]["iterationCount"] = Value::Null), "no \"iterationCount\" in the file"),
        (pbkdf2(|group| group["tests"][0]["password"] = Value::Null), "no \"password\" in the file"),
        (
            pbkdf2(|group| group["tests"][0]["iterationCount"] = json!((1 << 18) + 1)),
            "262145 iterations of 1 blocks are more than 262144",
        ),
        (
            pbkdf2(|group| group["tests"][0]["iterationCount"] = json!(u64::MAX)),
            "18446744073709551615 iterations of 1 blocks are more than 262144",
        ),
        (
            pbkdf2(|group| {
                group["tests"][0]["iterationCount"] = json!(1 << 17);
                group["tests"][0]["keyLen"] = Value::Null;
                group["tests"][0]["derivedKey"] = json!("00".repeat(65));
            }),
            "131072 iterations of 3 blocks are more than 262144",
        ),
    ];
    for (set, text) in cases {
        let report = run_json(&set);
        assert_eq!(counts(&report), (0, 0, 1), "{set}");
        assert_eq!(report.skips[0].text, text);
    }
}

/// In Wycheproof's form, and among others.
#[test]
fn one_wrong_case_in_a_file_fails() {
    for (name, field) in [
        ("HMAC-rfc4231", "mac"),
        ("HKDF-rfc5869", "okm"),
        ("Wycheproof-HMAC-sha3-224", "tag"),
        ("Wycheproof-HMAC-sha512-256", "key"),
        ("Wycheproof-HKDF-sha384", "okm"),
        ("Wycheproof-PBKDF2-hmacsha512", "dk"),
        ("Wycheproof-PBKDF2-hmacsha224", "password"),
    ] {
        let mut set = vectors(&format!("{name}.json.gz"), |_| true);
        // the numbers of a report, where the file has none
        for (number, group) in (1..).zip(set["testGroups"].as_array_mut().unwrap()) {
            group["tgId"] = json!(number);
        }
        let case = set["testGroups"][0]["tests"].as_array_mut().unwrap();
        case.retain(|case| case["result"] != "invalid" && case[field].as_str().is_some_and(|text| text.len() > 1));
        one_failure(set, field, None);
    }
}
