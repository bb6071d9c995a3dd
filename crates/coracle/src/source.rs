//! From the command line to the place of the pod list.

use std::ffi::OsStr;

use coracle_attest::{KubeletOptions, Source};

use crate::cli::{KubeletArgs, SourceArgs};
use crate::failure::Failure;

impl SourceArgs {
    /// The source that was asked for.
    pub(crate) fn into_source(self) -> Result<Source, Failure> {
        let source = match self.pods.as_deref() {
            None => Source::Kubelet(KubeletOptions::default()),
            Some(place) if place == "-" => Source::Stdin,
            Some(place) => match as_url(place) {
                Some(url) => Source::Kubelet(KubeletOptions::from_url(url)?),
                None => Source::File(place.into()),
            },
        };
        match source {
            Source::Kubelet(options) => Ok(Source::Kubelet(self.kubelet.apply(options))),
            other => match self.kubelet.first_given() {
                None => Ok(other),
                Some(option) => Err(Failure::NoKubelet { option, place: other.to_string() }),
            },
        }
    }
}

/// Text that begins with a scheme. A file whose name does is given as `./name`.
fn as_url(place: &OsStr) -> Option<&str> {
    let text = place.to_str()?;
    let (scheme, _) = text.split_once("://")?;
    let is_scheme =
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+');
    is_scheme.then_some(text)
}

impl KubeletArgs {
    /// Sets what was given; the rest keeps its default.
    fn apply(self, mut options: KubeletOptions) -> KubeletOptions {
        if let Some(file) = self.kubelet_ca {
            options.ca_file = file;
        }
        if let Some(file) = self.kubelet_token_file {
            options.token_file = file;
        }
        if let Some(time) = self.kubelet_timeout {
            options.timeout = time;
        }
        if self.node_name.is_some() {
            options.node_name = self.node_name;
        }
        options.client_certificate_file = self.kubelet_client_cert;
        options.client_key_file = self.kubelet_client_key;
        options.anonymous = self.kubelet_anonymous;
        options.skip_verification = self.kubelet_skip_verification;
        options
    }

    /// The first option that was given, for a complaint.
    fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.kubelet_ca.is_some(), "--kubelet-ca"),
            (self.kubelet_token_file.is_some(), "--kubelet-token-file"),
            (self.kubelet_client_cert.is_some(), "--kubelet-client-cert"),
            (self.kubelet_client_key.is_some(), "--kubelet-client-key"),
            (self.kubelet_anonymous, "--kubelet-anonymous"),
            (self.kubelet_skip_verification, "--kubelet-skip-verification"),
            (self.node_name.is_some(), "--node-name"),
            (self.kubelet_timeout.is_some(), "--kubelet-timeout"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn source(arguments: &[&str]) -> Result<Source, Failure> {
        let line = ["coracle", "pods"].iter().chain(arguments);
        let Command::Pods(arguments) = Cli::try_parse_from(line).expect("a valid command line").command
        else {
            panic!("pods")
        };
        arguments.source.into_source()
    }

    #[test]
    fn a_place_is_a_file_standard_input_or_a_kubelet() {
        assert_eq!(source(&["--pods", "a.json"]).expect("a file"), Source::File("a.json".into()));
        assert_eq!(source(&["--pods", "./http://x"]).expect("a file"), Source::File("./http://x".into()));
        assert_eq!(source(&["--pods", "-"]).expect("standard input"), Source::Stdin);
        assert!(matches!(source(&["--pods", "ftp://x"]), Err(Failure::Url(_))));
        assert_eq!(source(&[]).expect("the default"), Source::Kubelet(KubeletOptions::default()));
    }

    #[test]
    fn every_kubelet_option_reaches_the_kubelet() {
        let line = "--pods https://127.0.0.1:1/pods --kubelet-ca ca --kubelet-client-cert cert --kubelet-client-key \
                    key --node-name worker-3 --kubelet-timeout 3s";
        let Source::Kubelet(options) = source(&line.split(' ').collect::<Vec<_>>()).expect("a kubelet")
        else {
            panic!("a kubelet")
        };
        let expected = KubeletOptions {
            port: 1,
            ca_file: "ca".into(),
            client_certificate_file: Some("cert".into()),
            client_key_file: Some("key".into()),
            node_name: Some("worker-3".to_owned()),
            timeout: Duration::from_secs(3),
            ..KubeletOptions::default()
        };
        assert_eq!(options, expected);
        let Source::Kubelet(options) = source(&["--kubelet-token-file", "token"]).expect("a kubelet") else {
            panic!("a kubelet")
        };
        assert_eq!(options.token_file, std::path::Path::new("token"));
    }

    #[test]
    fn a_kubelet_option_without_a_kubelet_is_refused() {
        for option in ["--kubelet-anonymous", "--kubelet-skip-verification"] {
            let failure = source(&["--pods", "-", option]).expect_err("no kubelet");
            assert!(failure.to_string().contains(option), "{failure}");
        }
        for option in ["--kubelet-ca", "--kubelet-token-file", "--node-name"] {
            let failure = source(&["--pods", "f", option, "x"]).expect_err("no kubelet");
            assert!(failure.to_string().contains(option), "{failure}");
        }
    }
}
