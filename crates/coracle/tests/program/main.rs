//! The program as its users run it: the built binary, its output to the byte, and its exit codes.

mod attest;
mod bad_input;
mod bad_kubelet;
mod demo;
mod escapes;
mod harness;
mod pods;
mod teaching;
