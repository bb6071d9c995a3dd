//! How the kubelet is reached.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::path::PathBuf;
use std::time::Duration;

use super::url::{self, UrlError};

/// Where a pod finds its cluster's CA.
const SERVICE_ACCOUNT_CA: &str = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
/// Where a pod finds its own token.
const SERVICE_ACCOUNT_TOKEN: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/// The kubelet's two ports differ in this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// The read-only port: no encryption, no authentication, nothing secret is sent.
    Http,
    /// The secure port.
    Https,
}

impl Scheme {
    /// As it stands in a URL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// How the kubelet is reached, and how each side proves who it is.
///
/// All files are read again for each request, so a renewed token or CA is used at once. One of more than 1 MiB is an
/// error. They matter on HTTPS only: over plain HTTP nothing secret is ever sent.
///
/// What is presented: nothing if [`anonymous`](Self::anonymous); else the client certificate if
/// [`client_certificate_file`](Self::client_certificate_file) and [`client_key_file`](Self::client_key_file) are both
/// given (only one of them is an error); else the token.
///
/// What is verified: nothing with [`skip_verification`](Self::skip_verification); else, without a
/// [`node_name`](Self::node_name), that the certificate's chain ends at the CA file; with one, also that the
/// certificate is for that name or address. The system's own roots are never used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeletOptions {
    /// Secure or read-only port.
    pub scheme: Scheme,
    /// Name or address to connect to; an IPv6 address without brackets.
    pub host: String,
    /// 10250 unless told otherwise; 10255 for the read-only port.
    pub port: u16,
    /// The path of the pod list.
    pub path: String,
    /// The name or IP address that the kubelet's certificate must carry.
    pub node_name: Option<String>,
    /// PEM file with the certificates that are trusted, and nothing else in it.
    pub ca_file: PathBuf,
    /// File with the bearer token; white space around it does not matter.
    pub token_file: PathBuf,
    /// PEM file with the client's certificate, and those between it and the kubelet's client CA.
    pub client_certificate_file: Option<PathBuf>,
    /// PEM file with the client's private key.
    pub client_key_file: Option<PathBuf>,
    /// Present nothing.
    pub anonymous: bool,
    /// Verify nothing. Whoever answers on the port then decides every identity of the node.
    pub skip_verification: bool,
    /// For the whole request, from its start to the last byte. Default 10 s.
    pub timeout: Duration,
    /// Most bytes of a body. Default 256 MiB.
    pub max_body_bytes: u64,
}

impl Default for KubeletOptions {
    /// `https://127.0.0.1:10250/pods` with the pod's own service account.
    fn default() -> Self {
        Self {
            scheme: Scheme::Https,
            host: "127.0.0.1".to_owned(),
            port: url::default_port(Scheme::Https),
            path: "/pods".to_owned(),
            node_name: None,
            ca_file: SERVICE_ACCOUNT_CA.into(),
            token_file: SERVICE_ACCOUNT_TOKEN.into(),
            client_certificate_file: None,
            client_key_file: None,
            anonymous: false,
            skip_verification: false,
            timeout: Duration::from_secs(10),
            max_body_bytes: 256 << 20,
        }
    }
}

impl KubeletOptions {
    /// The secure port: of the node with this name or address, which its certificate must carry; without one, of
    /// this host (127.0.0.1).
    #[must_use]
    pub fn secure(node_name: Option<&str>, port: u16) -> Self {
        let mut options = Self { port, ..Self::default() };
        if let Some(name) = node_name.filter(|name| !name.is_empty()) {
            name.clone_into(&mut options.host);
            options.node_name = Some(name.to_owned());
        }
        options
    }

    /// The read-only port of this host (127.0.0.1), whatever the node is called.
    #[must_use]
    pub fn read_only(port: u16) -> Self {
        Self { scheme: Scheme::Http, port, ..Self::default() }
    }

    /// From `http[s]://host[:port][/path]`; the path defaults to `/pods`.
    ///
    /// The URL's host also becomes the [`node_name`](Self::node_name) unless it is this host itself (`localhost`
    /// or a loopback address, for which no kubelet has a certificate): elsewhere in the cluster any holder of a
    /// certificate of its CA could answer.
    pub fn from_url(text: &str) -> Result<Self, UrlError> {
        let url::Parts { scheme, host, port, path } = url::parse(text)?;
        let node_name = (!is_this_host(&host)).then(|| host.clone());
        Ok(Self { scheme, host, port, path, node_name, ..Self::default() })
    }

    /// `host:port`, an IPv6 address in brackets.
    pub(crate) fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        match host.parse::<Ipv6Addr>() {
            Ok(_) => format!("[{host}]:{port}"),
            Err(_) => format!("{host}:{port}"),
        }
    }

    /// What TLS calls the peer: the node's name, else the host.
    pub(crate) fn server_name(&self) -> &str {
        self.node_name.as_ref().unwrap_or(&self.host)
    }
}

impl fmt::Display for KubeletOptions {
    /// The URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme.as_str(), self.authority(), self.path)
    }
}

fn is_this_host(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
