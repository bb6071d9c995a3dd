//! Scanners for `x86_64`: AVX2, and AVX-512 with byte compares.
//!
//! A value of [`Avx2`] or [`Avx512`] can only be made by its `detect`, so holding one proves that the processor has
//! the instructions. Both compare a byte with bit 5 set (`byte | 0x20`) to find square and curly brackets with one
//! comparison, and leave which of the two it was to the `curly` mask.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_set1_epi8, _mm256_slli_epi16, _mm512_cmpeq_epi8_mask, _mm512_cmplt_epu8_mask,
    _mm512_loadu_si512, _mm512_movepi8_mask, _mm512_or_si512, _mm512_set1_epi8, _mm512_test_epi8_mask,
};

use super::{BLOCK, Classes};

/// Proof that the processor has AVX2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    #[inline]
    #[expect(clippy::unused_self, reason = "the value is the proof that the call is sound")]
    pub(super) fn classify(self, blocks: &[[u8; BLOCK]], out: &mut [Classes]) {
        // SAFETY: `self` exists only where `detect` found AVX2.
        unsafe { classify_avx2(blocks, out) }
    }
}

/// Proof that the processor has AVX-512 F and BW.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        (std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512bw"))
            .then_some(Self(()))
    }

    #[inline]
    #[expect(clippy::unused_self, reason = "the value is the proof that the call is sound")]
    pub(super) fn classify(self, blocks: &[[u8; BLOCK]], out: &mut [Classes]) {
        // SAFETY: `self` exists only where `detect` found AVX-512 F and BW.
        unsafe { classify_avx512(blocks, out) }
    }
}

#[target_feature(enable = "avx2")]
fn classify_avx2(blocks: &[[u8; BLOCK]], out: &mut [Classes]) {
    for (block, out) in blocks.iter().zip(out) {
        // SAFETY: a block is 64 readable bytes, and these loads need no alignment.
        let (low, high) = unsafe {
            (_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast()))
        };
        *out = classify_halves(low, high);
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn classify_halves(low: __m256i, high: __m256i) -> Classes {
    let bits = |low: __m256i, high: __m256i| {
        u64::from(_mm256_movemask_epi8(low).cast_unsigned())
            | u64::from(_mm256_movemask_epi8(high).cast_unsigned()) << 32
    };
    let equal = |low: __m256i, high: __m256i, byte: u8| {
        let byte = _mm256_set1_epi8(byte.cast_signed());
        bits(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte))
    };
    let fold = _mm256_set1_epi8(0x20);
    let (folded_low, folded_high) = (_mm256_or_si256(low, fold), _mm256_or_si256(high, fold));
    // The unsigned maximum with 0x20 is 0x20 exactly where the byte is at most 0x20.
    let at_most_space = bits(
        _mm256_cmpeq_epi8(_mm256_max_epu8(low, fold), fold),
        _mm256_cmpeq_epi8(_mm256_max_epu8(high, fold), fold),
    );
    let blank = equal(low, high, b' ');
    let control = at_most_space & !blank;
    let mut space = blank;
    if control != 0 {
        space |= equal(low, high, b'\n') | equal(low, high, b'\t') | equal(low, high, b'\r');
    }
    Classes {
        quote: equal(low, high, b'"'),
        backslash: equal(low, high, b'\\'),
        open: equal(folded_low, folded_high, b'{'),
        close: equal(folded_low, folded_high, b'}'),
        // Shifting left by two brings bit 5 of every byte to where movemask looks.
        curly: bits(_mm256_slli_epi16::<2>(low), _mm256_slli_epi16::<2>(high)),
        colon: equal(low, high, b':'),
        comma: equal(low, high, b','),
        space,
        control,
        non_ascii: bits(low, high),
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn classify_avx512(blocks: &[[u8; BLOCK]], out: &mut [Classes]) {
    for (block, out) in blocks.iter().zip(out) {
        // SAFETY: a block is 64 readable bytes, and this load needs no alignment.
        let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
        *out = classify_whole(bytes);
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn classify_whole(bytes: __m512i) -> Classes {
    let equal =
        |bytes: __m512i, byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte.cast_signed()));
    let fold = _mm512_set1_epi8(0x20);
    let folded = _mm512_or_si512(bytes, fold);
    let control = _mm512_cmplt_epu8_mask(bytes, fold);
    let mut space = equal(bytes, b' ');
    if control != 0 {
        space |= equal(bytes, b'\n') | equal(bytes, b'\t') | equal(bytes, b'\r');
    }
    Classes {
        quote: equal(bytes, b'"'),
        backslash: equal(bytes, b'\\'),
        open: equal(folded, b'{'),
        close: equal(folded, b'}'),
        curly: _mm512_test_epi8_mask(bytes, fold),
        colon: equal(bytes, b':'),
        comma: equal(bytes, b','),
        space,
        control,
        non_ascii: _mm512_movepi8_mask(bytes),
    }
}
