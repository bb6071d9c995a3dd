//! UTF-8, checked a block at a time (RFC 3629).

use crate::scan::BLOCK;

/// Remembers a sequence that a block cut in two.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    cut: [u8; 4],
    len: usize,
}

impl Utf8 {
    /// Whether the last block ended inside a sequence.
    #[inline]
    pub(crate) fn is_cut(&self) -> bool {
        self.len != 0
    }

    /// Checks the next block. The error is where the bad sequence starts, relative to the block: negative when it
    /// started in the block before.
    #[cold]
    pub(crate) fn check(&mut self, block: &[u8; BLOCK]) -> Result<(), isize> {
        let rest = if self.is_cut() { self.complete(block)? } else { 0 };
        match std::str::from_utf8(&block[rest..]) {
            Ok(_) => Ok(()),
            Err(error) => {
                let start = rest + error.valid_up_to();
                if error.error_len().is_some() {
                    return Err(start.cast_signed());
                }
                self.len = BLOCK - start;
                self.cut[..self.len].copy_from_slice(&block[start..]);
                Ok(())
            }
        }
    }

    /// Puts the cut sequence together with the bytes that it lacks, and says how many those were.
    fn complete(&mut self, block: &[u8; BLOCK]) -> Result<usize, isize> {
        let lacking = length(self.cut[0]) - self.len;
        let had = self.len;
        self.cut[had..had + lacking].copy_from_slice(&block[..lacking]);
        self.len = 0;
        match std::str::from_utf8(&self.cut[..had + lacking]) {
            Ok(_) => Ok(lacking),
            Err(_) => Err(-had.cast_signed()),
        }
    }
}

/// The length of the sequence that this byte starts; only asked of bytes that can start one.
fn length(lead: u8) -> usize {
    match lead {
        0xf0.. => 4,
        0xe0..=0xef => 3,
        _ => 2,
    }
}
