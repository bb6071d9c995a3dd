//! Completions and manual pages, made from the definition of the command line.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::{self, ManArgs};
use crate::failure::Failure;
use crate::{teaching, terminal};

/// How every section that roff is made of begins.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// Prints the completion script.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "coracle", &mut script);
    let mut out = terminal::output();
    out.write_all(&script).and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Prints one page, or writes them all.
pub(crate) fn man(arguments: &ManArgs) -> Result<(), Failure> {
    match &arguments.dir {
        Some(dir) => write_all(dir),
        None => print_one(arguments.page.as_deref()),
    }
}

fn print_one(page: Option<&str>) -> Result<(), Failure> {
    let name = page.unwrap_or("coracle");
    let page = pages().into_iter().find(|page| page.name == name);
    let page = page.ok_or_else(|| Failure::NoSuchPage { page: name.to_owned() })?;
    let mut out = terminal::output();
    page.write(&mut out).and_then(|()| out.flush()).map_err(Failure::Output)
}

fn write_all(dir: &Path) -> Result<(), Failure> {
    for page in pages() {
        let path = dir.join(page.file_name());
        let mut text = Vec::new();
        let written = page.write(&mut text).and_then(|()| fs::write(&path, text));
        written.map_err(|source| Failure::Write { path, source })?;
    }
    Ok(())
}

/// One page, and the name of the subcommand that it is about.
struct Page {
    name: String,
    command: Command,
}

/// The program's page, then those of its subcommands.
fn pages() -> Vec<Page> {
    // `coracle help` has no page of its own, and none refers to it.
    let mut program = cli::command().disable_help_subcommand(true);
    program.build();
    let mut pages = vec![Page { name: "coracle".to_owned(), command: program.clone() }];
    for subcommand in program.get_subcommands() {
        let name = subcommand.get_name().to_owned();
        let command = subcommand.clone().version(env!("CARGO_PKG_VERSION"));
        pages.push(Page { name, command });
    }
    pages
}

impl Page {
    fn file_name(&self) -> String {
        format!("{}.1", self.command.get_display_name().unwrap_or(&self.name))
    }

    fn write(self, out: &mut impl Write) -> io::Result<()> {
        let mut text = Vec::new();
        self.write_sections(&mut text)?;
        // Each section begins with the same definition of an apostrophe; once is enough.
        let text = String::from_utf8_lossy(&text);
        out.write_all(APOSTROPHE.as_bytes())?;
        out.write_all(text.replace(APOSTROPHE, "").as_bytes())
    }

    /// The sections in the order of man-pages(7). What stands below the options in `--help` has sections of its own.
    fn write_sections(self, out: &mut Vec<u8>) -> io::Result<()> {
        let has_subcommands = self.command.has_subcommands();
        let source = concat!("coracle ", env!("CARGO_PKG_VERSION"));
        let man = Man::new(self.command).manual("Coracle").source(source);
        man.render_title(out)?;
        man.render_name_section(out)?;
        man.render_synopsis_section(out)?;
        man.render_description_section(out)?;
        man.render_options_section(out)?;
        if has_subcommands {
            man.render_subcommands_section(out)?;
        }
        write_exit_status(out)?;
        write_examples(out, &self.name)
    }
}

fn write_exit_status(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, ".SH \"EXIT STATUS\"")?;
    for (code, meaning) in teaching::EXIT_STATUS {
        writeln!(out, ".TP\n\\fB{code}\\fR\n{}", roff(meaning))?;
    }
    Ok(())
}

fn write_examples(out: &mut impl Write, name: &str) -> io::Result<()> {
    writeln!(out, ".SH EXAMPLES")?;
    for example in teaching::examples(name) {
        writeln!(out, ".TP\n\\fB{}\\fR\n{}", roff(example.command), roff(example.purpose))?;
    }
    Ok(())
}

/// Text that roff takes as it is: a dash is a dash, and no line is a request.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
