//! What is read from disk before a request: whom to trust, and what to present.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use hyper::header::HeaderValue;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::options::KubeletOptions;

/// The most that is read of a file. A bundle of every public CA of the world is a quarter of it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// What is presented to the kubelet.
#[derive(Debug)]
pub(crate) enum Credentials {
    Anonymous,
    Token(Token),
    Certificate { chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static> },
}

/// A bearer token as the value of an `Authorization` header; never shown.
#[derive(Debug)]
pub(crate) struct Token(HeaderValue);

impl Token {
    fn new(token: &[u8]) -> Option<Self> {
        let mut value = HeaderValue::from_bytes(&[b"Bearer ", token].concat()).ok()?;
        // Its `Debug` output then says no more than that.
        value.set_sensitive(true);
        Some(Self(value))
    }

    pub(crate) fn header_value(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// A kubelet's options cannot be used, or a file that they name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A file cannot be read.
    #[error("cannot read the {what} {}; check the path and that this user may read it", path.display())]
    Unreadable {
        /// What the file is for.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is longer than any that can be meant.
    #[error("the {what} {} is longer than {limit} bytes; is it the right file?", path.display())]
    FileTooLarge {
        /// What the file is for.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The most that is read of it.
        limit: u64,
    },
    /// A file is not well-formed PEM.
    #[error("the {what} {} is not well-formed PEM: {source:?}; is it the right file?", path.display())]
    Pem {
        /// What the file is for.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: PemError,
    },
    /// A PEM file lacks the block that it is for.
    #[error("the {what} {} holds no {expected} block; is it the right file?", path.display())]
    NoBlock {
        /// What the file is for.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The label of the block.
        expected: &'static str,
    },
    /// A CA file holds something besides certificates, such as a private key.
    #[error("the kubelet CA file {} holds a {found:?} block; it may hold CERTIFICATE blocks only", path.display())]
    NotACertificate {
        /// The file.
        path: PathBuf,
        /// The label of the block.
        found: String,
    },
    /// A certificate of the CA file cannot be used as a root.
    #[error("certificate {number} of the kubelet CA file {} cannot be trusted as a root", path.display())]
    BadRoot {
        /// The file.
        path: PathBuf,
        /// Which certificate, from 1.
        number: usize,
        /// Why.
        source: rustls::Error,
    },
    /// A client certificate without its key, or the other way round.
    #[error("a client {given} is given without the client {missing}; give both, or neither to use the token")]
    HalfAKeyPair {
        /// What was given.
        given: &'static str,
        /// What was not.
        missing: &'static str,
    },
    /// The key does not fit the certificate, or is of a kind that is not supported.
    #[error(
        "the client certificate {} and the client key {} cannot be used together; do they belong together?",
        certificate.display(), key.display()
    )]
    KeyPair {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
        /// Why.
        source: rustls::Error,
    },
    /// A token file without a token, or with something else in it.
    #[error("the token file {} holds no bearer token: {found}", path.display())]
    NoToken {
        /// The file.
        path: PathBuf,
        /// What it holds instead; never its content.
        found: &'static str,
    },
    /// The host or the node name is neither a DNS name nor an address.
    #[error("{name:?} is neither a DNS name nor an IP address; check the node name and the host")]
    HostName {
        /// The name.
        name: String,
    },
    /// The path cannot stand in a request.
    #[error("{path:?} is not the path of a URL; it must begin with a slash, the kubelet's is /pods")]
    Path {
        /// The path.
        path: String,
    },
}

impl Credentials {
    /// Reads what `options` say is to be presented.
    pub(crate) fn load(options: &KubeletOptions) -> Result<Self, SetupError> {
        if options.anonymous {
            return Ok(Self::Anonymous);
        }
        let half = |given, missing| SetupError::HalfAKeyPair { given, missing };
        match (&options.client_certificate_file, &options.client_key_file) {
            (Some(chain), Some(key)) => Ok(Self::Certificate {
                chain: read_certificates("client certificate file", chain)?,
                key: read_key(key)?,
            }),
            (Some(_), None) => Err(half("certificate", "key")),
            (None, Some(_)) => Err(half("key", "certificate")),
            (None, None) => read_token(&options.token_file).map(Self::Token),
        }
    }
}

/// The certificates of the CA file: nothing else may be in it, and at least one must be.
pub(crate) fn read_ca(path: &Path) -> Result<Vec<CertificateDer<'static>>, SetupError> {
    let what = "kubelet CA file";
    let pem = read_file(what, path)?;
    if let Some(found) = labels(&pem).find(|label| label != "CERTIFICATE") {
        return Err(SetupError::NotACertificate { path: path.to_owned(), found });
    }
    certificates(what, path, &pem)
}

fn read_certificates(what: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, SetupError> {
    certificates(what, path, &read_file(what, path)?)
}

fn certificates(
    what: &'static str,
    path: &Path,
    pem: &[u8],
) -> Result<Vec<CertificateDer<'static>>, SetupError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.map_err(|source| SetupError::Pem { what, path: path.to_owned(), source })?;
    if found.is_empty() {
        return Err(SetupError::NoBlock { what, path: path.to_owned(), expected: "CERTIFICATE" });
    }
    Ok(found)
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, SetupError> {
    let what = "client key file";
    PrivateKeyDer::from_pem_slice(&read_file(what, path)?).map_err(|source| match source {
        PemError::NoItemsFound => {
            SetupError::NoBlock { what, path: path.to_owned(), expected: "PRIVATE KEY" }
        }
        source => SetupError::Pem { what, path: path.to_owned(), source },
    })
}

fn read_token(path: &Path) -> Result<Token, SetupError> {
    let no_token = |found| SetupError::NoToken { path: path.to_owned(), found };
    let bytes = read_file("token file", path)?;
    let token = bytes.trim_ascii();
    if token.is_empty() {
        return Err(no_token("it is empty"));
    }
    // RFC 6750 allows fewer characters still; these are the ones that cannot end or split the header.
    let token = Token::new(token).filter(|_| token.iter().all(u8::is_ascii_graphic));
    token.ok_or_else(|| no_token("it has white space or other characters inside that a token cannot have"))
}

fn read_file(what: &'static str, path: &Path) -> Result<Vec<u8>, SetupError> {
    let unreadable = |source| SetupError::Unreadable { what, path: path.to_owned(), source };
    // Opening a pipe would wait for whoever writes to it, for ever.
    if std::fs::metadata(path).map_err(unreadable)?.file_type().is_fifo() {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe, not a file")));
    }
    let file = File::open(path).map_err(unreadable)?;
    let mut content = Vec::new();
    // One byte more than allowed tells whether there is more; a device that never ends is told too.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut content).map_err(unreadable)?;
    if content.len() as u64 > MAX_FILE_BYTES {
        return Err(SetupError::FileTooLarge { what, path: path.to_owned(), limit: MAX_FILE_BYTES });
    }
    Ok(content)
}

/// The labels of all blocks; the PEM reader itself passes over those that it does not know.
fn labels(pem: &[u8]) -> impl Iterator<Item = String> {
    pem.split(|&byte| byte == b'\n').filter_map(|line| {
        let label = line.trim_ascii().strip_prefix(b"-----BEGIN ")?.strip_suffix(b"-----")?;
        Some(String::from_utf8_lossy(label).into_owned())
    })
}
