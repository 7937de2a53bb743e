//! How fuzz targets cut up their input. [`Reader`] takes it apart and gives zeros when it is used up, so that every
//! input means something; [`Writer`] puts together what a reader will see.

/// An input being taken apart.
#[derive(Clone, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Begins at the front.
    pub const fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// Whether everything was taken.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Up to `len` bytes.
    pub fn take(&mut self, len: usize) -> &'a [u8] {
        let (now, later) = self.0.split_at(len.min(self.0.len()));
        self.0 = later;
        now
    }

    /// One byte.
    pub fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or_default()
    }

    /// Two bytes, big-endian.
    pub fn short(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    /// Eight bytes, big-endian.
    pub fn long(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    /// A number below `bound`, which is from 1 to 65536.
    pub fn below(&mut self, bound: usize) -> usize {
        let number = if bound <= 256 { self.byte().into() } else { self.short() };
        usize::from(number) % bound
    }

    /// One of a list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Bytes that their length precedes, in two bytes.
    pub fn field(&mut self) -> &'a [u8] {
        let len = self.short();
        self.take(len.into())
    }

    /// `N` bytes, filled up with zeros.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.take(N);
        let mut array = [0; N];
        array[..taken.len()].copy_from_slice(taken);
        array
    }

    /// All that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

/// An input being put together.
#[derive(Clone, Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// What [`Reader::byte`] reads.
    #[must_use]
    pub fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    /// What [`Reader::short`] reads.
    #[must_use]
    pub fn short(mut self, number: u16) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    /// What [`Reader::field`] reads.
    #[must_use]
    pub fn field(self, bytes: &[u8]) -> Self {
        self.short(u16::try_from(bytes.len()).expect("a field is short")).rest(bytes)
    }

    /// What [`Reader::rest`], or [`Reader::take`] with the right length, reads.
    #[must_use]
    pub fn rest(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let written = Writer::default().byte(7).short(0x0102).field(b"abc").rest(b"end").0;
        let mut reader = Reader::new(&written);
        assert_eq!(
            (reader.byte(), reader.short(), reader.field(), reader.rest()),
            (7, 0x0102, &b"abc"[..], &b"end"[..])
        );
        assert!(reader.is_empty());
    }

    #[test]
    fn the_end_is_zeros() {
        let mut reader = Reader::new(&[0, 9, 1]);
        assert_eq!(reader.clone().array(), [0, 9, 1, 0]);
        assert_eq!(reader.field(), [1]);
        assert_eq!((reader.byte(), reader.long(), reader.below(300), reader.pick(&[5, 6])), (0, 0, 0, 5));
    }
}
