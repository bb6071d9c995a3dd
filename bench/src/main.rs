//! The measured comparison: Coracle and others, on the same input, in the same run.
//!
//! Rounds are interleaved: each runs every implementation once, and a ratio is taken within its round, so that a
//! machine that slows down for a while slows all of them. Before anything is timed, all must give the same answer.
#![forbid(unsafe_code)]

mod podlist;
mod rounds;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Counts what is allocated, for the peak column. It costs every implementation the same.
#[global_allocator]
static HEAP: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// Compare Coracle with other implementations, on generated input or your own.
#[derive(Parser)]
#[command(name = "bench")]
struct Options {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
    /// Pod lists: find one container, and index all pods.
    Podlist {
        /// Your own pod list (kubectl get --raw /api/v1/nodes/NODE/proxy/pods); otherwise one is generated.
        #[arg(long)]
        input: Option<PathBuf>,
        /// How large the generated list is.
        #[arg(long, default_value_t = 30_000_000)]
        bytes: u64,
        /// How often each implementation runs.
        #[arg(long, default_value_t = 15)]
        rounds: usize,
    },
}

fn main() -> ExitCode {
    let Subject::Podlist { input, bytes, rounds } = Options::parse().subject;
    match podlist::run(input.as_deref(), bytes, rounds.max(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}
