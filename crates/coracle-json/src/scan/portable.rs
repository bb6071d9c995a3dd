//! The scalar twin of the SIMD scanner: a table and a loop.

use super::{BLOCK, TextClasses, TokenClasses};

const QUOTE: u16 = 1;
const BACKSLASH: u16 = 1 << 1;
const CONTROL: u16 = 1 << 2;
const NON_ASCII: u16 = 1 << 3;
const OPEN: u16 = 1 << 4;
const CLOSE: u16 = 1 << 5;
const CURLY: u16 = 1 << 6;
const COLON: u16 = 1 << 7;
const COMMA: u16 = 1 << 8;
const SPACE: u16 = 1 << 9;

pub(super) fn text(block: &[u8; BLOCK]) -> TextClasses {
    let mut found = TextClasses::default();
    for (at, &byte) in block.iter().enumerate() {
        let bit = |class| has(byte, class) << at;
        found.quote |= bit(QUOTE);
        found.backslash |= bit(BACKSLASH);
        found.control |= bit(CONTROL);
        found.non_ascii |= bit(NON_ASCII);
    }
    found
}

pub(super) fn tokens(block: &[u8; BLOCK], _control: u64) -> TokenClasses {
    let mut found = TokenClasses::default();
    for (at, &byte) in block.iter().enumerate() {
        let bit = |class| has(byte, class) << at;
        found.open |= bit(OPEN);
        found.close |= bit(CLOSE);
        found.curly |= bit(CURLY);
        found.colon |= bit(COLON);
        found.comma |= bit(COMMA);
        found.space |= bit(SPACE);
    }
    found
}

/// Bit n of the result is the sum modulo two of bits 0 to n.
#[inline]
pub(super) fn prefix_xor(mut bits: u64) -> u64 {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    bits
}

#[inline]
fn has(byte: u8, class: u16) -> u64 {
    u64::from(CLASSES[usize::from(byte)] & class != 0)
}

const CLASSES: [u16; 256] = {
    let mut table = [0_u16; 256];
    let mut byte = 0_u8;
    loop {
        let mut classes = match byte {
            b'"' => QUOTE,
            b'\\' => BACKSLASH,
            b'{' | b'[' => OPEN,
            b'}' | b']' => CLOSE,
            b':' => COLON,
            b',' => COMMA,
            b' ' | b'\t' | b'\n' | b'\r' => SPACE,
            _ => 0,
        };
        if byte & 0x20 != 0 {
            classes |= CURLY;
        }
        if byte < 0x20 {
            classes |= CONTROL;
        }
        if byte >= 0x80 {
            classes |= NON_ASCII;
        }
        table[byte as usize] = classes;
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_prefix_sum_is_the_parity_of_the_bits_so_far(bits in any::<u64>()) {
            for at in 0..64 {
                let so_far = bits & (u64::MAX >> (63 - at));
                prop_assert_eq!(prefix_xor(bits) >> at & 1, u64::from(so_far.count_ones() & 1));
            }
        }
    }
}
