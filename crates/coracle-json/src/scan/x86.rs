//! The scanner for `x86_64` with AVX2.
//!
//! A value of [`Avx2`] can only be made by `detect`, so holding one proves that the processor has the instructions.

use std::arch::x86_64::{
    __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_set1_epi8, _mm256_cmpeq_epi8,
    _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_slli_epi16,
};

use super::{BLOCK, Classify, Task, TextClasses, TokenClasses};

/// Proof that the processor has AVX2 and the bit instructions that came with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("pclmulqdq");
        all.then_some(Self(()))
    }

    #[inline]
    #[expect(clippy::unused_self, reason = "the value is the proof that the call is sound")]
    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` exists only where `detect` found all these instructions.
        unsafe { run(task) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn run<T: Task>(task: T) -> T::Output {
    task.run(Classify {
        text: |block: &[u8; BLOCK]| text(load(block)),
        tokens: |block: &[u8; BLOCK], control| tokens(load(block), control),
        prefix_xor: |bits| prefix_xor(bits),
    })
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
fn tokens(block: Halves, control: u64) -> TokenClasses {
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
        space: equal(block, b' ') | line_spaces(block, control),
    }
}

/// White space other than blanks: only where there are control characters at all.
#[target_feature(enable = "avx2")]
#[inline]
fn line_spaces(block: Halves, control: u64) -> u64 {
    if control == 0 {
        return 0;
    }
    equal(block, b'\n') | equal(block, b'\t') | equal(block, b'\r')
}

/// Bit n is the sum modulo two of bits 0 to n: a product without carries by all ones.
#[target_feature(enable = "pclmulqdq")]
#[inline]
fn prefix_xor(bits: u64) -> u64 {
    let product = _mm_clmulepi64_si128::<0>(_mm_set_epi64x(0, bits.cast_signed()), _mm_set1_epi8(-1));
    _mm_cvtsi128_si64(product).cast_unsigned()
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
