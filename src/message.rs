//! Messages that are read front to back, once or more.

use crate::error::Error;

/// A message that can be read more than once, which SLH-DSA signs; whatever reads it once says so.
pub trait Message {
    /// Hands the whole message to `sink`, front to back, in pieces of any size.
    ///
    /// # Errors
    /// Whatever keeps the source from being read.
    fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error>;
}

impl Message for &[u8] {
    fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        sink(self);
        Ok(())
    }
}

impl<const L: usize> Message for &[u8; L] {
    fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        sink(*self);
        Ok(())
    }
}

/// A message in parts.
impl Message for &[&[u8]] {
    fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        self.iter().for_each(|part| sink(part));
        Ok(())
    }
}

impl<M: Message + ?Sized> Message for &mut M {
    fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        (**self).feed(sink)
    }
}

#[cfg(feature = "std")]
pub use reading::Reader;
#[cfg(feature = "std")]
pub(crate) use reading::Stream;

#[cfg(feature = "std")]
mod reading {
    use std::{
        io::{ErrorKind, Read, Seek, SeekFrom},
        vec,
    };

    use crate::{error::Error, message::Message};

    const PIECE: usize = 64 * 1024;

    fn feed(source: &mut impl Read, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        let mut piece = vec![0; PIECE];
        loop {
            match source.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(read) => sink(&piece[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// A file or other source that can be read again from where it stood.
    #[derive(Debug)]
    pub struct Reader<R> {
        source: R,
        start: u64,
    }

    impl<R: Read + Seek> Reader<R> {
        /// The message is everything from the current position to the end.
        ///
        /// # Errors
        /// [`Error::Read`] if the source has no position, as a pipe.
        pub fn new(mut source: R) -> Result<Self, Error> {
            let start = source.stream_position()?;
            Ok(Self { source, start })
        }
    }

    impl<R: Read + Seek> Message for Reader<R> {
        fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
            self.source.seek(SeekFrom::Start(self.start))?;
            feed(&mut self.source, sink)
        }
    }

    /// A source that is read once, which is all that verification needs, and ML-DSA's signing.
    pub(crate) struct Stream<R>(pub(crate) R);

    impl<R: Read> Message for Stream<R> {
        fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
            feed(&mut self.0, sink)
        }
    }
}
