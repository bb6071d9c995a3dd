//! coracle-json.
