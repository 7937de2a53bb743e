//! Key files by hand.

pub const SEQUENCE: u8 = 0x30;
pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OCTET_STRING: u8 = 0x04;
pub const NULL: &[u8] = &[0x05, 0x00];
pub const OID: u8 = 0x06;
pub const V1: &[u8] = &[0];
pub const V2: &[u8] = &[1];

/// One DER element, by hand.
pub fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let len = content.len();
    match len {
        0..0x80 => [&[tag, len as u8], &content[..]].concat(),
        0x80..0x100 => [&[tag, 0x81, len as u8], &content[..]].concat(),
        _ => [&[tag, 0x82, (len >> 8) as u8, len as u8], &content[..]].concat(),
    }
}

/// The identifier 2.16.840.1.101.3.4.`arcs`.
pub fn oid(arcs: [u8; 2]) -> Vec<u8> {
    element(OID, &[&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04], &arcs])
}

pub fn pkcs8(version: &[u8], oid: &[u8], parameters: &[u8], key: &[u8], tail: &[u8]) -> Vec<u8> {
    let algorithm = element(SEQUENCE, &[oid, parameters]);
    element(SEQUENCE, &[&element(INTEGER, &[version]), &algorithm, &element(OCTET_STRING, &[key]), tail])
}

pub fn spki(oid: &[u8], parameters: &[u8], unused_bits: u8, key: &[u8]) -> Vec<u8> {
    element(SEQUENCE, &[&element(SEQUENCE, &[oid, parameters]), &element(BIT_STRING, &[&[unused_bits], key])])
}
