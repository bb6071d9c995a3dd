//! The demo's kubelet: a process of its own, reached as any kubelet is.

use std::ffi::OsStr;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use coracle_attest::{KubeletOptions, UrlError};
use coracle_testkit::kubelet::{Content, Kubelet};
use coracle_testkit::podlist::PodList;

use super::process::Process;
use super::scene::Scene;
use super::{DemoError, role};
use crate::failure;

const CA_FILE: &str = "ca.crt";
const TOKEN_FILE: &str = "token";

/// A kubelet that is about to listen.
pub(super) struct Starting {
    process: Process,
    directory: PathBuf,
}

/// A kubelet that listens.
pub(super) struct KubeletProcess {
    process: Process,
    pub(super) url: String,
    directory: PathBuf,
}

impl KubeletProcess {
    /// Starts it; it puts what its clients need into `directory`.
    pub(super) fn start(pods: u32, seed: u64, directory: &Path) -> Result<Starting, DemoError> {
        let (pods, seed) = (pods.to_string(), seed.to_string());
        let arguments = [role::KUBELET, &pods, &seed].map(OsStr::new);
        let process = Process::start(&[&arguments[..], &[directory.as_os_str()]].concat());
        let process = process.map_err(|source| DemoError::Start { what: "the demo's kubelet", source })?;
        Ok(Starting { process, directory: directory.to_owned() })
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// How to reach it.
    pub(super) fn options(&self) -> Result<KubeletOptions, UrlError> {
        Ok(KubeletOptions {
            ca_file: self.directory.join(CA_FILE),
            token_file: self.directory.join(TOKEN_FILE),
            ..KubeletOptions::from_url(&self.url)?
        })
    }

    /// Ends it; says so if that did not work.
    pub(super) fn clear(mut self) -> Option<String> {
        let pid = self.pid();
        self.process.end().err().map(|error| format!("the kubelet, process {pid} ({error})"))
    }
}

impl Starting {
    pub(super) fn wait_until_it_listens(mut self) -> Result<KubeletProcess, DemoError> {
        let mut line = String::new();
        let output = self.process.output().ok_or(DemoError::NoKubelet)?;
        let read = BufReader::new(output).read_line(&mut line);
        read.map_err(|source| DemoError::Start { what: "the demo's kubelet", source })?;
        let url = line.trim_end();
        if url.is_empty() {
            // It has said why on standard error.
            return Err(DemoError::NoKubelet);
        }
        Ok(KubeletProcess { process: self.process, url: url.to_owned(), directory: self.directory })
    }
}

/// Runs the kubelet in this process: HTTPS, a CA and a token made for this run.
pub(super) fn serve(pods: u32, seed: u64, directory: &Path) -> Result<Kubelet, DemoError> {
    let list = Scene::new(pods, seed)?.list;
    let token = format!("{:016x}{:016x}", RandomState::new().hash_one(0), RandomState::new().hash_one(1));
    let kubelet = Kubelet::builder(Listed(list)).https().token(&token).spawn().map_err(|error| {
        DemoError::Start { what: "the demo's kubelet", source: std::io::Error::other(failure::chain(&error)) }
    })?;
    write(directory.join(CA_FILE), kubelet.ca_pem().unwrap_or_default())?;
    write(directory.join(TOKEN_FILE), &token)?;
    Ok(kubelet)
}

pub(super) fn write(path: PathBuf, text: &str) -> Result<(), DemoError> {
    fs::write(&path, text).map_err(|source| DemoError::Write { path, source })
}

/// A list that is made while it is sent.
struct Listed(PodList);

impl Content for Listed {
    fn chunks(&self) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
        let mut chunks = self.0.chunks();
        Box::new(std::iter::from_fn(move || chunks.next_chunk().map(<[u8]>::to_vec)))
    }

    /// Not known beforehand: a kubelet, too, sends a long list in HTTP's chunks.
    fn len(&self) -> Option<u64> {
        None
    }
}
