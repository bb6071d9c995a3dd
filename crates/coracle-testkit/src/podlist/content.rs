//! A pod list as what a kubelet sends.

use super::PodList;
use crate::kubelet::Content;

/// A pod at a time, so that a connection holds one pod. The length costs one run of the generator, which a kubelet
/// pays when it starts.
impl Content for PodList {
    fn chunks(&self) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
        Box::new(PodList::chunks(self))
    }

    fn len(&self) -> Option<u64> {
        Some(self.document_len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubelet::Kubelet;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    #[test]
    fn a_kubelet_serves_exactly_the_bytes_of_the_list() {
        let list = PodList::new(110, 3);
        let kubelet = Kubelet::builder(list.clone()).http().spawn().expect("a kubelet");
        let mut stream = TcpStream::connect(kubelet.addr()).expect("a connection");
        stream
            .write_all(b"GET /pods HTTP/1.1\r\nhost: node\r\nconnection: close\r\n\r\n")
            .expect("a request sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let body = answer.windows(4).position(|end| end == b"\r\n\r\n").expect("a head") + 4;
        let head = String::from_utf8_lossy(&answer[..body]).to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200"), "{head}");
        assert!(head.contains(&format!("content-length: {}\r\n", list.document_len())), "{head}");
        assert!(answer[body..] == list.to_vec(), "the body differs from the list");
    }
}
