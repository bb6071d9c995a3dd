//! The command line: every option, and the help that teaches it.
#![allow(clippy::doc_markdown, reason = "comments on options are the help, and a terminal shows no markup")]

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::failure::{self, USAGE};
use crate::teaching;

/// The largest PID of a 64-bit Linux: `PID_MAX_LIMIT` of the kernel's `include/linux/threads.h`.
const PID_MAX: i64 = 4_194_304;

/// Tells which Kubernetes pod and container a process belongs to, in a few megabytes of memory
///
/// Coracle reads the kubelet's pod list as a stream. The list may have any size: what is kept of it are a few short
/// fields of the pods that are asked for.
#[derive(Debug, Parser)]
#[command(name = "coracle", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tell the selectors of one process
    ///
    /// Reads the process's cgroups, finds its container in the pod list, and prints what SPIRE's `k8s` attestor would
    /// say of it. While the container is not in the list yet, the kubelet is asked again. Nothing is printed unless
    /// the list was read to its end.
    ///
    /// JSON: {"pid":…,"pod_uid":…,"container_id":…,"selectors":["k8s:ns:…",…]}
    Attest(Box<AttestArgs>),
    /// List the pods that the kubelet tells of
    ///
    /// Reads the list to its end, then prints the pods by namespace and name, and last what was read, kept and held
    /// at most.
    ///
    /// JSON: {"pods":[…],"summary":{…}}. A pod has uid, namespace, name, service_account, node_name, phase,
    /// host_network, labels (an object), owners (kind, name, uid) and containers (kind, name, image, image_id,
    /// container_id); the kind of a container is container, init or ephemeral. The summary has pods, containers,
    /// skipped (pods without a uid, or replaced by a later one with the same uid), bytes_read, bytes_kept and
    /// peak_heap_bytes.
    Pods(Box<PodsArgs>),
    /// Show attestation at work, without a cluster
    ///
    /// Starts a small node: processes in cgroups as a kubelet makes them (where this machine allows it, else in a
    /// proc tree of its own), and a kubelet that serves a generated pod list over HTTPS with its own CA. Attests each
    /// process, prints what was found, and removes everything it made, also on Ctrl-C.
    Demo(DemoArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print or write the manual pages
    Man(ManArgs),
}

/// How `attest` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AttestFormat {
    /// One `k8s:<value>` a line
    Selectors,
    /// A table for people
    Columns,
    /// One JSON object
    Json,
}

/// How `pods` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PodsFormat {
    /// A table for people
    Columns,
    /// The same with uid, service account, owner, images and container ids
    Wide,
    /// One JSON object
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct AttestArgs {
    /// The process to attest
    #[arg(short, long, value_name = "PID", value_parser = clap::value_parser!(u32).range(1..=PID_MAX))]
    pub(crate) pid: u32,
    /// How to print what was found
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = AttestFormat::Selectors)]
    pub(crate) output: AttestFormat,
    /// The directory that stands for /proc: DIR/PID/cgroup is read
    #[arg(long, value_name = "DIR", default_value = "/proc", value_hint = ValueHint::DirPath)]
    pub(crate) proc_root: PathBuf,
    /// Ask at most this often for a list that has the container. Files are read once, and what waiting cannot
    /// mend ends it at once: a refusal, a certificate that is not trusted, a request that ran out of time
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_poll_attempts: u32,
    /// The least time between the starts of two requests, such as 500ms, 2s, 1m
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = parse_time)]
    pub(crate) poll_retry_interval: Duration,
    /// Tell the pod's selectors only, also while the container is not in its status yet
    #[arg(long)]
    pub(crate) disable_container_selectors: bool,
    /// Say on standard error what was read, and what it cost
    #[arg(long)]
    pub(crate) stats: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PodsArgs {
    /// How to print the pods
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = PodsFormat::Columns)]
    pub(crate) output: PodsFormat,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Where the pod list is, for every subcommand that reads one.
#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// The pod list: a file, `-` for standard input, or a kubelet's URL, such as `https://HOST:10250/pods`
    /// [default: https://127.0.0.1:10250/pods]
    #[arg(long, value_name = "FILE|-|URL", env = "CORACLE_PODS", hide_env_values = true,
          value_hint = ValueHint::AnyPath)]
    pub(crate) pods: Option<OsString>,
    #[command(flatten)]
    pub(crate) kubelet: KubeletArgs,
}

