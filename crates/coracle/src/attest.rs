//! `coracle attest`: the selectors of one process.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use coracle_attest::{AttestError, Attestation, Attestor, Outcome, Policy, Progress, SELECTOR_TYPE};
use serde::{Serialize, Serializer};

use crate::cli::{AttestArgs, AttestFormat};
use crate::columns::Layout;
use crate::failure::{self, Failure};
use crate::figures::{Bytes, Cost, count};
use crate::{escape, json, terminal};

/// Attests and prints.
pub(crate) fn run(arguments: AttestArgs) -> Result<(), Failure> {
    let begun = Instant::now();
    let AttestArgs { pid, output: format, stats, .. } = arguments;
    let outcome = attest(arguments);
    if stats {
        failure::print(&cost(&outcome, begun.elapsed()));
    }
    match outcome? {
        Outcome::Attested(attestation) => print(&attestation, format),
        Outcome::NotInContainer(why) => Err(Failure::NotInPod { pid, why }),
    }
}

fn attest(arguments: AttestArgs) -> Result<Outcome, Failure> {
    let interval = arguments.poll_retry_interval;
    let policy = Policy {
        max_poll_attempts: arguments.max_poll_attempts,
        poll_retry_interval: interval,
        disable_container_selectors: arguments.disable_container_selectors,
        fail_fast: true,
    };
    let source = arguments.source.into_source()?;
    let attestor = Attestor { proc_root: arguments.proc_root, source, policy };
    let mut observer = |progress: Progress<'_>| {
        if let Some(waiting) = first_wait(&progress, interval) {
            failure::print(&waiting);
        }
    };
    let outcome = crate::runtime()?.block_on(attestor.attest(arguments.pid, &mut observer));
    outcome.map_err(|error: AttestError| error.into())
}

/// Told once, when the first attempt was in vain and the wait begins: a person should know what takes so long.
fn first_wait(progress: &Progress<'_>, interval: Duration) -> Option<String> {
    let (of, why) = match progress {
        Progress::NotYet { attempt: 1, of, retry_in: Some(_), pod: Some(pod) } => {
            (of, format!("pod {pod} is listed, but not its container yet"))
        }
        Progress::NotYet { attempt: 1, of, retry_in: Some(_), pod: None } => {
            (of, "the container is not in the pod list yet".to_owned())
        }
        Progress::Failed { attempt: 1, of, retry_in: Some(_), error } => (of, failure::chain(error)),
        _ => return None,
    };
    Some(format!("{why}; asking again every {interval:?}, {of} times at most"))
}

fn print(attestation: &Attestation, format: AttestFormat) -> Result<(), Failure> {
    let mut out = terminal::output();
    let written = match format {
        AttestFormat::Selectors => print_selectors(&mut out, attestation),
        AttestFormat::Columns => print_columns(&mut out, attestation, Layout::of_output()),
        AttestFormat::Json => json::write(&mut out, &Document::of(attestation)),
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)
}

fn print_selectors(out: &mut impl Write, attestation: &Attestation) -> io::Result<()> {
    for value in &attestation.selectors {
        writeln!(out, "{SELECTOR_TYPE}:{}", escape::value(value))?;
    }
    Ok(())
}

/// The selectors as fields, after what they are about.
fn print_columns(out: &mut impl Write, attestation: &Attestation, layout: Layout) -> io::Result<()> {
    let pid = attestation.pid.to_string();
    let about = [("pid", pid.as_str()), ("container-id", attestation.container_id.as_str())];
    let selectors =
        attestation.selectors.iter().map(|selector| selector.split_once(':').unwrap_or((selector, "")));
    let rows = about.into_iter().chain(selectors);
    let rows = rows.map(|(field, value)| [field.to_owned(), escape::value(value).into_owned()]);
    layout.write(out, ["FIELD", "VALUE"], rows)
}

/// What `-o json` prints; the names are an interface.
#[derive(Serialize)]
struct Document<'a> {
    pid: u32,
    pod_uid: &'a str,
    container_id: &'a str,
    selectors: Selectors<'a>,
}

impl<'a> Document<'a> {
    fn of(attestation: &'a Attestation) -> Self {
        Self {
            pid: attestation.pid,
            pod_uid: &attestation.pod_uid,
            container_id: &attestation.container_id,
            selectors: Selectors(&attestation.selectors),
        }
    }
}

struct Selectors<'a>(&'a [String]);

impl Serialize for Selectors<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|value| format!("{SELECTOR_TYPE}:{value}")))
    }
}

/// One line of what was read, and what it cost.
fn cost(outcome: &Result<Outcome, Failure>, time: Duration) -> String {
    let cost = Cost { time };
    let Ok(Outcome::Attested(Attestation { summary, attempts, .. })) = outcome else {
        return cost.to_string();
    };
    let pods = summary.pods + summary.filtered + summary.without_uid;
    let again = match attempts {
        1 => String::new(),
        attempts => format!(" at attempt {attempts}"),
    };
    format!(
        "read {}{again} · looked at {} of {} · {cost}",
        Bytes(summary.bytes_read),
        summary.pods,
        count(pods, "pod", "pods"),
    )
}
