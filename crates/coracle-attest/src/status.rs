//! How an outcome is classed for those who watch for it.

use std::fmt;

use coracle_containers::{CgroupError, Error as LocateError};

use crate::attestor::AttestError;
use crate::kubelet::KubeletError;
use crate::source::SourceError;

/// The class of an outcome: a gRPC status code, the same as SPIRE's built-in attestor gives.
///
/// Errors of this crate have all classes but [`Canceled`](Self::Canceled) and
/// [`PermissionDenied`](Self::PermissionDenied): those are outcomes that only a server of attestations can tell, and
/// stand here so that it has one type to count and to answer by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The process cannot be told apart: its cgroups name several pods or containers, or it is no longer the one
    /// that was asked about.
    FailedPrecondition,
    /// The options or the files that they name cannot be used.
    InvalidArgument,
    /// The process cannot be read, or two pods claim its container.
    Internal,
    /// The kubelet gave no usable pod list.
    Unavailable,
    /// The container did not appear in time.
    DeadlineExceeded,
    /// The caller gave up: the server, which then drops the future of [`attest`](crate::Attestor::attest), says so.
    Canceled,
    /// There is no such object or process.
    NotFound,
    /// The caller may not ask: the server says so, which knows its callers, before it attests anything.
    PermissionDenied,
}

impl Status {
    /// The name as gRPC writes it in text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FailedPrecondition => "FailedPrecondition",
            Self::InvalidArgument => "InvalidArgument",
            Self::Internal => "Internal",
            Self::Unavailable => "Unavailable",
            Self::DeadlineExceeded => "DeadlineExceeded",
            Self::Canceled => "Canceled",
            Self::NotFound => "NotFound",
            Self::PermissionDenied => "PermissionDenied",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl SourceError {
    /// The class of the error.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::Kubelet(KubeletError::Setup { .. }) => Status::InvalidArgument,
            Self::Read { .. } | Self::List { .. } | Self::Kubelet(_) => Status::Unavailable,
        }
    }
}

impl AttestError {
    /// The class of the error.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::Locate { source, .. } => status_of_location(source),
            Self::Source { source, .. } => source.status(),
            Self::Duplicate(_) => Status::Internal,
            Self::NotFound(_) => Status::DeadlineExceeded,
            Self::ProcessChanged { .. } => Status::FailedPrecondition,
        }
    }
}

fn status_of_location(error: &LocateError) -> Status {
    match error {
        LocateError::PidZero => Status::InvalidArgument,
        LocateError::ProcessGone { .. } => Status::NotFound,
        LocateError::PidReused { .. }
        | LocateError::Cgroup {
            source: CgroupError::PodUidConflict { .. } | CgroupError::ContainerIdConflict { .. },
            ..
        } => Status::FailedPrecondition,
        _ => Status::Internal,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn conflicting_cgroups_are_a_precondition_and_unreadable_ones_are_internal() {
        let cgroup = |source| LocateError::Cgroup { pid: 7, path: PathBuf::from("/proc/7/cgroup"), source };
        let (first, second) = ("a".to_owned(), "b".to_owned());
        let conflict = cgroup(CgroupError::PodUidConflict { first, second });
        let malformed = cgroup(CgroupError::Malformed { line_number: 1, fields: 1, line: String::new() });
        let gone = LocateError::ProcessGone { pid: 7, path: PathBuf::new() };
        let class = |source| AttestError::Locate { pid: 7, source }.status();
        assert_eq!(class(conflict), Status::FailedPrecondition);
        assert_eq!(class(malformed), Status::Internal);
        assert_eq!(class(gone), Status::NotFound);
        assert_eq!(class(LocateError::PidZero), Status::InvalidArgument);
        assert_eq!(Status::FailedPrecondition.to_string(), "FailedPrecondition");
    }
}
