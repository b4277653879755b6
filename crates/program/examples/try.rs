use std::io::Write;
struct Outside(String);
impl program::Outside for Outside {
    fn write(&mut self, to: program::Standard, bytes: &[u8]) {
        match to {
            program::Standard::Out => std::io::stdout().write_all(bytes).unwrap(),
            _ => std::io::stderr().write_all(bytes).unwrap(),
        }
    }
    fn read(&mut self, _: &mut Vec<u8>) {}
    fn read_file(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }
    fn write_file(&mut self, _: &str, _: &[u8]) -> bool {
        false
    }
    fn source_line(&self, file: &str, line: u32) -> Option<String> {
        if !file.ends_with(&self.0) {
            return None;
        }
        std::fs::read_to_string(&self.0).ok()?.lines().nth(line as usize - 1).map(str::to_string)
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let ptx = std::fs::read_to_string(&args[1]).unwrap();
    let t = std::time::Instant::now();
    let module = ptx_simulator::Module::parse(&ptx, "m.cu").unwrap();
    let parse = t.elapsed();
    let device = device::Device::simulator(device::SimulatorOptions {
        checks: args.get(3).map(|s| s != "off").unwrap_or(true),
        keep_printed: true,
        ..Default::default()
    });
    let options = program::Options { args: vec!["./program".into()], ..Default::default() };
    let t = std::time::Instant::now();
    let ran = program::run(device.simulated().unwrap(), &module, &options, &mut Outside(args[2].clone()));
    let ran = match ran {
        Ok(ran) => ran,
        Err(e) => {
            println!("{e}");
            return;
        }
    };
    println!(
        "{:?} parse {:?} run {:?} steps {} = {:.0} M/s",
        ran.ended,
        parse,
        t.elapsed(),
        ran.steps,
        ran.steps as f64 / t.elapsed().as_secs_f64() / 1e6
    );
    for f in &ran.found {
        println!("{:?} {f}", f.severity);
    }
    for f in device.take_seen().found {
        println!("KERNEL {f}");
    }
    for k in &ran.kernels {
        println!("{} x{} {:?} {}", k.kernel, k.launches, k.config, k.counters.warp_instructions);
    }
}
