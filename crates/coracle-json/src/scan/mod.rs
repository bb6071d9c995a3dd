//! Classification of bytes, 64 at a time: one bit a byte, one mask a class.
//!
//! There is one scanner for AVX2, and [`portable`], its scalar twin; a property test holds them equal. The least
//! significant bit of a mask is the first byte of the block. Classes come in two groups, since a block that lies
//! inside a string needs only the first.
//!
//! AVX-512 was measured too and left out: on the one processor at hand it was slower, although it needs fewer
//! instructions.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// The bytes that are classified together.
pub(crate) const BLOCK: usize = 64;

/// What matters inside strings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextClasses {
    /// `"`
    pub(crate) quote: u64,
    /// `\`
    pub(crate) backslash: u64,
    /// Below 0x20.
    pub(crate) control: u64,
    /// 0x80 and above.
    pub(crate) non_ascii: u64,
}

/// What matters between strings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TokenClasses {
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
}

/// The instruction set that this machine has, found once per reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scanner {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
}

/// What a scanner can do, in its instruction set.
pub(crate) struct Classify<Text, Tokens, PrefixXor> {
    /// The classes that matter inside strings.
    pub(crate) text: Text,
    /// The classes that matter between strings; takes the block's control characters.
    pub(crate) tokens: Tokens,
    /// Bit n of the result is the sum modulo two of bits 0 to n.
    pub(crate) prefix_xor: PrefixXor,
}

/// Work on blocks that is compiled once for each instruction set: all of it, so that what is done with the masks
/// has the set's bit instructions too. `run` must be `#[inline(always)]` for that.
pub(crate) trait Task {
    type Output;

    fn run<Text, Tokens, PrefixXor>(self, classify: Classify<Text, Tokens, PrefixXor>) -> Self::Output
    where
        Text: Fn(&[u8; BLOCK]) -> TextClasses,
        Tokens: Fn(&[u8; BLOCK], u64) -> TokenClasses,
        PrefixXor: Fn(u64) -> u64;
}

impl Scanner {
    /// The fastest one that this processor has.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(found) = x86::Avx2::detect() {
            return Self::Avx2(found);
        }
        Self::Portable
    }

    /// Runs a task compiled for the instruction set.
    #[inline]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Portable => task.run(Classify {
                text: portable::text,
                tokens: portable::tokens,
                prefix_xor: portable::prefix_xor,
            }),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(found) => found.run(task),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every scanner that can run here.
    fn all() -> Vec<Scanner> {
        let mut all = vec![Scanner::Portable];
        all.extend((Scanner::detect() != Scanner::Portable).then(Scanner::detect));
        all
    }

    struct ClassesOf<'a>(&'a [[u8; BLOCK]]);

    impl Task for ClassesOf<'_> {
        type Output = Vec<(TextClasses, TokenClasses, u64)>;

        fn run<Text, Tokens, PrefixXor>(self, classify: Classify<Text, Tokens, PrefixXor>) -> Self::Output
        where
            Text: Fn(&[u8; BLOCK]) -> TextClasses,
            Tokens: Fn(&[u8; BLOCK], u64) -> TokenClasses,
            PrefixXor: Fn(u64) -> u64,
        {
            let classes = |block: &[u8; BLOCK]| {
                let text = (classify.text)(block);
                let bits = text.quote ^ text.non_ascii ^ text.control.rotate_left(7);
                (text, (classify.tokens)(block, text.control), (classify.prefix_xor)(bits))
            };
            self.0.iter().map(classes).collect()
        }
    }

    #[test]
    fn every_byte_has_the_classes_of_the_grammar() {
        for byte in 0..=255_u8 {
            let mut block = [b'a'; BLOCK];
            block[17] = byte;
            for scanner in all() {
                let (text, tokens, _) = scanner.run(ClassesOf(&[block]))[0];
                let at = |mask: u64| mask >> 17 & 1 == 1;
                assert_eq!(at(text.quote), byte == b'"', "{scanner:?} {byte:#x}");
                assert_eq!(at(text.backslash), byte == b'\\', "{scanner:?} {byte:#x}");
                assert_eq!(at(text.control), byte < 0x20, "{scanner:?} {byte:#x}");
                assert_eq!(at(text.non_ascii), byte >= 0x80, "{scanner:?} {byte:#x}");
                assert_eq!(at(tokens.open), matches!(byte, b'{' | b'['), "{scanner:?} {byte:#x}");
                assert_eq!(at(tokens.close), matches!(byte, b'}' | b']'), "{scanner:?} {byte:#x}");
                assert_eq!(at(tokens.curly), byte & 0x20 != 0, "{scanner:?} {byte:#x}");
                assert_eq!(at(tokens.colon), byte == b':', "{scanner:?} {byte:#x}");
                assert_eq!(at(tokens.comma), byte == b',', "{scanner:?} {byte:#x}");
                let space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
                assert_eq!(at(tokens.space), space, "{scanner:?} {byte:#x}");
            }
        }
    }

    proptest! {
        #[test]
        fn all_scanners_agree_with_the_portable_one(bytes in proptest::collection::vec(any::<u8>(), 64 * 5)) {
            let (blocks, _) = bytes.as_chunks::<BLOCK>();
            let expected = Scanner::Portable.run(ClassesOf(blocks));
            for scanner in all() {
                prop_assert_eq!(&scanner.run(ClassesOf(blocks)), &expected, "{:?}", scanner);
            }
        }
    }
}
