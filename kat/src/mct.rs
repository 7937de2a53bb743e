//! Monte Carlo tests: outputs hashed over and over, one of every thousand compared.

use hashloom::{Error, hash::Hash};

use crate::{
    format::{Checkpoint, Group, Vector, need, unknown, whole_bytes},
    hashes::message,
    report::{Trouble, Verdict, same},
};

/// Hashes between two checkpoints.
const STEPS: usize = 1000;

/// Output lengths in bytes that the protocol allows a SHAKE test; the chain needs two bytes to go on.
const SHAKE_OUTPUT: [usize; 2] = [2, 8192];

/// The functions that share a chain rule.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Family {
    Sha2,
    Sha3,
    Shake,
}

/// Runs the chain of a case and compares all its checkpoints.
pub(crate) fn run<H: Hash>(hash: H, family: Family, group: &Group, test: &Vector) -> Verdict {
    let seed = message(test)?;
    let checkpoints: &[Checkpoint] = need(&test.results_array, "resultsArray")?;
    if checkpoints.is_empty() {
        return Err(Trouble::Skipped("resultsArray is empty".to_string()));
    }
    let version = group.mct_version.as_deref();
    let width = match (family, version) {
        (_, None | Some("standard")) => None,
        (Family::Sha2 | Family::Sha3, Some("alternate")) => Some(seed.len()),
        (_, Some(other)) => return Err(unknown("mctVersion", other)),
    };
    match family {
        Family::Sha2 => sha2(hash, seed, width, checkpoints),
        Family::Sha3 => sha3(hash, seed, width, checkpoints),
        Family::Shake => {
            let length = |field, name| whole_bytes(name, *need(field, name)?);
            let (min, max) = (length(&group.min_out_len, "minOutLen")?, length(&group.max_out_len, "maxOutLen")?);
            if min < SHAKE_OUTPUT[0] || max < min || max > SHAKE_OUTPUT[1] {
                return Err(Trouble::Skipped(format!("output lengths of {min} to {max} bytes are not the protocol's")));
            }
            shake(hash, seed, min, max, checkpoints)
        }
    }
}

/// `width` is where the alternate test cuts each message, or pads it to, with zeros.
fn sha2<H: Hash>(hash: H, seed: &[u8], width: Option<usize>, checkpoints: &[Checkpoint]) -> Verdict {
    let mut seed = seed.to_vec();
    for (number, checkpoint) in checkpoints.iter().enumerate() {
        let (mut a, mut b, mut c) = (seed.clone(), seed.clone(), seed);
        for _ in 0..STEPS {
            let mut message = [&*a, &b, &c].concat();
            message.resize(width.unwrap_or(message.len()), 0);
            (a, b, c) = (b, c, digest(hash, &message, H::DIGEST_LEN.unwrap_or_default())?);
        }
        seed = c;
        compare(number, &seed, checkpoint)?;
    }
    Ok(())
}

fn sha3<H: Hash>(hash: H, seed: &[u8], width: Option<usize>, checkpoints: &[Checkpoint]) -> Verdict {
    let mut message = seed.to_vec();
    for (number, checkpoint) in checkpoints.iter().enumerate() {
        for _ in 0..STEPS {
            message.resize(width.unwrap_or(message.len()), 0);
            message = digest(hash, &message, H::DIGEST_LEN.unwrap_or_default())?;
        }
        compare(number, &message, checkpoint)?;
    }
    Ok(())
}

/// The end of each output says how long the next one is, from `min` to `max` bytes.
fn shake<H: Hash>(hash: H, seed: &[u8], min: usize, max: usize, checkpoints: &[Checkpoint]) -> Verdict {
    let mut output = seed.to_vec();
    let mut len = max;
    for (number, checkpoint) in checkpoints.iter().enumerate() {
        for _ in 0..STEPS {
            output.resize(16, 0);
            output = digest(hash, &output, len)?;
            let end = output.last_chunk().copied().unwrap_or_default();
            len = min + usize::from(u16::from_be_bytes(end)) % (max - min + 1);
        }
        compare(number, &output, checkpoint)?;
    }
    Ok(())
}

fn digest<H: Hash>(hash: H, message: &[u8], len: usize) -> Result<Vec<u8>, Trouble> {
    let mut output = vec![0; len];
    hash.hash(&[message], &mut output).map_err(|error: Error| Trouble::Failed(format!("hash: {error}")))?;
    Ok(output)
}

fn compare(number: usize, output: &[u8], checkpoint: &Checkpoint) -> Verdict {
    same(&format!("checkpoint {number}"), output, &checkpoint.md)?;
    match checkpoint.out_len {
        Some(bits) if bits != 8 * output.len() as u64 => {
            Err(Trouble::Failed(format!("checkpoint {number}: {} bytes, outLen says {bits} bits", output.len())))
        }
        _ => Ok(()),
    }
}
