//! What a workload named does not reach the terminal as it is, and is not lost either.

use serde_json::Value;

use crate::harness::{PODS, Place, coracle};

const LABEL: &str = "a\nk8s:ns:kube-system\u{1b}[2J\u{202e}\u{9b}\\n\u{e0041}";
const ESCAPED: &str = "a\\nk8s:ns:kube-system\\u{1b}[2J\\u{202e}\\u{9b}\\\\n\\u{e0041}";
const JSON: &str = "a\\nk8s:ns:kube-system\\u001b[2J\\u202e\\u009b\\\\n\\udb40\\udc41";

/// A list whose label, phase and image are hostile.
fn place() -> Place {
    let hostile = serde_json::to_string(LABEL).expect("a string");
    let pods = PODS
        .replace("\"app\":\"cart\"", &format!("\"app\":{hostile}"))
        .replace("\"phase\":\"Running\"", &format!("\"phase\":{hostile}"))
        .replace("\"image\":\"r/cart:1\"", &format!("\"image\":{hostile}"));
    Place::with(pods.as_bytes(), &format!("0::/../{}\n", crate::harness::ID))
}

fn is_clean(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !c.is_control() && !matches!(c, '\u{202e}' | '\u{e0041}'))
}

#[test]
fn a_newline_in_a_label_does_not_forge_a_selector() {
    let place = place();
    let run = place.attest(&[]);
    let lines: Vec<&str> = run.output().lines().collect();
    assert!(lines.contains(&format!("k8s:pod-label:app:{ESCAPED}").as_str()), "{lines:?}");
    assert!(lines.contains(&format!("k8s:container-image:{ESCAPED}").as_str()), "{lines:?}");
    assert!(!lines.iter().any(|line| line.starts_with("k8s:ns:kube-system")), "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("k8s:")), "{lines:?}");
    assert!(is_clean(&run.stdout));
}

#[test]
fn columns_escape_the_same() {
    let place = place();
    let run = place.attest(&["-o", "columns"]);
    assert!(run.output().contains(&format!("app:{ESCAPED}\n")) && is_clean(&run.stdout), "{}", run.stdout);
    let file = place.text("pods.json");
    for format in ["columns", "wide"] {
        let run = coracle(&["pods", "--pods", &file, "-o", format]);
        assert!(run.output().contains(ESCAPED) && is_clean(&run.stdout), "{}", run.stdout);
    }
}

#[test]
fn json_is_safe_to_look_at_and_decodes_to_the_very_value() {
    let place = place();
    let run = place.attest(&["-o", "json"]);
    assert!(
        run.output().contains(&format!("k8s:pod-label:app:{JSON}")) && is_clean(&run.stdout),
        "{}",
        run.stdout
    );
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let selectors = answer["selectors"].as_array().expect("an array");
    assert!(selectors.contains(&format!("k8s:pod-label:app:{LABEL}").into()), "{selectors:?}");
    let run = coracle(&["pods", "--pods", &place.text("pods.json"), "-o", "json"]);
    assert!(is_clean(run.output()));
    let list: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(list["pods"][1]["labels"]["app"], LABEL);
}

#[test]
fn an_error_that_quotes_the_workload_is_escaped_too() {
    let pods = PODS.replace("\"app\":\"cart\"", "\"a\\u001b[2J\\n\":\"x\",\"a\\u001b[2J\\n\":\"y\"");
    let place = Place::with(pods.as_bytes(), &format!("0::/../{}\n", crate::harness::ID));
    let run = place.attest(&[]);
    run.failed(1, &["duplicate label"]);
    assert!(is_clean(&run.stderr), "{}", run.stderr);
}
