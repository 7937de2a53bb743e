//! Files and standard input as messages.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    ffi::OsString,
    fs::{File, Metadata},
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
};

use crate::error::Error;

/// Up to this many bytes a message is read to memory and shares a batch with others; a longer one is streamed.
pub const SMALL: u64 = 1 << 20;
/// Bytes that the small messages of one batch hold together, at most.
const BATCH_BYTES: u64 = 8 << 20;

/// A message to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input, written as `-`.
    Stdin,
    /// A file, a pipe or a device.
    File(PathBuf),
}

/// Messages and the file that `place` has for each one's result, which is a `what`; refuses those that get in each
/// other's way.
pub fn outputs(
    files: &[PathBuf],
    what: &str,
    place: impl Fn(&Input) -> Result<PathBuf, Error>,
) -> Result<Vec<(Input, PathBuf)>, Error> {
    let mut found = Vec::with_capacity(files.len());
    // not a hash map: the standard library's panics where the operating system has no randomness to give
    let mut taken: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for file in files {
        let input = Input::from_arg(file.clone());
        let out = place(&input)?;
        if let Some(other) = taken.insert(out.clone(), file) {
            let (other, file, out) = (shown(other), shown(file), shown(&out));
            return Err(Error::usage(format!("{other} and {file} would both have their {what} in {out}")));
        }
        found.push((input, out));
    }
    for file in files {
        if let Some(of) = taken.get(file) {
            let (file, of) = (shown(file), shown(of));
            return Err(Error::usage(format!("{file} is to be read, and to be overwritten by the {what} of {of}")));
        }
    }
    Ok(found)
}

/// A message that was opened.
pub enum Content {
    /// A small one.
    Whole(Vec<u8>),
    /// A longer one.
    Stream(Box<dyn Read + Send>),
}

impl Input {
    /// Reads a command line argument.
    pub fn from_arg(arg: PathBuf) -> Self {
        if arg.as_os_str() == "-" { Self::Stdin } else { Self::File(arg) }
    }

    /// Refuses to read standard input twice: the second reading would be of nothing.
    pub fn check_stdin(inputs: &[Self]) -> Result<(), Error> {
        if inputs.iter().filter(|input| **input == Self::Stdin).count() > 1 {
            return Err(Error::usage("standard input can be read only once"));
        }
        Ok(())
    }

    /// The argument again.
    pub fn path(&self) -> &Path {
        match self {
            Self::Stdin => Path::new("-"),
            Self::File(path) => path,
        }
    }

    /// The file for what is made of the message, its name with `ending`: beside the message, or in `dir`. That of standard
    /// input has no place of its own, so it is `stdin` with the ending in `dir`.
    pub fn companion(&self, ending: &str, dir: Option<&Path>, option: &str) -> Result<PathBuf, Error> {
        let beside = match (self, dir) {
            (Self::Stdin, None) => {
                return Err(Error::usage(format!("standard input needs {option}: its file there is stdin{ending}")));
            }
            (Self::Stdin, Some(_)) => Path::new("stdin"),
            (Self::File(path), _) => path,
        };
        // What has no file name is a directory, which is told when it is opened.
        let mut name = OsString::from(beside.file_name().unwrap_or(beside.as_os_str()));
        name.push(ending);
        Ok(dir.map_or_else(|| beside.with_file_name(&name), |dir| dir.join(&name)))
    }

    /// The signature's file. With `external_mu` the input is mu, and the signature that of the message, whose name is the
    /// same without `.mu`.
    pub fn signature_path(&self, external_mu: bool, dir: Option<&Path>, option: &str) -> Result<PathBuf, Error> {
        match self {
            Self::File(path) if external_mu && path.extension().is_some_and(|ending| ending == "mu") => {
                Self::File(path.with_extension("")).companion(".sig", dir, option)
            }
            _ => self.companion(".sig", dir, option),
        }
    }

    /// What the file system says; `None` for standard input. A directory is an error.
    pub fn metadata(&self) -> Result<Option<Metadata>, Error> {
        let Self::File(path) = self else { return Ok(None) };
        let metadata = path.metadata().map_err(Error::file(path, "cannot read"))?;
        if metadata.is_dir() {
            return Err(Error::content(path, "is a directory"));
        }
        Ok(Some(metadata))
    }

