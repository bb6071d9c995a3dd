//! Streams a Kubernetes `PodList` of any size, one pod at a time.
#![forbid(unsafe_code)]

mod pod;
mod reader;

pub use pod::{ContainerKind, ContainerStatus, Owner, Pod};
pub use reader::{Error, Flow, Limits, Reader, Sink, Summary};
