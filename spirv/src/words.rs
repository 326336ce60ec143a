//! The instructions of a module, one after the other. Garbage ends the walk and is told.

/// SPIR-V's magic number. Vulkan takes modules in the host's byte order only.
const MAGIC: u32 = 0x0723_0203;
/// Words of the header.
const HEADER: usize = 5;

/// One instruction.
#[derive(Clone, Copy)]
pub struct Instruction<'a> {
    /// Number of the operation.
    pub op: u32,
    /// All its words, the first of which holds the number and the count.
    words: &'a [u32],
    /// Where it stands in the module.
    pub at: usize,
}

impl<'a> Instruction<'a> {
    /// Word `index`; 0, which is no id, if it is not there.
    pub fn word(&self, index: usize) -> u32 {
        self.words.get(index).copied().unwrap_or(0)
    }

    /// The words from `index` on.
    pub fn rest(&self, index: usize) -> &'a [u32] {
        self.words.get(index..).unwrap_or_default()
    }

    /// The string that begins at word `index`, and the number of words it takes. Bytes that are not UTF-8 are replaced.
    pub fn string(&self, index: usize) -> (String, usize) {
        let bytes: Vec<u8> =
            self.rest(index).iter().flat_map(|w| w.to_le_bytes()).take_while(|byte| *byte != 0).collect();
        (String::from_utf8_lossy(&bytes).into_owned(), bytes.len() / 4 + 1)
    }
}

/// The instructions of a module from one place on.
pub struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
    /// Whether something was met that is no instruction.
    pub broken: bool,
}

impl<'a> Instructions<'a> {
    /// The instructions behind the header; `None` if it is none.
    pub fn of(words: &'a [u32]) -> Option<Self> {
        (words.len() >= HEADER && words[0] == MAGIC).then_some(Self { words, at: HEADER, broken: false })
    }

    /// The instructions from word `at` on.
    pub fn from(words: &'a [u32], at: usize) -> Self {
        Self { words, at, broken: false }
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Instruction<'a>;

    fn next(&mut self) -> Option<Instruction<'a>> {
        let first = *self.words.get(self.at)?;
        let count = (first >> 16) as usize;
        let end = self.at.saturating_add(count);
        let found = self.words.get(self.at..end).filter(|words| !words.is_empty());
        let Some(words) = found else {
            self.broken = true;
            self.at = self.words.len();
            return None;
        };
        let instruction = Instruction { op: first & 0xFFFF, words, at: self.at };
        self.at = end;
        Some(instruction)
    }
}