    /// Opens the message for one reading from its beginning.
    pub fn open(&self) -> Result<Box<dyn Read + Send>, Error> {
        let Self::File(path) = self else { return Ok(Box::new(io::stdin())) };
        self.metadata()?;
        Ok(Box::new(File::open(path).map_err(Error::file(path, "cannot read"))?))
    }

    /// Opens the message and reads it to memory if it is small, whatever the file system says of its size.
    pub fn content(&self) -> Result<Content, Error> {
        let mut reader = self.open()?;
        let mut bytes = Vec::new();
        reader.by_ref().take(SMALL + 1).read_to_end(&mut bytes).map_err(Error::file(self.path(), "cannot read"))?;
        Ok(if bytes.len() as u64 <= SMALL {
            Content::Whole(bytes)
        } else {
            Content::Stream(Box::new(Cursor::new(bytes).chain(reader)))
        })
    }

    /// Bytes of a regular file, as far as they are known.
    pub fn size(&self) -> Option<u64> {
        self.metadata().ok().flatten().filter(Metadata::is_file).map(|m| m.len())
    }
}

/// Splits messages into batches, in order of their first: small regular files share one, up to `most` of them;
/// every other message has its own.
pub fn batches(inputs: &[Input], most: usize) -> Vec<Vec<usize>> {
    let mut batches = Vec::new();
    let (mut open, mut open_bytes) = (Vec::new(), 0);
    for (index, input) in inputs.iter().enumerate() {
        match input.size() {
            Some(size) if size <= SMALL => {
                if open.len() == most || open_bytes + size > BATCH_BYTES {
                    batches.push(std::mem::take(&mut open));
                    open_bytes = 0;
                }
                open.push(index);
                open_bytes += size;
            }
            _ => batches.push(vec![index]),
        }
    }
    if !open.is_empty() {
        batches.push(open);
    }
    batches.sort_by_key(|batch| batch[0]);
    batches
}

/// A path for people: control characters are escaped, so that a name cannot pose as another line of output.
pub fn shown(path: &Path) -> Cow<'_, str> {
    let text = path.to_string_lossy();
    if text.contains(char::is_control) {
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_pose_as_lines() {
        assert_eq!(shown(Path::new("a b")), "a b");
        assert_eq!(shown(Path::new("a: OK\nb\u{1b}[1m")), "a: OK\\nb\\u{1b}[1m");
    }

    #[test]
    fn signatures_lie_beside_their_files() {
        let file = Input::from_arg("dir/file".into());
        assert_eq!(file.signature_path(false, None, "--x").unwrap(), Path::new("dir/file.sig"));
        assert_eq!(file.signature_path(false, Some(Path::new("to")), "--x").unwrap(), Path::new("to/file.sig"));
        let stdin = Input::from_arg("-".into());
        assert!(stdin.signature_path(false, None, "--x").is_err());
        assert_eq!(stdin.signature_path(false, Some(Path::new("to")), "--x").unwrap(), Path::new("to/stdin.sig"));
        let mu = Input::from_arg("dir/file.mu".into());
        assert_eq!(mu.signature_path(true, None, "--x").unwrap(), Path::new("dir/file.sig"));
        assert_eq!(mu.signature_path(false, None, "--x").unwrap(), Path::new("dir/file.mu.sig"));
        assert_eq!(file.signature_path(true, None, "--x").unwrap(), Path::new("dir/file.sig"));
        assert_eq!(file.companion(".mu", None, "--x").unwrap(), Path::new("dir/file.mu"));
        assert_eq!(Input::from_arg("./-".into()), Input::File("./-".into()));
    }

    #[test]
    fn batches_are_full_and_begin_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let lengths = [10, SMALL as usize + 1, 20, 30, 40];
        let inputs: Vec<Input> = lengths
            .iter()
            .enumerate()
            .map(|(index, &len)| {
                let path = dir.path().join(index.to_string());
                std::fs::write(&path, vec![0; len]).unwrap();
                Input::File(path)
            })
            .chain([Input::Stdin])
            .collect();
        assert_eq!(batches(&inputs, 3), [vec![0, 2, 3], vec![1], vec![4], vec![5]]);
        let several = vec![inputs[1].clone(); 3];
        assert_eq!(batches(&several, 3).len(), 3);
    }
}
