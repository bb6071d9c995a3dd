//! Where a pod list comes from.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use coracle_podlist::{Error as ListError, Flow, Limits, Reader, Sink, Summary};

use crate::kubelet::{self, KubeletError, KubeletOptions, ReadError};

/// A place that gives a pod list; always streamed, never held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file: regular, FIFO or device.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// A kubelet.
    Kubelet(KubeletOptions),
}

/// The list is read in pieces of this size.
const BUFFER_BYTES: usize = 16 * 1024;

/// Why a source gave no list. What the sink had been given until then is not the list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Reading failed.
    #[error("cannot read the pod list from {place}{}", read_remedy(.source))]
    Read {
        /// The file or standard input.
        place: String,
        /// Why.
        source: io::Error,
    },
    /// What was read is not a whole, well-formed pod list.
    #[error("the pod list from {place} cannot be used")]
    List {
        /// The source.
        place: String,
        /// Why.
        source: ListError,
    },
    /// The kubelet did not give it.
    #[error(transparent)]
    Kubelet(#[from] KubeletError),
}

impl SourceError {
    /// Whether waiting and trying again is futile until somebody changes something, or costs too much; see
    /// [`KubeletError::is_lasting`].
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Read { .. } | Self::List { .. } => true,
            Self::Kubelet(error) => error.is_lasting(),
        }
    }

    /// Whether a pod that may be the wanted one is not such as Kubernetes writes. The kubelet would only say the same
    /// again.
    pub(crate) fn is_undecodable_pod(&self) -> bool {
        matches!(self, Self::List { source: ListError::Pod { .. }, .. })
    }
}

fn read_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "; check the path",
        io::ErrorKind::PermissionDenied => "; check that this user may read it",
        io::ErrorKind::IsADirectory => "; give a file in it",
        _ => "",
    }
}

impl Source {
    /// Reads the whole list into `sink`, with default limits.
    ///
    /// Files and standard input are read in place, without a thread of their own: the calling task is busy
    /// meanwhile. That suits a command; an agent asks the kubelet.
    pub async fn read(&self, sink: &mut impl Sink) -> Result<Summary, SourceError> {
        self.read_with_limits(Limits::default(), sink).await
    }

    /// The same with other limits on pods.
    pub async fn read_with_limits(
        &self,
        limits: Limits,
        sink: &mut impl Sink,
    ) -> Result<Summary, SourceError> {
        let reader = Reader::with_limits(limits);
        match self {
            Self::File(path) => self.read_from(open(path), reader, sink),
            Self::Stdin => self.read_from(Ok(io::stdin().lock()), reader, sink),
            Self::Kubelet(options) => match kubelet::read(options, reader, sink).await {
                Ok(summary) => Ok(summary),
                Err(ReadError::Kubelet(error)) => Err(error.into()),
                Err(ReadError::List(source)) => Err(self.malformed(source)),
            },
        }
    }

    /// Whether it can be read again: files and standard input are what they are.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        matches!(self, Self::Kubelet(_))
    }

    fn read_from(
        &self,
        input: io::Result<impl Read>,
        mut reader: Reader,
        sink: &mut impl Sink,
    ) -> Result<Summary, SourceError> {
        let failed = |source| SourceError::Read { place: self.to_string(), source };
        let mut input = input.map_err(failed)?;
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            let len = match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(len) => len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failed(error)),
            };
            match reader.push(&buffer[..len], sink) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => break,
                Err(source) => return Err(self.malformed(source)),
            }
        }
        reader.finish(sink).map_err(|source| self.malformed(source))
    }

    fn malformed(&self, source: ListError) -> SourceError {
        SourceError::List { place: self.to_string(), source }
    }
}

impl fmt::Display for Source {
    /// As in `read from …`: the path, `standard input`, or `the kubelet …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Stdin => f.write_str("standard input"),
            Self::Kubelet(options) => write!(f, "the kubelet {options}"),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}
