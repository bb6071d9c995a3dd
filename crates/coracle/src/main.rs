//! The program: parses the command line, runs one subcommand, and ends with a documented exit code.
#![forbid(unsafe_code)]

mod attest;
mod cli;
mod columns;
mod demo;
mod escape;
mod failure;
mod figures;
mod json;
mod manual;
mod pods;
mod source;
mod teaching;
mod terminal;

use std::process::ExitCode;

use cli::{Cli, Command};
use failure::Failure;

/// Counts what the program holds, so that its figures are its own and not an estimate.
#[global_allocator]
static HEAP: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

fn main() -> ExitCode {
    // The demo starts this binary again for its processes and its kubelet; those are no commands for people.
    let done = match demo::Role::of_this_process() {
        Some(role) => role.play(),
        None => match cli::parse() {
            Ok(cli) => run(cli),
            Err(code) => return code,
        },
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    match cli.command {
        Command::Attest(arguments) => attest::run(*arguments).map(|()| ExitCode::SUCCESS),
        Command::Pods(arguments) => pods::run(*arguments).map(|()| ExitCode::SUCCESS),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Completions { shell } => manual::completions(shell).map(|()| ExitCode::SUCCESS),
        Command::Man(arguments) => manual::man(&arguments).map(|()| ExitCode::SUCCESS),
    }
}

/// One thread: the program waits for one thing at a time, and a thread would cost more than the wait.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Runtime)
}
