//! The memory that reading takes does not depend on what is read.

use coracle_containers::parse_cgroup;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The two strings of the result; the rest is leeway for the test harness's own threads.
const LIMIT_BYTES: usize = 4096;

#[test]
fn a_file_of_megabytes_takes_no_more_memory_than_its_result() {
    let line = "1:cpu:/kubepods/pod2c48913c_b29f_11e7_9350_020968147796/\
                9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961\n";
    let file = line.repeat(20_000);
    assert!(file.len() > 2_000_000);

    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let found = parse_cgroup(file.as_bytes());
    let peak = ALLOCATOR.peak_usage() - before;

    assert!(found.is_ok_and(|found| found.is_some()));
    assert!(peak < LIMIT_BYTES, "{peak} bytes");
}
