//! coracle-testkit.
#![forbid(unsafe_code)]

pub mod kubelet;
