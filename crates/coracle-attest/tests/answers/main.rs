//! What is said of a pod, and that the index and the stream say the same.

mod finder;
mod index;
mod pods;
mod selectors;