/// How the kubelet is reached. All are options, so that one given without a kubelet is noticed.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Kubelet options")]
pub(crate) struct KubeletArgs {
    /// PEM file of the CA, or of the self-signed certificate, that the kubelet must show
    /// [default: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) kubelet_ca: Option<PathBuf>,
    /// File of the bearer token to present
    /// [default: /var/run/secrets/kubernetes.io/serviceaccount/token]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) kubelet_token_file: Option<PathBuf>,
    /// PEM file of the client certificate to present instead of a token
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "kubelet_client_key",
          conflicts_with = "kubelet_token_file")]
    pub(crate) kubelet_client_cert: Option<PathBuf>,
    /// PEM file of the client certificate's key
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "kubelet_client_cert")]
    pub(crate) kubelet_client_key: Option<PathBuf>,
    /// Present neither token nor certificate
    #[arg(long, conflicts_with_all = ["kubelet_token_file", "kubelet_client_cert"])]
    pub(crate) kubelet_anonymous: bool,
    /// Believe whoever answers; who holds the port then decides every identity
    #[arg(long, conflicts_with_all = ["kubelet_ca", "node_name"])]
    pub(crate) kubelet_skip_verification: bool,
    /// The name or address that the kubelet's certificate must carry
    /// [default: the URL's host, or none if that is this host]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) node_name: Option<String>,
    /// The time for one whole request, such as 500ms, 10s, 1m [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) kubelet_timeout: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// How many pods the kubelet lists, from 40 to 10,000
    #[arg(long, value_name = "N", default_value_t = 110, value_parser = clap::value_parser!(u32).range(40..=10_000))]
    pub(crate) pods: u32,
    /// What everything random is drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Make no cgroups; use a proc tree in a temporary directory
    #[arg(long)]
    pub(crate) no_cgroups: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write one page for the program and one for each subcommand into this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "page")]
    pub(crate) dir: Option<PathBuf>,
    /// Print the page of this subcommand instead of the program's
    #[arg(value_name = "SUBCOMMAND")]
    pub(crate) page: Option<String>,
}

/// The whole definition, from which help, completions and manual pages are made.
pub(crate) fn command() -> clap::Command {
    let mut command = Cli::command().after_help(teaching::after_help("coracle"));
    for name in teaching::SUBCOMMANDS {
        command = command.mut_subcommand(name, |command| command.after_help(teaching::after_help(name)));
    }
    command
}

/// The command line of this process, or the code to end with: after help was printed, or a fault was told.
pub(crate) fn parse() -> Result<Cli, ExitCode> {
    let parsed = command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Whoever has closed the pipe has seen enough.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(USAGE)
        }
        _ => {
            failure::print(&one_line(&error.render().to_string()));
            ExitCode::from(USAGE)
        }
    })
}

/// What clap says in paragraphs, without the usage: that is what `--help` is for.
fn one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let told = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let told = told.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let mut line = String::new();
    for part in told {
        let joint = match (line.is_empty(), line.ends_with(':')) {
            (true, _) => "",
            (false, true) => " ",
            (false, false) => "; ",
        };
        line.push_str(joint);
        line.push_str(part);
    }
    line + "; --help tells more"
}

/// A number and its unit. Without one nobody knows what is meant.
fn parse_time(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        _ => return Err("write a whole number and its unit: 500ms, 10s, 1m".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "the number is missing or too large".to_owned())?;
    // A day is longer than anybody waits, and no clock overflows by it.
    match number.checked_mul(millis).filter(|millis| (1..=24 * 3_600_000).contains(millis)) {
        Some(millis) => Ok(Duration::from_millis(millis)),
        None => Err("the time must be more than 0 and at most a day".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_subcommand_has_its_examples() {
        let names: Vec<String> = command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        assert_eq!(names, teaching::SUBCOMMANDS);
        for name in teaching::SUBCOMMANDS {
            assert!(!teaching::examples(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_time_needs_its_unit_and_a_length() {
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_mins(2)));
        for wrong in ["", "10", "s", "0s", "-1s", "1.5s", "10 s", "25h", "99999999999999999999s", "1441m"] {
            assert!(parse_time(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_usage_error_becomes_one_line() {
        let error =
            command().try_get_matches_from(["coracle", "attest", "--pidd", "1"]).expect_err("no such option");
        let line = one_line(&error.render().to_string());
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(line.starts_with("unexpected argument '--pidd' found"), "{line}");
        let error = command().try_get_matches_from(["coracle", "attest"]).expect_err("--pid is missing");
        let line = one_line(&error.render().to_string());
        assert_eq!(
            line,
            "the following required arguments were not provided: --pid <PID>; --help tells more"
        );
    }
}
