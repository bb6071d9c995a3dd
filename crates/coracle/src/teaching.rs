//! What help and manual pages teach besides the options: exit status and examples.

use std::fmt::Write;

/// The subcommands, in the order of the definition.
pub(crate) const SUBCOMMANDS: [&str; 5] = ["attest", "pods", "demo", "completions", "man"];

/// What each exit code says.
pub(crate) const EXIT_STATUS: [(&str, &str); 6] = [
    ("0", "found, or done"),
    ("1", "failure: the process or the pod list could not be read, or is not to be trusted"),
    ("2", "the command line cannot be used"),
    (
        "3",
        "not found, or not a pod: no such process, a process outside of pods, a container that is in no list",
    ),
    ("4", "changed or different (reserved)"),
    ("128+n", "the demo was ended by signal n, and cleaned up"),
];

/// A command, and what it is for.
pub(crate) struct Example {
    pub(crate) command: &'static str,
    pub(crate) purpose: &'static str,
}

const fn example(command: &'static str, purpose: &'static str) -> Example {
    Example { command, purpose }
}

const PROGRAM: &[Example] = &[
    example("coracle demo", "see it at work; needs no cluster"),
    example("coracle attest --pid 4711", "who is process 4711?"),
    example("coracle pods -o wide", "what runs on this node?"),
];

const ATTEST: &[Example] = &[
    example("coracle attest --pid 4711", "on a node, in a pod with hostPID and a service account"),
    example(
        "coracle attest --pid 4711 --pods https://worker-3:10250 --kubelet-ca kubelet.pem",
        "from the kubelet of a node, whose certificate must carry its name",
    ),
    example(
        "kubectl get pods -A -o json | coracle attest --pid 4711 --pods - -o json",
        "from a list that another program got",
    ),
    example(
        "coracle attest --pid 4711 --proc-root /host/proc --stats",
        "where the node's /proc is elsewhere",
    ),
];

const PODS: &[Example] = &[
    example("coracle pods", "the pods of this node"),
    example("coracle pods --pods pods.json -o wide", "from a file, with uids, owners and images"),
    example("coracle pods -o json | jq .summary", "what the list costs to read"),
];

const DEMO: &[Example] = &[
    example("coracle demo", "real cgroups if run as root"),
    example("coracle demo --no-cgroups", "as any user"),
    example("coracle demo --pods 1200", "with a list of 30 MB"),
];

const COMPLETIONS: &[Example] = &[
    example("source <(coracle completions bash)", "for this shell"),
    example("coracle completions zsh > ~/.zfunc/_coracle", "for good"),
];

const MAN: &[Example] = &[
    example("coracle man attest | man -l -", "read a page"),
    example("coracle man --dir /usr/local/share/man/man1", "install all pages"),
];

/// Examples of a subcommand, or of the program.
pub(crate) fn examples(name: &str) -> &'static [Example] {
    match name {
        "attest" => ATTEST,
        "pods" => PODS,
        "demo" => DEMO,
        "completions" => COMPLETIONS,
        "man" => MAN,
        _ => PROGRAM,
    }
}

/// Both, as they stand below the options.
pub(crate) fn after_help(name: &str) -> String {
    let mut text = String::from("Examples:\n");
    for Example { command, purpose } in examples(name) {
        // Two lines each: commands are long, and a terminal is narrow.
        let _ = writeln!(text, "  {command}\n      {purpose}");
    }
    text.push_str("\nExit status:\n");
    for (code, meaning) in EXIT_STATUS {
        let _ = writeln!(text, "  {code}  {meaning}");
    }
    text
}
