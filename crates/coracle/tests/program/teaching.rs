//! Help, completions and manual pages.

use std::fs;

use crate::harness::coracle;

const SUBCOMMANDS: [&str; 5] = ["attest", "pods", "demo", "completions", "man"];

#[test]
fn help_teaches_examples_and_exit_codes() {
    let program = coracle(&["--help"]);
    for name in SUBCOMMANDS {
        assert!(program.output().contains(&format!("  {name} ")), "{name}: {}", program.stdout);
        let help = coracle(&[name, "--help"]);
        for part in
            ["Usage: coracle ", "Examples:\n  ", "Exit status:\n  0  ", "\n  3  not found, or not a pod"]
        {
            assert!(help.output().contains(part), "{name} lacks {part:?}");
        }
    }
    let attest = coracle(&["attest", "--help"]);
    for option in ["Kubelet options:", "--kubelet-ca", "--proc-root", "CORACLE_PODS", "serviceaccount/ca.crt"]
    {
        assert!(attest.output().contains(option), "{option}");
    }
}

#[test]
fn without_arguments_help_is_shown_and_the_code_says_usage() {
    let run = coracle(&[]);
    assert_eq!((run.code, &*run.stdout), (Some(2), ""));
    assert!(run.stderr.contains("Usage: coracle"), "{}", run.stderr);
}

#[test]
fn the_version_is_the_packages() {
    assert_eq!(coracle(&["--version"]).output(), format!("coracle {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_know_every_subcommand_in_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = coracle(&["completions", shell]);
        for name in SUBCOMMANDS.iter().chain(&["kubelet-ca"]) {
            assert!(run.output().contains(name), "{shell} lacks {name}");
        }
        assert!(!run.stdout.contains("__demo-"), "{shell} knows what nobody types");
    }
}

#[test]
fn manual_pages_have_their_sections() {
    let program = coracle(&["man"]);
    assert!(program.output().contains(".TH coracle 1"), "{}", program.stdout);
    for name in SUBCOMMANDS {
        assert!(program.stdout.contains(&format!("coracle\\-{name}(1)")), "{name}");
        let page = coracle(&["man", name]);
        assert!(page.output().contains(&format!(".TH coracle-{name} 1")), "{}", page.stdout);
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "EXAMPLES"] {
            assert_eq!(page.stdout.matches(&format!("\n.SH {section}\n")).count(), 1, "{name}: {section}");
        }
    }
    let pods = coracle(&["man", "pods"]);
    assert!(pods.output().contains("peak_heap_bytes"), "the JSON is documented");
}

#[test]
fn all_manual_pages_are_written_to_a_directory() {
    let place = tempfile::tempdir().expect("a directory");
    let directory = place.path().to_str().expect("UTF-8");
    assert_eq!(coracle(&["man", "--dir", directory]).output(), "");
    let mut names: Vec<String> = fs::read_dir(place.path())
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    let mut expected: Vec<String> = SUBCOMMANDS.iter().map(|name| format!("coracle-{name}.1")).collect();
    expected.push("coracle.1".to_owned());
    expected.sort();
    assert_eq!(names, expected);
    coracle(&["man", "--dir", "/nonexistent"]).failed(1, &["/nonexistent/coracle.1", "No such file"]);
}
