fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{out}/kernels.rs"), "pub static BUILDS: &[Build] = &[];").unwrap();
}
