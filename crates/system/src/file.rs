//! Files that are read with a limit.
//!
//! # Invariants
//! * I1: nothing but a regular file is opened by [`read_regular`]: a fifo would wait for a writer, a device may have no end.
//! * I2: at most the limit and one byte are read, whatever the size that the system states.

use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The most that is read of a file that a person wrote or a compiler reads.
pub const MAX_BYTES: u64 = 400 << 20;

/// What a file is if it is no regular one, with its article.
pub fn oddity(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        None
    } else if kind.is_dir() {
        Some("a folder")
    } else if kind.is_fifo() {
        Some("a fifo")
    } else if kind.is_socket() {
        Some("a socket")
    } else {
        Some("a device")
    }
}

/// All bytes of a regular file; links are followed.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Before it is opened: opening a fifo waits.
    match oddity(fs::metadata(path)?.file_type()) {
        Some("a folder") => return Err(ErrorKind::IsADirectory.into()),
        Some(what) => return Err(io::Error::other(format!("it is {what}, not a file"))),
        None => {}
    }
    read(File::open(path)?, most)
}

/// All bytes of an open file.
pub fn read(file: File, most: u64) -> io::Result<Vec<u8>> {
    let stated = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = Vec::with_capacity(stated.min(most) as usize + 1);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let limit = if most >> 20 == 0 { format!("{most} bytes") } else { format!("{} MiB", most >> 20) };
        return Err(io::Error::other(format!("it is larger than {limit}")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused_by_name() {
        let refused = |path: &str| read_regular(Path::new(path), 10).unwrap_err().to_string();
        assert_eq!(refused("/dev/zero"), "it is a device, not a file");
        assert_eq!(read_regular(Path::new("/"), 10).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(read_regular(Path::new("/no/such"), 10).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let path = std::env::temp_dir().join(format!("wayproof-file-{}", std::process::id()));
        fs::write(&path, "0123456789").unwrap();
        assert_eq!(read_regular(&path, 10).unwrap(), b"0123456789");
        assert_eq!(read_regular(&path, 9).unwrap_err().to_string(), "it is larger than 9 bytes");
        fs::remove_file(&path).unwrap();
    }
}
