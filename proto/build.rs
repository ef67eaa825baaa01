//! Compiles `jhyde/v1/*.proto` without protoc (protox), and keeps the descriptor set with its
//! comments for server reflection.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use prost::Message as _;

const FILES: [&str; 7] = [
    "jhyde/v1/common.proto",
    "jhyde/v1/recordings.proto",
    "jhyde/v1/history.proto",
    "jhyde/v1/debugging.proto",
    "jhyde/v1/web.proto",
    "jhyde/v1/queries.proto",
    "jhyde/v1/daemon.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    for file in FILES {
        println!("cargo:rerun-if-changed={file}");
    }
    let mut compiler = protox::Compiler::new(["."])?;
    compiler
        .include_source_info(true)
        .include_imports(true)
        .open_files(FILES)?;
    let descriptors = compiler.file_descriptor_set();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    fs::write(
        out.join("jhyde.v1.descriptors"),
        descriptors.encode_to_vec(),
    )?;
    tonic_prost_build::configure()
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors)?;
    Ok(())
}
