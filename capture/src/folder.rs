//! Output files inside one folder, whatever somebody else plants there: no link is followed, nobody else may read them.
//!
//! A [`Folder`] is held open, so that files go into the folder that was asked for even if its name is given to another one
//! meanwhile. Files have mode 0600 and folders 0700, because a capture tells what a program does. No descriptor is ever 0, 1 or 2: a
//! program that closed those would find its own output in our files. On systems other than Unix the folder's path stands for it
//! and modes are the system's.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Who may read a file beside its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nobody: mode 0600.
    Private,
    /// Whoever the user's mask allows.
    Umask,
}

/// A folder that output files go to.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    handle: rustix::fd::OwnedFd,
}

impl Folder {
    /// Makes the folder `path` for nobody else to read. It must not exist, not even as a link.
    pub fn create(path: &Path) -> io::Result<Self> {
        builder().create(path)?;
        Self::open(path, false)
    }

    /// Opens the folder `path`. Without `links`, a link of that name is refused.
    pub fn open(path: &Path, links: bool) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        if !links && is_link(path) {
            return Err(refused(path));
        }
        #[cfg(unix)]
        {
            use rustix::fs::{Mode, OFlags, open};
            let mut flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
            flags.set(OFlags::NOFOLLOW, !links);
            let handle = above_standard(open(path, flags, Mode::empty())?)?;
            Ok(Self { path: path.into(), handle })
        }
        #[cfg(not(unix))]
        Ok(Self { path: path.into() })
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file `name` to append to. It must not exist; a link, even a dangling one, is refused.
    pub fn create_file(&self, name: &str, access: Access) -> io::Result<File> {
        let name = plain(OsStr::new(name))?;
        self.create_new(name, access).map_err(|error| match self.is_link(name) {
            true => refused(&self.path.join(name)),
            false => error,
        })
    }

    /// Makes or replaces the file `name`: whoever reads it, at any moment, sees the old contents or the new, never a part.
    /// Where something else than a file stands under that name (a link, a device, a pipe, a folder), nothing is written. One writer
    /// at a time per name.
    pub fn write_atomic(&self, name: &OsStr, bytes: &[u8], access: Access) -> io::Result<()> {
        let name = plain(name)?;
        let mut partial = std::ffi::OsString::from(".");
        partial.push(name);
        partial.push(".partial");
        let partial = partial.as_os_str();
        for name in [name, partial] {
            if self.is_link(name) {
                return Err(refused(&self.path.join(name)));
            }
        }
        if let Some(kind) = self.other_than_file(name) {
            return Err(no_file(&self.path.join(name), kind));
        }
        // The name is always the same, so that a kill leaves one stray file at most; what an earlier kill left goes first.
        match self.remove(partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // No sync: this guards against a kill, not against a power cut, and a program under the layer must not wait for a disk.
        let written = self
            .create_new(partial, access)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| self.rename(partial, name));
        if written.is_err() {
            let _ = self.remove(partial);
        }
        written
    }
}

#[cfg(unix)]
impl Folder {
    fn create_new(&self, name: &OsStr, access: Access) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        // Append mode, so that what is written after a cut line was taken back goes to the right place.
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC;
        let mode = match access {
            Access::Private => Mode::RUSR | Mode::WUSR,
            Access::Umask => Mode::from_raw_mode(0o666),
        };
        Ok(above_standard(openat(&self.handle, name, flags, mode)?)?.into())
    }

    fn kind(&self, name: &OsStr) -> Option<rustix::fs::FileType> {
        use rustix::fs::{AtFlags, FileType, statat};
        let stat = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileType::from_raw_mode(stat.st_mode))
    }

    fn is_link(&self, name: &OsStr) -> bool {
        self.kind(name) == Some(rustix::fs::FileType::Symlink)
    }

    /// What stands under `name`, if that is something that a rename would destroy.
    fn other_than_file(&self, name: &OsStr) -> Option<&'static str> {
        use rustix::fs::FileType;
        match self.kind(name)? {
            FileType::RegularFile => None,
            FileType::Directory => Some("a folder"),
            FileType::Fifo => Some("a pipe"),
            FileType::Socket => Some("a socket"),
            _ => Some("a device"),
        }
    }

    /// Removes the file `name`; a link of that name, not what it leads to.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, plain(name)?, rustix::fs::AtFlags::empty())?)
    }

    fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.handle, from, &self.handle, to)?)
    }
}

