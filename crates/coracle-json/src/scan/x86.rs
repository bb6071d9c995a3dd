//! The scanner for `x86_64` with AVX2.
//!
//! A value of [`Avx2`] can only be made by `detect`, so holding one proves that the processor has the instructions.

use std::arch::x86_64::{
    __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_slli_epi16,
};

use super::{BLOCK, Task, TextClasses, TokenClasses};

/// Proof that the processor has AVX2 and the bit instructions that came with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        all.then_some(Self(()))
    }

    #[inline]
    #[expect(clippy::unused_self, reason = "the value is the proof that the call is sound")]
    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` exists only where `detect` found all these instructions.
        unsafe { run(task) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run<T: Task>(task: T) -> T::Output {
    task.run(|block| text(load(block)), |block| tokens(load(block)))
}

/// Half a block each.
type Halves = (__m256i, __m256i);

#[target_feature(enable = "avx2")]
#[inline]
fn load(block: &[u8; BLOCK]) -> Halves {
    let start = block.as_ptr();
    // SAFETY: a block is 64 readable bytes, and these loads need no alignment.
    unsafe { (_mm256_loadu_si256(start.cast()), _mm256_loadu_si256(start.add(32).cast())) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn text(block: Halves) -> TextClasses {
    // The unsigned maximum with 0x1f is 0x1f exactly where the byte is at most 0x1f.
    let last_control = _mm256_set1_epi8(0x1f);
    let (low, high) = block;
    TextClasses {
        quote: equal(block, b'"'),
        backslash: equal(block, b'\\'),
        control: equal((_mm256_max_epu8(low, last_control), _mm256_max_epu8(high, last_control)), 0x1f),
        non_ascii: top_bits(block),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn tokens(block: Halves) -> TokenClasses {
    // With bit 5 set, a square bracket becomes the curly one: one comparison finds both.
    let (low, high) = block;
    let bit5 = _mm256_set1_epi8(0x20);
    let folded = (_mm256_or_si256(low, bit5), _mm256_or_si256(high, bit5));
    TokenClasses {
        open: equal(folded, b'{'),
        close: equal(folded, b'}'),
        // Shifting left by two brings bit 5 of every byte to its top.
        curly: top_bits((_mm256_slli_epi16::<2>(low), _mm256_slli_epi16::<2>(high))),
        colon: equal(block, b':'),
        comma: equal(block, b','),
        space: equal(block, b' ') | equal(block, b'\n') | equal(block, b'\t') | equal(block, b'\r'),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn equal((low, high): Halves, byte: u8) -> u64 {
    let byte = _mm256_set1_epi8(byte.cast_signed());
    top_bits((_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn top_bits((low, high): Halves) -> u64 {
    let low = _mm256_movemask_epi8(low).cast_unsigned();
    let high = _mm256_movemask_epi8(high).cast_unsigned();
    u64::from(low) | u64::from(high) << 32
}
