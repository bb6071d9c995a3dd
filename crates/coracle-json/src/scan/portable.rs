//! The scalar twin of the SIMD scanners: a table and a loop.

use super::{BLOCK, Classes};

pub(super) fn classify(blocks: &[[u8; BLOCK]], out: &mut [Classes]) {
    for (block, out) in blocks.iter().zip(out) {
        *out = classify_one(block);
    }
}

fn classify_one(block: &[u8; BLOCK]) -> Classes {
    let mut found = Classes::default();
    for (at, &byte) in block.iter().enumerate() {
        let class = CLASS[usize::from(byte)];
        let bit = |n: u32| u64::from(class >> n & 1) << at;
        found.quote |= bit(0);
        found.backslash |= bit(1);
        found.open |= bit(2);
        found.close |= bit(3);
        found.curly |= bit(4);
        found.colon |= bit(5);
        found.comma |= bit(6);
        found.space |= bit(7);
        found.control |= bit(8);
        found.non_ascii |= bit(9);
    }
    found
}

/// One bit a class, in the order of the fields of [`Classes`].
const CLASS: [u16; 256] = {
    let mut table = [0_u16; 256];
    let mut byte = 0_u8;
    loop {
        let mut class = match byte {
            b'"' => 1,
            b'\\' => 1 << 1,
            b'{' | b'[' => 1 << 2,
            b'}' | b']' => 1 << 3,
            b':' => 1 << 5,
            b',' => 1 << 6,
            b' ' | b'\t' | b'\n' | b'\r' => 1 << 7,
            _ => 0,
        };
        if byte & 0x20 != 0 {
            class |= 1 << 4;
        }
        if byte < 0x20 {
            class |= 1 << 8;
        }
        if byte >= 0x80 {
            class |= 1 << 9;
        }
        table[byte as usize] = class;
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};
