//! See `coracle_testkit::fuzz::podlist`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| coracle_testkit::fuzz::podlist(data));
