//! See `coracle_testkit::fuzz::cgroup`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| coracle_testkit::fuzz::cgroup(data));
