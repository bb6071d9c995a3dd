//! Where strings are: quotes, escapes and what lies between them, 64 bytes at a time.
//!
//! Finding escaped characters by carry propagation and string interiors by a prefix sum modulo two follows
//! Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (VLDB Journal 28, 2019), sections 3.1.1 and 3.1.2.

use crate::error::ErrorKind;
use crate::grammar::Broken;
use crate::scan::{BLOCK, TextClasses};

const EVEN: u64 = 0x5555_5555_5555_5555;

/// What a block inherits from the one before.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    /// 1 if the first byte of the next block is escaped.
    escaped: u64,
    /// All ones if the next block starts inside a string.
    inside: u64,
    /// Hexadecimal digits of a `\u` escape that the next block must start with.
    hex_digits: usize,
}

/// The strings of one block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quoted {
    /// From each opening quote up to, not including, the closing one.
    pub(crate) inside: u64,
    pub(crate) opening: u64,
    pub(crate) closing: u64,
    /// Every backslash of the block.
    pub(crate) backslash: u64,
}

impl Strings {
    /// Whether the next byte would be inside a string.
    pub(crate) fn is_open(&self) -> bool {
        self.inside != 0
    }

    /// Finds the strings of the next block and checks what is inside them.
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        block: &[u8; BLOCK],
        classes: &TextClasses,
        prefix_xor: impl Fn(u64) -> u64,
        broken: &mut Option<Broken>,
    ) -> Option<Quoted> {
        let escaped = self.escaped_bytes(classes.backslash);
        let quotes = classes.quote & !escaped;
        let inside = prefix_xor(quotes) ^ self.inside;
        self.inside = (inside.cast_signed() >> 63).cast_unsigned();

        // Escapes of quotes and backslashes are by far the most common ones, and need no look at the byte.
        let unusual = escaped & inside & !(classes.quote | classes.backslash);
        let control = classes.control & inside;
        if unusual | control != 0 || self.hex_digits != 0 {
            *broken = self.check_rare(block, unusual, control);
            if broken.is_some() {
                return None;
            }
        }
        Some(Quoted {
            inside,
            opening: quotes & inside,
            closing: quotes & !inside,
            backslash: classes.backslash,
        })
    }

    /// The bytes that are escaped: in a run of backslashes every second one, and what follows a run of odd length.
    #[inline(always)]
    fn escaped_bytes(&mut self, backslash: u64) -> u64 {
        let carried = self.escaped;
        let runs = backslash & !carried;
        if runs == 0 {
            self.escaped = 0;
            return carried;
        }
        let starts = runs & !(runs << 1);
        // Adding a run's first bit to it carries through the run: its bits fall to 0, and the bit behind it rises.
        let (even_sum, _) = runs.overflowing_add(starts & EVEN);
        let (odd_sum, odd_overflow) = runs.overflowing_add(starts & !EVEN);
        let from_even = even_sum ^ runs;
        let from_odd = odd_sum ^ runs;
        // A run that reaches the end of the block escapes the next byte if its length is odd: bit 64 is even.
        self.escaped = u64::from(odd_overflow);
        carried | (from_even & !EVEN) | (from_odd & EVEN)
    }

    /// Control characters, and escapes other than `\"` and `\\`.
    #[cold]
    fn check_rare(&mut self, block: &[u8; BLOCK], unusual: u64, control: u64) -> Option<Broken> {
        let mut error: Option<Broken> = None;
        let mut note = |at: usize, kind: ErrorKind| {
            let at = at.cast_signed();
            if error.as_ref().is_none_or(|(first, _)| at < *first) {
                error = Some((at, kind));
            }
        };
        if control != 0 {
            let at = control.trailing_zeros() as usize;
            note(at, ErrorKind::ControlCharacter { byte: block[at] });
        }
        let lacking = std::mem::take(&mut self.hex_digits);
        if let Some(at) = block[..lacking].iter().position(|byte| !byte.is_ascii_hexdigit()) {
            note(at, ErrorKind::UnicodeEscape);
        }
        let mut rest = unusual;
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            match block[at] {
                b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => {
                    let here = block[at + 1..].len().min(4);
                    self.hex_digits = 4 - here;
                    let digits = &block[at + 1..=at + here];
                    if let Some(bad) = digits.iter().position(|byte| !byte.is_ascii_hexdigit()) {
                        note(at + 1 + bad, ErrorKind::UnicodeEscape);
                    }
                }
                _ => note(at, ErrorKind::Escape),
            }
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped_by_hand(backslash: &[bool]) -> Vec<bool> {
        let mut out = vec![false; backslash.len()];
        let mut at = 0;
        while at < backslash.len() {
            if backslash[at] {
                if at + 1 < backslash.len() {
                    out[at + 1] = true;
                }
                at += 1;
            }
            at += 1;
        }
        out
    }

    proptest! {
        #[test]
        fn escapes_found_by_carries_are_those_found_by_hand(bits in proptest::collection::vec(prop::bool::weighted(0.7), 256)) {
            let mut strings = Strings::default();
            let mut found = Vec::new();
            for block in bits.chunks(64) {
                let mask = block.iter().enumerate().fold(0_u64, |mask, (at, &set)| mask | u64::from(set) << at);
                let escaped = strings.escaped_bytes(mask);
                found.extend((0..64).map(|at| escaped >> at & 1 == 1));
            }
            prop_assert_eq!(found, escaped_by_hand(&bits));
        }
    }
}
