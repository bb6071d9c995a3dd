//! coracle-testkit.
