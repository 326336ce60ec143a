//! For which kind of machine an ELF file was built.

use std::fmt;
use std::io::Read;
use std::path::Path;

/// Class (32 or 64 bits) and machine, from the header of an ELF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    class: u8,
    machine: u16,
}

impl Machine {
    /// Of the file `path`; `None` if it cannot be read or is no ELF file.
    pub fn of(path: &Path) -> Option<Self> {
        let mut header = [0; 20];
        std::fs::File::open(path).ok()?.read_exact(&mut header).ok()?;
        let machine = [header[18], header[19]];
        header.starts_with(b"\x7fELF").then(|| Self {
            class: header[4],
            // EI_DATA: 2 is big endian.
            machine: if header[5] == 2 { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) },
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Numbers of the ELF specification's registry.
        match self.machine {
            3 => f.write_str("x86"),
            20 | 21 => f.write_str("PowerPC"),
            40 => f.write_str("ARM"),
            62 => f.write_str("x86-64"),
            183 => f.write_str("AArch64"),
            243 => f.write_str("RISC-V"),
            258 => f.write_str("LoongArch"),
            other => write!(f, "machine {other}"),
        }?;
        match self.class {
            1 => f.write_str(", 32 bits"),
            2 => f.write_str(", 64 bits"),
            other => write!(f, ", class {other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Machine;

    #[test]
    fn a_library_tells_its_machine_whatever_its_byte_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("library.so");
        let told = |class: u8, data: u8, machine: [u8; 2]| {
            let mut header = vec![0x7f, b'E', b'L', b'F', class, data];
            header.resize(18, 0);
            header.extend(machine);
            std::fs::write(&file, header).unwrap();
            Machine::of(&file).map(|machine| machine.to_string())
        };
        assert_eq!(told(2, 1, [62, 0]).as_deref(), Some("x86-64, 64 bits"));
        assert_eq!(told(1, 1, [3, 0]).as_deref(), Some("x86, 32 bits"));
        assert_eq!(told(2, 2, [0, 21]).as_deref(), Some("PowerPC, 64 bits"));
        std::fs::write(&file, "#!/bin/sh\necho no library at all\n").unwrap();
        assert_eq!(Machine::of(&file), None);
        assert_eq!(Machine::of(&folder.path().join("nothing")), None);
    }
}
