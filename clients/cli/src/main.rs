//! The binary `jhyde`: parses the command line and ends with the exit code of what was asked.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    jhyde_cli::main()
}
