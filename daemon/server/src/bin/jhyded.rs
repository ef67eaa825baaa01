//! `jhyded`: see `jhyde_server::cli`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    jhyde_server::cli::main()
}
