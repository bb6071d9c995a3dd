//! The few URLs that name a kubelet.

use std::net::Ipv6Addr;

use super::options::Scheme;

/// A URL in pieces.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) scheme: Scheme,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) path: String,
}

/// Why a URL does not name a kubelet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Neither `http://` nor `https://`.
    #[error("kubelet URL {url:?} must start with https:// or http://")]
    Scheme {
        /// The text.
        url: String,
    },
    /// Before an `@`. Not shown: it may be a password.
    #[error("kubelet URL holds a user name or password; give a token file or a client certificate instead")]
    UserInfo,
    /// After a `?` or `#`.
    #[error("kubelet URL {url:?} has a query or fragment; the pod list takes none, remove it")]
    QueryOrFragment {
        /// The text.
        url: String,
    },
    /// The host is missing, or no name or address.
    #[error(
        "kubelet URL {url:?} has no valid host; write https://HOST:PORT/pods, an IPv6 address in brackets"
    )]
    Host {
        /// The text.
        url: String,
    },
    /// The port is no number from 1 to 65535.
    #[error(
        "kubelet URL {url:?} has no valid port; write a number from 1 to 65535, 10250 for the secure port"
    )]
    Port {
        /// The text.
        url: String,
    },
    /// The path has a character that no HTTP request may hold.
    #[error("kubelet URL {url:?} has a space or another character in its path that must be percent-encoded")]
    Path {
        /// The text.
        url: String,
    },
}

/// The kubelet's usual port.
pub(crate) fn default_port(scheme: Scheme) -> u16 {
    match scheme {
        Scheme::Http => 10255,
        Scheme::Https => 10250,
    }
}

/// Takes a URL apart; refuses what would be ignored in silence.
pub(crate) fn parse(url: &str) -> Result<Parts, UrlError> {
    let (scheme, rest) = split_scheme(url)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if authority.contains('@') {
        return Err(UrlError::UserInfo);
    }
    if path.contains(['?', '#']) {
        return Err(UrlError::QueryOrFragment { url: url.to_owned() });
    }
    if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(UrlError::Path { url: url.to_owned() });
    }
    let (host, port) = split_port(authority).ok_or_else(|| UrlError::Host { url: url.to_owned() })?;
    let port = match port {
        None => default_port(scheme),
        Some(port) => parse_port(port).ok_or_else(|| UrlError::Port { url: url.to_owned() })?,
    };
    let path = if path.is_empty() || path == "/" { "/pods" } else { path };
    Ok(Parts { scheme, host: host.to_owned(), port, path: path.to_owned() })
}

fn split_scheme(url: &str) -> Result<(Scheme, &str), UrlError> {
    let (scheme, rest) = url.split_once("://").ok_or_else(|| UrlError::Scheme { url: url.to_owned() })?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Ok((Scheme::Http, rest)),
        "https" => Ok((Scheme::Https, rest)),
        // What stands before `://` may be anything, a password too; it has no `@` to tell by.
        _ if rest.contains('@') => Err(UrlError::UserInfo),
        _ => Err(UrlError::Scheme { url: url.to_owned() }),
    }
}

/// The host without brackets, and the text of the port if there is one.
fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        host.parse::<Ipv6Addr>().ok()?;
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, Some(port))),
            None => rest.is_empty().then_some((host, None)),
        };
    }
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let is_one_port = port.is_none_or(|port| !port.contains(':'));
    (is_one_port && !host.is_empty() && host.bytes().all(is_name)).then_some((host, port))
}

fn parse_port(text: &str) -> Option<u16> {
    // `parse` would take a sign.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&port: &u16| is_number && port != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(url: &str) -> (Scheme, String, u16, String) {
        let Parts { scheme, host, port, path } = parse(url).expect(url);
        (scheme, host, port, path)
    }

    #[test]
    fn a_kubelet_url_is_taken_apart_and_completed() {
        let https = Scheme::Https;
        let table = [
            ("https://127.0.0.1:10250/pods", (https, "127.0.0.1", 10250, "/pods")),
            ("https://worker-3", (https, "worker-3", 10250, "/pods")),
            ("HTTPS://worker-3/", (https, "worker-3", 10250, "/pods")),
            ("http://localhost", (Scheme::Http, "localhost", 10255, "/pods")),
            ("https://[fd00::1]:8443/a/b", (https, "fd00::1", 8443, "/a/b")),
            ("https://[::1]", (https, "::1", 10250, "/pods")),
        ];
        for (url, (scheme, host, port, path)) in table {
            assert_eq!(parts(url), (scheme, host.to_owned(), port, path.to_owned()), "{url}");
        }
    }

    #[test]
    fn what_would_be_ignored_or_misread_is_refused() {
        let host = |url: &str| UrlError::Host { url: url.to_owned() };
        let port = |url: &str| UrlError::Port { url: url.to_owned() };
        for url in [
            "https://",
            "https:///pods",
            "https://fd00::1/pods",
            "https://[::1",
            "https://[x]/",
            "https://a b",
            "https://a:1:2",
        ] {
            assert_eq!(parse(url), Err(host(url)), "{url}");
        }
        for url in ["https://a:", "https://a:0", "https://a:65536", "https://a:+1", "https://[::1]:x"] {
            assert_eq!(parse(url), Err(port(url)), "{url}");
        }
        for url in ["https://a/pods?x=1", "https://a/pods#x", "https://a?x"] {
            assert_eq!(parse(url), Err(UrlError::QueryOrFragment { url: url.to_owned() }), "{url}");
        }
        for url in ["127.0.0.1:10250", "ftp://a", "unix:///run/kubelet.sock"] {
            assert_eq!(parse(url), Err(UrlError::Scheme { url: url.to_owned() }), "{url}");
        }
        assert_eq!(parse("https://a/po ds"), Err(UrlError::Path { url: "https://a/po ds".to_owned() }));
    }

    #[test]
    fn a_password_in_a_url_is_refused_and_not_repeated() {
        let error = parse("https://admin:hunter2@a/pods").expect_err("user info");
        assert_eq!(error, UrlError::UserInfo);
        assert!(!error.to_string().contains("hunter2"));
        assert_eq!(parse("ftp://admin:hunter2@a"), Err(UrlError::UserInfo));
    }
}
