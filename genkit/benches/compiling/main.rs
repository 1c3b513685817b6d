//! The cost of compiling tools: genkit's macros compared with rmcp's macros and with handwritten code.
//!
//! `cargo bench -p genkit --bench compiling` prints the processor seconds of cargo and of the compilers that it starts,
//! as ratios to the handwritten crate, measured alternately in one run. There are no pass criteria. `-- touch thousand
//! clean release inside` selects parts. Linux only: times and memory are read from `/proc`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

mod processor;
mod program;
mod release;
mod sources;

use processor::median;
use program::Program;
use sources::Way;

/// The number of times that each command is measured.
const ROUNDS: usize = 5;

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let is_chosen = |part: &str| chosen.is_empty() || chosen.iter().any(|c| c == part);
    println!("processor seconds, and as a ratio to the first line; medians of {ROUNDS} rounds\n");
    if is_chosen("touch") {
        touch("100 tools, one body changed", 100, ROUNDS, &["check", "build"]);
    }
    if is_chosen("thousand") {
        touch("1,000 tools, one body changed", 1000, 3, &["check"]);
    }
    if is_chosen("clean") {
        clean();
    }
    if is_chosen("release") {
        release::print();
    }
    if is_chosen("inside") {
        inside();
    }
}

/// Measures the cost of editing one function, with everything else built.
fn touch(title: &str, tools: usize, rounds: usize, commands: &[&str]) {
    let mut programs = Way::ALL.map(|way| Program::new(way, tools, "dev"));
    for program in &programs {
        for command in commands {
            program.cargo(&[command]);
        }
    }
    for command in commands {
        let mut seconds = [const { Vec::new() }; Way::ALL.len()];
        for _ in 0..rounds {
            for (program, seconds) in programs.iter_mut().zip(&mut seconds) {
                program.touch();
                seconds.push(program.cargo(&[command]));
            }
        }
        print(&format!("{title}: cargo {command}"), seconds.map(median));
    }
}

/// Measures a first build, including all dependencies. Downloads are not counted.
fn clean() {
    let programs = Way::ALL.map(|way| Program::new(way, 1, "clean"));
    let crates = programs.each_ref().map(Program::crates);
    let mut seconds = [const { Vec::new() }; Way::ALL.len()];
    for _ in 0..2 {
        for (program, seconds) in programs.iter().zip(&mut seconds) {
            program.clean();
            seconds.push(program.cargo(&["build"]));
        }
    }
    print("a server of one tool, first debug build", seconds.map(median));
    print("the crates of it", crates.map(|crates| crates as f64));
}

/// Measures the compiler's own time for the expansion of all macros, and the share of genkit's.
fn inside() {
    for tools in [100, 1000] {
        let seconds = Way::ALL.map(|way| {
            let mut program = Program::new(way, tools, "dev");
            median((0..ROUNDS).map(|_| program.expansion()).collect())
        });
        print(&format!("{tools} tools: expansion of macros, in the compiler"), seconds);
    }
}

fn print(title: &str, figures: [f64; Way::ALL.len()]) {
    println!("{title}");
    for (way, figure) in Way::ALL.iter().zip(figures) {
        println!("  {:<8}{figure:>10.2}{:>8.2} x", way.name(), figure / figures[0]);
    }
    println!();
}
