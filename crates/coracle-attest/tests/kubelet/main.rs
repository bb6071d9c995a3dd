//! A kubelet that answers, refuses, breaks off, dawdles, or is not who it says.

mod certificates;
mod faults;
mod server;
mod tls;
