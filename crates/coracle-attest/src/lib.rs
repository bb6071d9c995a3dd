//! coracle-attest.
