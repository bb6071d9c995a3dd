//! Writes a generated pod list.

use clap::Parser;
use coracle_testkit::podlist::PodList;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Writes a pod list as a kubelet answers it on /pods.
///
/// The same arguments give the same bytes, on every machine. A pod is about 25 kB, so that 1,000 pods are 25 MB.
/// The list is written a pod at a time; its length does not show in the memory of this program.
#[derive(Debug, Parser)]
#[command(
    name = "podlist",
    version,
    after_help = "Examples:\n  podlist --pods 110 --seed 1 > pods.json       a full node\n  \
                  podlist --bytes 30000000 --output big.json    the shortest list of at least 30 MB\n  \
                  podlist --pods 5 | jq '.items[].metadata.name'"
)]
struct Arguments {
    /// How many pods to write
    #[arg(long, value_name = "N", default_value_t = 110)]
    pods: u32,
    /// Write the fewest pods whose document has at least N bytes, instead of --pods
    #[arg(long, value_name = "N", conflicts_with = "pods")]
    bytes: Option<u64>,
    /// What everything random is drawn from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where to write; `-` is the standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let list = match arguments.bytes {
        Some(bytes) => PodList::of_size(bytes, arguments.seed),
        None => PodList::new(arguments.pods, arguments.seed),
    };
    match write(&list, &arguments.output) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("podlist: writing the list to {}: {error}", arguments.output.display());
            ExitCode::FAILURE
        }
    }
}

fn write(list: &PodList, output: &Path) -> io::Result<()> {
    let target: Box<dyn Write> = if output.as_os_str() == "-" {
        Box::new(io::stdout().lock())
    } else {
        Box::new(File::create(output)?)
    };
    let mut out = BufWriter::with_capacity(64 * 1024, target);
    list.write_to(&mut out)?;
    out.flush()
}
