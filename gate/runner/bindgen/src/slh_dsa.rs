#[repr(C)]
pub struct slh_param_s {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    pub static slh_dsa_sha2_128s: slh_param_s;
    pub static slh_dsa_sha2_128f: slh_param_s;
    pub static slh_dsa_sha2_192s: slh_param_s;
    pub static slh_dsa_sha2_192f: slh_param_s;
    pub static slh_dsa_sha2_256s: slh_param_s;
    pub static slh_dsa_sha2_256f: slh_param_s;
    pub static slh_dsa_shake_128s: slh_param_s;
    pub static slh_dsa_shake_128f: slh_param_s;
    pub static slh_dsa_shake_192s: slh_param_s;
    pub static slh_dsa_shake_192f: slh_param_s;
    pub static slh_dsa_shake_256s: slh_param_s;
    pub static slh_dsa_shake_256f: slh_param_s;

    pub fn slh_keygen_internal(
        sk: *mut u8,
        pk: *mut u8,
        sk_seed: *const u8,
        sk_prf: *const u8,
        pk_seed: *const u8,
        prm: *const slh_param_s,
    ) -> core::ffi::c_int;

    pub fn slh_sign_internal(
        sig: *mut u8,
        m: *const u8,
        m_sz: usize,
        sk: *const u8,
        addrnd: *const u8,
        prm: *const slh_param_s,
    ) -> usize;

    pub fn slh_verify_internal(
        m: *const u8,
        m_sz: usize,
        sig: *const u8,
        sig_sz: usize,
        pk: *const u8,
        prm: *const slh_param_s,
    ) -> core::ffi::c_int;
}
