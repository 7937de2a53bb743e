//! The hint h as bytes: the places of its ones, polynomial by polynomial, then where each polynomial's places end.

use super::params::Params;

/// The places of the ones of each polynomial of a hint, checked.
pub(crate) struct Hint<'a> {
    places: &'a [u8],
    ends: &'a [u8],
}

impl<'a> Hint<'a> {
    /// `HintBitUnpack` (Alg. 21) of omega + k bytes. `None` unless the places of every polynomial increase, the ends do
    /// not decrease and are omega at most, and the bytes behind the last place are zeros: so that no hint has two
    /// encodings.
    pub(crate) fn unpack(params: &Params, bytes: &'a [u8]) -> Option<Self> {
        let (places, ends) = bytes.split_at(params.omega);
        let mut start = 0;
        for &end in ends {
            let run = places.get(start..usize::from(end))?;
            if run.windows(2).any(|pair| pair[0] >= pair[1]) {
                return None;
            }
            start = usize::from(end);
        }
        places[start..].iter().all(|&byte| byte == 0).then_some(Self { places, ends })
    }

    /// The places of polynomial `i`.
    pub(crate) fn places(&self, i: usize) -> &'a [u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.places[usize::from(start)..usize::from(self.ends[i])]
    }
}

/// `HintBitPack` (Alg. 20), polynomial by polynomial.
pub(crate) struct Packer<'a> {
    places: &'a mut [u8],
    ends: &'a mut [u8],
    /// Ones so far.
    ones: usize,
    /// Polynomials so far.
    polys: usize,
}

impl<'a> Packer<'a> {
    /// Packs into omega + k bytes.
    pub(crate) fn new(params: &Params, bytes: &'a mut [u8]) -> Self {
        bytes.fill(0);
        let (places, ends) = bytes.split_at_mut(params.omega);
        Self { places, ends, ones: 0, polys: 0 }
    }

    /// Appends a polynomial by the places of its ones; `false`, and nothing more to be done with it, if there are more
    /// than omega in all.
    pub(crate) fn push(&mut self, places: impl Iterator<Item = u8>) -> bool {
        for place in places {
            let Some(free) = self.places.get_mut(self.ones) else { return false };
            *free = place;
            self.ones += 1;
        }
        self.ends[self.polys] = self.ones as u8;
        self.polys += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ml_dsa::ParameterSet;

    const PARAMS: &Params = ParameterSet::MlDsa44.params();

    fn bytes(places: &[u8], ends: [u8; 4]) -> Vec<u8> {
        let mut bytes = places.to_vec();
        bytes.resize(PARAMS.omega, 0);
        bytes.extend(ends);
        bytes
    }

    #[test]
    fn packs_what_it_unpacks() {
        let full: Vec<u8> = (0..80).collect();
        for (places, ends) in
            [(&[][..], [0; 4]), (&[0], [0, 0, 0, 1]), (&[3, 255, 0, 9, 0], [2, 2, 4, 5]), (&full, [0, 80, 80, 80])]
        {
            let bytes = bytes(places, ends);
            let hint = Hint::unpack(PARAMS, &bytes).unwrap();
            let mut out = [7; 84];
            let mut packer = Packer::new(PARAMS, &mut out);
            assert!((0..4).all(|i| packer.push(hint.places(i).iter().copied())));
            assert_eq!(out, *bytes);
        }
    }

    #[test]
    fn refuses_second_encodings() {
        let full: Vec<u8> = (0..80).collect();
        for (places, ends, what) in [
            (&[5, 5][..], [2; 4], "a place twice"),
            (&[5, 4], [2; 4], "places that decrease"),
            (&[5, 6], [2, 1, 2, 2], "ends that decrease"),
            (&full, [81; 4], "more than omega"),
            (&full, [80, 80, 80, 255], "more than omega at last"),
            (&[5, 6, 1], [2; 4], "padding"),
            (&full, [79; 4], "padding at the end"),
        ] {
            assert!(Hint::unpack(PARAMS, &bytes(places, ends)).is_none(), "{what}");
        }
        assert!(Hint::unpack(PARAMS, &bytes(&[5, 5], [1, 2, 2, 2])).is_some(), "the same place of two polynomials");
    }

    #[test]
    fn omega_ones_at_most() {
        let mut out = [0; 84];
        let mut packer = Packer::new(PARAMS, &mut out);
        assert!(packer.push(0..80));
        assert!(packer.push(core::iter::empty()));
        assert!(!packer.push(core::iter::once(0)));
    }
}