#[cfg(not(unix))]
impl Folder {
    fn create_new(&self, name: &OsStr, _: Access) -> io::Result<File> {
        fs::OpenOptions::new().append(true).create_new(true).open(self.path.join(name))
    }

    fn is_link(&self, name: &OsStr) -> bool {
        is_link(&self.path.join(name))
    }

    /// What stands under `name`, if it is no file.
    fn other_than_file(&self, name: &OsStr) -> Option<&'static str> {
        let found = self.path.join(name).symlink_metadata().ok()?;
        match (found.is_file(), found.is_dir()) {
            (true, _) => None,
            (_, true) => Some("a folder"),
            _ => Some("a device"),
        }
    }

    /// Removes the file `name`; a link of that name, not what it leads to.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path.join(plain(name)?))
    }

    fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }
}

/// Makes the folder `path` with all that it lies in, for nobody else to read; what exists is left as it is. A link that another
/// user made (root aside) is refused: it may lead wherever that user likes.
pub fn create_folders(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Ok(found) = path.symlink_metadata() {
        use std::os::unix::fs::MetadataExt;
        let own = rustix::process::geteuid().as_raw();
        if found.is_symlink() && found.uid() != own && found.uid() != 0 {
            return Err(refused(path));
        }
    }
    builder().recursive(true).create(path)
}

/// Opens `path` to append to, and makes it, for nobody else to read, if it is missing. A link is refused. A pipe that nobody reads
/// is an error instead of a wait.
pub fn append(path: &Path) -> io::Result<File> {
    append_to(path).map_err(|error| if is_link(path) { refused(path) } else { error })
}

#[cfg(unix)]
fn append_to(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::CREATE | OFlags::APPEND | OFlags::WRONLY | OFlags::CLOEXEC;
    Ok(above_standard(open(path, flags | OFlags::NOFOLLOW | OFlags::NONBLOCK, Mode::RUSR | Mode::WUSR)?)?.into())
}

/// The same open file under a descriptor above those of standard input, output and error.
#[cfg(unix)]
fn above_standard(opened: rustix::fd::OwnedFd) -> io::Result<rustix::fd::OwnedFd> {
    use rustix::fd::AsRawFd;
    match opened.as_raw_fd() {
        0..=2 => Ok(rustix::io::fcntl_dupfd_cloexec(&opened, 3)?),
        _ => Ok(opened),
    }
}

#[cfg(not(unix))]
fn append_to(path: &Path) -> io::Result<File> {
    if is_link(path) {
        return Err(refused(path));
    }
    fs::OpenOptions::new().create(true).append(true).open(path)
}

fn builder() -> fs::DirBuilder {
    #[allow(unused_mut)] // Only Unix has modes.
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_symlink())
}

fn refused(path: &Path) -> io::Error {
    let message = format!("{} is a link, which is not followed: remove it, or choose another place", path.display());
    io::Error::new(io::ErrorKind::AlreadyExists, message)
}

fn no_file(path: &Path, kind: &str) -> io::Error {
    let message = format!("{} is {kind}, which would be replaced by a file: choose another name", path.display());
    io::Error::new(io::ErrorKind::AlreadyExists, message)
}

/// `name` if it stays in its folder.
fn plain(name: &OsStr) -> io::Result<&OsStr> {
    match Path::new(name).file_name() {
        Some(plain) if plain == name => Ok(name),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file in this folder")),
    }
}
