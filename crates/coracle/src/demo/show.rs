//! What the demo prints.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use coracle_attest::{AttestError, Attestation, Attestor, Outcome};

use super::DemoError;
use super::kubelet::KubeletProcess;
use super::node::Node;
use super::scene::{Part, Truth};
use crate::columns::Layout;
use crate::figures::{Bytes, Cost, count};
use crate::{escape, failure, terminal};

const HEADERS: [&str; 5] = ["PID", "PROCESS", "POD", "CONTAINER", "SELECTORS"];

/// The rows of the table, and what they cost.
pub(super) struct Shown {
    rows: Vec<[String; 5]>,
    wrong: usize,
    lists: u64,
    bytes_read: u64,
    bytes_kept: u64,
    time: Duration,
}

/// Says what there is to be seen.
pub(super) fn introduce(node: &Node, kubelet: &KubeletProcess, pods: u32) -> io::Result<()> {
    let mut out = terminal::output();
    writeln!(
        out,
        "node     {}, {}",
        count(node.pids().count() as u64, "process", "processes"),
        node.describe()
    )?;
    writeln!(
        out,
        "kubelet  {} with its own CA, {} (process {}, not in the figures below)\n",
        kubelet.url,
        count(pods.into(), "pod", "pods"),
        kubelet.pid(),
    )?;
    out.flush()
}

/// Attests each process the way a real one is.
pub(super) async fn attest(attestor: &Attestor, parts: &[Part], node: &Node) -> Shown {
    let begun = Instant::now();
    let rows = Vec::with_capacity(parts.len());
    let mut shown = Shown { rows, wrong: 0, lists: 0, bytes_read: 0, bytes_kept: 0, time: Duration::ZERO };
    for (part, pid) in parts.iter().zip(node.pids()) {
        let outcome = attestor.attest(pid, &mut |_| ()).await;
        shown.add(pid, part, outcome);
    }
    shown.time = begun.elapsed();
    shown
}

impl Shown {
    fn add(&mut self, pid: u32, part: &Part, outcome: Result<Outcome, AttestError>) {
        self.wrong += usize::from(!is_right(&outcome, part.truth.as_ref()));
        let [pod, container, selectors] = match outcome {
            Ok(Outcome::Attested(found)) => {
                self.lists += u64::from(found.attempts);
                self.bytes_read += found.summary.bytes_read;
                self.bytes_kept += kept(&found);
                let pod = format!("{}/{}", found.namespace, found.pod_name);
                [pod, found.container_name.unwrap_or_default(), telling(&found.selectors)]
            }
            Ok(Outcome::NotInContainer(why)) => [String::new(), String::new(), format!("not a pod: {why}")],
            Err(error) => [String::new(), String::new(), failure::chain(&error)],
        };
        let cells = [&part.place, &pod, &container, &selectors].map(|cell| escape::value(cell).into_owned());
        let [place, pod, container, selectors] = cells;
        self.rows.push([pid.to_string(), place, pod, container, selectors]);
    }

    /// The table and the closing line.
    pub(super) fn print(&self) -> io::Result<()> {
        let mut out = terminal::output();
        Layout::of_output().write(&mut out, HEADERS, self.rows.iter().cloned())?;
        writeln!(
            out,
            "\nread {} in {} · kept {} · {}",
            Bytes(self.bytes_read),
            count(self.lists, "list", "lists"),
            Bytes(self.bytes_kept),
            Cost { time: self.time },
        )?;
        out.flush()
    }

    /// Fails if any process was taken for another.
    pub(super) fn check(&self) -> Result<(), DemoError> {
        match self.wrong {
            0 => Ok(()),
            wrong => Err(DemoError::Wrong { wrong, all: self.rows.len() }),
        }
    }
}

fn is_right(outcome: &Result<Outcome, AttestError>, truth: Option<&Truth>) -> bool {
    match (outcome, truth) {
        (Ok(Outcome::Attested(found)), Some(truth)) => {
            found.pod_uid == truth.pod_uid && found.container_name.as_ref() == Some(&truth.container_name)
        }
        (Ok(Outcome::NotInContainer(_)), None) => true,
        _ => false,
    }
}

/// Bytes of the answer: all that is kept of a list.
fn kept(found: &Attestation) -> u64 {
    let facts = [&found.pod_uid, &found.pod_name, &found.namespace, &found.container_id];
    let facts = facts.into_iter().chain(&found.container_name).chain(&found.selectors);
    facts.map(|text| text.len() as u64).sum()
}

/// Those that the other columns do not tell, as far as one line goes: the account, the owner, the images.
fn telling(selectors: &[String]) -> String {
    let tells = |selector: &&String| ["sa:", "pod-owner:"].iter().any(|prefix| selector.starts_with(prefix));
    let mut shown: Vec<&str> = selectors.iter().filter(tells).map(String::as_str).collect();
    let rest = format!("+{} more", selectors.len() - shown.len());
    shown.push(&rest);
    shown.join(" ")
}
