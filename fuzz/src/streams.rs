//! Output of SHAKE128 and SHAKE256, many of any lengths side by side: what another crate makes, one by one.

use hashloom::keccak::{Shake128, Shake256, stream_many};
use seeds::Reader;
use shake::{ExtendableOutput, Update, XofReader};

use crate::common::{engines, stretched};

/// Input: engine, and for each stream the function, the lengths of input and output, and some bytes.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let engine = &input.pick(engines());
    let mut items = Vec::new();
    while !input.is_empty() && items.len() < 40 {
        let kind = input.byte();
        // around the blocks, or anything up to 1023
        let mut len = |edge: bool| {
            if edge { input.pick(&[0, 64, 128, 136, 168, 272, 336, 840]) + input.below(3) } else { input.below(1024) }
        };
        let (input_len, output_len) = (len(kind & 2 != 0), len(kind & 4 != 0));
        items.push((kind & 1 == 1, stretched(input.take(6), input_len), output_len));
    }
    let mut outputs: Vec<Vec<u8>> = items.iter().map(|&(.., len)| vec![0xaa; len]).collect();
    let mut streams: Vec<_> = items
        .iter()
        .zip(&mut outputs)
        .map(|((long, bytes, _), out)| if *long { Shake256::stream(bytes, out) } else { Shake128::stream(bytes, out) })
        .collect();
    stream_many(engine, &mut streams);
    for (i, ((long, bytes, len), output)) in items.iter().zip(&outputs).enumerate() {
        let expected =
            if *long { whole::<shake::Shake256>(bytes, *len) } else { whole::<shake::Shake128>(bytes, *len) };
        assert!(*output == expected, "stream {i} of {} on {engine}", items.len());
    }
}

fn whole<X: ExtendableOutput + Default + Update>(bytes: &[u8], len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    X::default().chain(bytes).finalize_xof().read(&mut out);
    out
}
