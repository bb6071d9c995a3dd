//! Classification of bytes, 64 at a time: one bit a byte, one mask a class.
//!
//! Each instruction set has a file of its own; [`portable`] is their scalar twin, and a property test holds them
//! equal. The least significant bit of a mask is the first byte of the block.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// The bytes that are classified together.
pub(crate) const BLOCK: usize = 64;

/// How many blocks one call classifies: enough to spread the cost of the call, few enough to stay in the L1 cache.
pub(crate) const BATCH: usize = 32;

/// Where the bytes of each class are in one block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Classes {
    /// `"`
    pub(crate) quote: u64,
    /// `\`
    pub(crate) backslash: u64,
    /// `{` and `[`
    pub(crate) open: u64,
    /// `}` and `]`
    pub(crate) close: u64,
    /// Bytes with bit 5 set: among brackets, those that are curly.
    pub(crate) curly: u64,
    /// `:`
    pub(crate) colon: u64,
    /// `,`
    pub(crate) comma: u64,
    /// Space, tab, line feed, carriage return.
    pub(crate) space: u64,
    /// Below 0x20.
    pub(crate) control: u64,
    /// 0x80 and above.
    pub(crate) non_ascii: u64,
}

/// The instruction set that this machine has, found once per reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scanner {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Scanner {
    /// The fastest one that this processor has.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(found) = x86::Avx512::detect() {
                return Self::Avx512(found);
            }
            if let Some(found) = x86::Avx2::detect() {
                return Self::Avx2(found);
            }
        }
        Self::Portable
    }

    /// Classifies as many blocks as both slices hold.
    #[inline]
    pub(crate) fn classify(self, blocks: &[[u8; BLOCK]], out: &mut [Classes]) {
        match self {
            Self::Portable => portable::classify(blocks, out),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(found) => found.classify(blocks, out),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(found) => found.classify(blocks, out),
        }
    }

    /// Every scanner that can run here, for tests and benchmarks that compare them.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(x86::Avx2::detect().map(Self::Avx2));
            all.extend(x86::Avx512::detect().map(Self::Avx512));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn classes(scanner: Scanner, blocks: &[[u8; BLOCK]]) -> Vec<Classes> {
        let mut out = vec![Classes::default(); blocks.len()];
        scanner.classify(blocks, &mut out);
        out
    }

    #[test]
    fn every_byte_has_the_classes_of_the_grammar() {
        for byte in 0..=255_u8 {
            let mut block = [b'a'; BLOCK];
            block[17] = byte;
            for scanner in Scanner::all() {
                let found = classes(scanner, &[block])[0];
                let at = |mask: u64| mask >> 17 & 1 == 1;
                assert_eq!(at(found.quote), byte == b'"', "{scanner:?} {byte:#x}");
                assert_eq!(at(found.backslash), byte == b'\\', "{scanner:?} {byte:#x}");
                assert_eq!(at(found.open), matches!(byte, b'{' | b'['), "{scanner:?} {byte:#x}");
                assert_eq!(at(found.close), matches!(byte, b'}' | b']'), "{scanner:?} {byte:#x}");
                assert_eq!(at(found.curly), byte & 0x20 != 0, "{scanner:?} {byte:#x}");
                assert_eq!(at(found.colon), byte == b':', "{scanner:?} {byte:#x}");
                assert_eq!(at(found.comma), byte == b',', "{scanner:?} {byte:#x}");
                assert_eq!(
                    at(found.space),
                    matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
                    "{scanner:?} {byte:#x}"
                );
                assert_eq!(at(found.control), byte < 0x20, "{scanner:?} {byte:#x}");
                assert_eq!(at(found.non_ascii), byte >= 0x80, "{scanner:?} {byte:#x}");
            }
        }
    }

    proptest! {
        #[test]
        fn all_scanners_agree_with_the_portable_one(bytes in proptest::collection::vec(any::<u8>(), 64 * 5)) {
            let (blocks, _) = bytes.as_chunks::<BLOCK>();
            let expected = classes(Scanner::Portable, blocks);
            for scanner in Scanner::all() {
                prop_assert_eq!(&classes(scanner, blocks), &expected, "{:?}", scanner);
            }
        }
    }
}
