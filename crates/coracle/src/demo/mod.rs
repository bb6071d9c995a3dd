//! `coracle demo`: attestation at work, on a node that is made for it and removed again.
//!
//! The kubelet is a process of its own, so that the figures at the end are those of the attesting process alone.

mod cgroups;
mod kubelet;
mod node;
mod process;
mod role;
mod scene;
mod show;
mod signals;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use coracle_attest::{Attestor, Policy, Source};
use tempfile::TempDir;

pub(crate) use role::Role;

use crate::cli::DemoArgs;
use crate::failure::{self, Failure};
use kubelet::KubeletProcess;
use node::Node;
use scene::Scene;
use signals::Signals;

/// Why there is no demo to be seen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error("cannot make a temporary directory; set TMPDIR to one that may be written to")]
    TemporaryDirectory(#[source] io::Error),
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot start {what}")]
    Start { what: &'static str, source: io::Error },
    #[error("the demo's kubelet ended before it said where it listens")]
    NoKubelet,
    #[error("only {found} of the {wanted} pods that the demo needs run; ask for more with --pods")]
    TooFewPods { found: usize, wanted: usize },
    #[error(
        "cannot watch for signals, and the demo will not run where Ctrl-C would leave its cgroups behind"
    )]
    Signals(#[source] io::Error),
    #[error("{wrong} of {all} processes were not attested as they should have been")]
    Wrong { wrong: usize, all: usize },
    #[error("left behind, to be removed by hand: {}", names.join(", "))]
    Leftovers { names: Vec<String> },
}

/// Runs the demo; what it made is gone when this returns, however it went.
pub(crate) fn run(arguments: &DemoArgs) -> Result<ExitCode, Failure> {
    crate::runtime()?.block_on(async {
        // Before anything is made: from here on a signal is something that is waited for.
        let mut signals = Signals::watch().map_err(DemoError::Signals)?;
        let stage = Stage::set(arguments)?;
        let ended = tokio::select! {
            biased;
            signal = signals.next() => Ended::Interrupted(signal),
            shown = stage.play() => Ended::Shown(shown),
        };
        let names = stage.clear();
        let left = if names.is_empty() { Ok(()) } else { Err(DemoError::Leftovers { names }) };
        match ended {
            Ended::Interrupted(signal) => {
                if let Err(error) = left {
                    failure::print(&error.to_string());
                }
                failure::print(&format!(
                    "ended by {}; the demo's processes and cgroups are removed",
                    signal.name
                ));
                Ok(ExitCode::from(signal.exit_code()))
            }
            Ended::Shown(shown) => {
                shown?;
                left?;
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

enum Ended {
    Shown(Result<(), Failure>),
    Interrupted(signals::Signal),
}

/// Everything that the demo made. Dropped, it is removed, also when a panic or an error is the reason.
struct Stage {
    scene: Scene,
    // Before the directory: their files are in it.
    node: Node,
    kubelet: KubeletProcess,
    directory: TempDir,
}

impl Stage {
    fn set(arguments: &DemoArgs) -> Result<Self, DemoError> {
        let scene = Scene::new(arguments.pods, arguments.seed)?;
        let directory = tempfile::Builder::new().prefix("coracle-demo-").tempdir();
        let directory = directory.map_err(DemoError::TemporaryDirectory)?;
        // First, so that it makes its certificates while the processes are started.
        let starting = KubeletProcess::start(arguments.pods, arguments.seed, directory.path())?;
        let node = Node::set_up(&scene.parts, arguments.no_cgroups, directory.path())?;
        let kubelet = starting.wait_until_it_listens()?;
        Ok(Self { scene, node, kubelet, directory })
    }

    async fn play(&self) -> Result<(), Failure> {
        let attestor = Attestor {
            proc_root: self.node.proc_root().to_owned(),
            source: Source::Kubelet(self.kubelet.options()?),
            // Everything is there already: one list each.
            policy: Policy { max_poll_attempts: 1, fail_fast: true, ..Policy::default() },
        };
        show::introduce(&self.node, &self.kubelet, self.scene.list.pods()).map_err(Failure::Output)?;
        let rows = show::attest(&attestor, &self.scene.parts, &self.node).await;
        rows.print().map_err(Failure::Output)?;
        rows.check()?;
        Ok(())
    }

    /// Removes everything now, and names what could not be removed.
    fn clear(self) -> Vec<String> {
        let Self { node, kubelet, directory, scene: _ } = self;
        let mut left = node.clear();
        left.extend(kubelet.clear());
        let path = directory.path().to_owned();
        if let Err(error) = directory.close() {
            left.push(format!("{} ({error})", path.display()));
        }
        left
    }
}
