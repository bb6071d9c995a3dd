//! Serves a generated pod list as a kubelet does, until its standard input closes. The URL is the first line that it
//! prints.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use coracle_testkit::kubelet::Kubelet;
use coracle_testkit::podlist::PodList;

/// Serves a generated pod list as a kubelet does, until its standard input closes.
#[derive(Debug, Parser)]
struct Options {
    /// How many pods.
    #[arg(long, default_value_t = 110)]
    pods: u32,
    /// The seed of the list: the same seed, the same pods.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// As many pods as make a list of at least so many bytes.
    #[arg(long, conflicts_with = "pods")]
    bytes: Option<u64>,
    /// Plain HTTP.
    #[arg(long)]
    http: bool,
    /// The port, on 127.0.0.1; 0 for any.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Where to write the CA's certificate.
    #[arg(long, value_name = "FILE", conflicts_with = "http")]
    ca_out: Option<PathBuf>,
    /// The bearer token that requests need.
    #[arg(long)]
    token: Option<String>,
}

fn main() -> ExitCode {
    match serve(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let causes = std::iter::successors(error.source(), |cause| cause.source());
            let chain = causes.fold(error.to_string(), |chain, cause| format!("{chain}: {cause}"));
            eprintln!("kubelet: {chain}");
            ExitCode::FAILURE
        }
    }
}

fn serve(options: Options) -> Result<(), Box<dyn std::error::Error>> {
    let list = match options.bytes {
        Some(bytes) => PodList::of_size(bytes, options.seed),
        None => PodList::new(options.pods, options.seed),
    };
    let mut builder = Kubelet::builder(list).port(options.port);
    if options.http {
        builder = builder.http();
    }
    if let Some(token) = options.token {
        builder = builder.token(token);
    }
    let kubelet = builder.spawn()?;
    if let (Some(path), Some(pem)) = (&options.ca_out, kubelet.ca_pem()) {
        write(path, pem)?;
    }
    writeln!(io::stdout(), "{}", kubelet.url())?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

fn write(path: &Path, pem: &str) -> io::Result<()> {
    std::fs::write(path, pem)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display())))
}
