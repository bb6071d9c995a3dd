//! What a run cost, in words.

use std::fmt;
use std::time::Duration;

/// The most heap that this process has held, in bytes, as its allocator counted it.
pub(crate) fn peak_heap_bytes() -> u64 {
    crate::HEAP.peak_usage() as u64
}

/// The most memory that this process has had resident, in bytes (`VmHWM` of `proc_pid_status(5)`).
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Memory and time until now, as `peak heap 180 kB · peak RSS 5.4 MB · 0.31 s`.
pub(crate) struct Cost {
    pub(crate) time: Duration,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "peak heap {} · ", Bytes(peak_heap_bytes()))?;
        if let Some(bytes) = peak_rss_bytes() {
            write!(f, "peak RSS {} · ", Bytes(bytes))?;
        }
        write!(f, "{:.2} s", self.time.as_secs_f64())
    }
}

/// A number of bytes in decimal units: `512 B`, `9.1 kB`, `180 kB`, `2.8 MB`.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = *self;
        let value = bytes as f64;
        match bytes {
            0..=999 => write!(f, "{bytes} B"),
            1_000..=99_949 => write!(f, "{:.1} kB", value / 1e3),
            99_950..=999_499 => write!(f, "{:.0} kB", value / 1e3),
            999_500..=999_949_999 => write!(f, "{:.1} MB", value / 1e6),
            _ => write!(f, "{:.1} GB", value / 1e9),
        }
    }
}

/// `1 pod`, `2 pods`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        let table = [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (9_123, "9.1 kB"),
            (99_949, "99.9 kB"),
            (180_400, "180 kB"),
            (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (30_000_000, "30.0 MB"),
            (2_500_000_000, "2.5 GB"),
        ];
        for (bytes, told) in table {
            assert_eq!(Bytes(bytes).to_string(), told);
        }
    }

    #[test]
    fn this_process_has_resident_memory_and_heap() {
        assert!(peak_rss_bytes().expect("Linux tells it") > 100_000);
        assert!(peak_heap_bytes() > 0);
    }
}
