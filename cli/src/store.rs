//! Files that appear whole or not at all.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::{Builder, NamedTempFile};

use crate::error::Error;

/// Temporary files that have not got their name yet.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files that are being written, and keeps new ones from being made: for a process that ends.
#[cfg(unix)]
pub fn abandon() -> impl Sized {
    let unfinished = unfinished();
    for path in &*unfinished {
        // one that has just got its name is not there any more
        std::fs::remove_file(path).ok();
    }
    unfinished
}

/// A temporary file's place in the list, given up after the file itself.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Makes a temporary file that [`abandon`] knows of.
fn temporary(builder: &Builder<'_, '_>, dir: &Path) -> io::Result<(Listed, NamedTempFile)> {
    // made while the list is held, so that it never lacks a file that is there
    let mut unfinished = unfinished();
    let file = builder.tempfile_in(dir)?;
    unfinished.insert(file.path().to_owned());
    Ok((Listed(file.path().to_owned()), file))
}

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its owner only.
    Private,
    /// Whoever the umask lets.
    Public,
}

/// What to do about a file of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Put the new one in its place.
    Replace,
    /// Fail, also if it appears only while the new one is written.
    Keep,
}

/// Writes a temporary file in the same directory, syncs it and gives it its name.
pub fn write(path: &Path, bytes: &[u8], access: Access, existing: Existing) -> Result<(), Error> {
    try_write(path, bytes, access, existing).map_err(Error::file(path, "cannot write"))
}

/// [`write`], for callers that look at the kind of error; `AlreadyExists` is that of [`Existing::Keep`].
pub fn try_write(path: &Path, bytes: &[u8], access: Access, existing: Existing) -> io::Result<()> {
    // A rename would put a plain file in the place of a device or pipe.
    if path.metadata().is_ok_and(|m| !m.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "exists and is not a regular file"));
    }
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".hashloom-");
    #[cfg(unix)]
    let permissions = permissions(access);
    #[cfg(unix)]
    builder.permissions(permissions);
    let (_listed, mut file) = temporary(&builder, dir)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    match existing {
        Existing::Replace => file.persist(path)?,
        Existing::Keep => file.persist_noclobber(path)?,
    };
    if access == Access::Private {
        // What a key signed is worth nothing if the key's name is lost in a crash.
        let unsure =
            |error| format!("the file is written, but whether its name outlives a crash is not known: {error}");
        sync_directory(dir).map_err(|error| io::Error::new(error.kind(), unsure(error)))?;
    }
    Ok(())
}

#[cfg(unix)]
fn permissions(access: Access) -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(match access {
        Access::Private => 0o600,
        Access::Public => 0o666,
    })
}

#[cfg(unix)]
fn sync_directory(dir: &Path) -> io::Result<()> {
    std::fs::File::open(dir)?.sync_all()
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether two names are the same place: the same name in the same directory, however that is spelled.
pub fn same_place(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        dir.canonicalize().ok().map(|dir| dir.join(path.file_name().unwrap_or_default()))
    };
    a == b || place(a).is_some_and(|a| place(b) == Some(a))
}

/// Makes a directory for results, if there is none.
pub fn directory(dir: &Path) -> Result<(), Error> {
    if dir.exists() && !dir.is_dir() {
        return Err(Error::content(dir, "is not a directory"));
    }
    std::fs::create_dir_all(dir).map_err(Error::file(dir, "cannot make"))
}

/// Makes a directory that only its owner can enter, and its parents.
pub fn private_directory(dir: &Path) -> Result<(), Error> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(Error::file(dir, "cannot make the directory"))
}
