//! A generator of pseudo-random numbers that gives the same sequence on every platform, for ever.

/// `SplitMix64`: one word of state, an additive step and a mixing function.
///
/// The constants are those of Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators* (2014).
/// It is not for secrets.
#[derive(Clone, Debug)]
pub(super) struct Rng(u64);

/// What a sequence is drawn for, so that one purpose never shifts the numbers of another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    /// What all pods of the list share.
    List = 1,
    /// What the pods of one controller share.
    Workload,
    /// What identifies one pod.
    Pod,
    /// The rest of a pod's document.
    Body,
}

const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Rng {
    pub(super) fn new(seed: u64, stream: Stream, index: u64) -> Self {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let absorb = |state: u64, word: u64| mix((state ^ word).wrapping_add(STEP));
        Self(absorb(absorb(absorb(0, seed), stream as u64), index))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 to `limit - 1`. The bias is less than one in 2^32 for the small limits used here.
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        let high = ((self.next() >> 32) * u64::from(limit)) >> 32;
        u32::try_from(high).expect("less than a u32 limit")
    }

    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    pub(super) fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let limit = u32::try_from(from.len()).expect("a short table");
        from[self.below(limit) as usize]
    }

    /// `digits` lower-case hexadecimal digits.
    pub(super) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 16);
        while text.len() < digits {
            let mut word = self.next();
            for _ in 0..16 {
                text.push(char::from(b"0123456789abcdef"[(word & 15) as usize]));
                word >>= 4;
            }
        }
        text.truncate(digits);
        text
    }

    /// A version 4 UUID.
    pub(super) fn uuid(&mut self) -> String {
        let digits = self.hex(31);
        let variant = self.pick(&['8', '9', 'a', 'b']);
        format!(
            "{}-{}-4{}-{variant}{}-{}",
            &digits[..8],
            &digits[8..12],
            &digits[12..15],
            &digits[15..18],
            &digits[18..30]
        )
    }

    /// Letters and digits of the alphabet that Kubernetes uses for generated names.
    pub(super) fn suffix(&mut self, letters: usize) -> String {
        (0..letters).map(|_| char::from(self.pick(LETTERS))).collect()
    }
}

/// A five-letter suffix that differs for every index below 27^5 (14.3 million), in an order that looks random.
pub(super) fn unique_suffix(seed: u64, index: u32) -> String {
    const ALL: u64 = 27 * 27 * 27 * 27 * 27;
    // The factor is no multiple of 3, so that multiplication modulo 3^15 loses nothing.
    let mut rest = (u64::from(index) * 5_300_417 + mix(seed) % ALL) % ALL;
    let mut text = String::with_capacity(5);
    for _ in 0..5 {
        text.push(char::from(LETTERS[usize::try_from(rest % 27).expect("below 27")]));
        rest /= 27;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_sequence_of_a_seed_never_changes() {
        let mut rng = Rng::new(1, Stream::Pod, 0);
        let first: Vec<u64> = (0..3).map(|_| rng.next()).collect();
        assert_eq!(first, FIRST);
    }
    const FIRST: [u64; 3] =
        [13_965_736_782_547_169_918, 16_514_699_442_114_821_904, 18_434_298_003_178_974_883];

    #[test]
    fn a_hundred_thousand_suffixes_are_all_different() {
        let seen: HashSet<String> = (0..100_000).map(|index| unique_suffix(9, index)).collect();
        assert_eq!(seen.len(), 100_000);
    }

    #[test]
    fn a_uuid_says_its_version_and_variant() {
        let uuid = Rng::new(3, Stream::Pod, 5).uuid();
        assert_eq!(uuid.len(), 36);
        assert_eq!(&uuid[14..15], "4");
        assert!("89ab".contains(&uuid[19..20]), "{uuid}");
    }
}
