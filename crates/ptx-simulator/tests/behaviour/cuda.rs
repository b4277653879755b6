//! The CUDA sources of `tests/kernels`, the PTX beside them, and a simulator to run them on.

// Every test file uses its own part of this.
#![allow(dead_code)]

use ptx_simulator::{Counters, Diagnostic, LaunchConfig, Module, Simulator};

/// A source and what nvcc made of it.
pub struct Source {
    /// `tests/kernels/bounds.cu`
    pub path: String,
    pub text: String,
    pub module: Module,
}

impl Source {
    pub fn load(path: &str) -> Source {
        Source::compiled(path, &path.replace(".cu", ".ptx"))
    }

    /// The source `path` as it is compiled in the file `ptx`.
    pub fn compiled(path: &str, ptx: &str) -> Source {
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        let module = Module::parse(&read(ptx), ptx).unwrap_or_else(|diagnostic| panic!("{diagnostic}"));
        Source { path: path.to_string(), text: read(path), module }
    }

    /// The first line with `marker` at or behind the one that has `function`; from 1.
    pub fn line(&self, function: &str, marker: &str) -> u32 {
        let mut lines = self.text.lines().enumerate().skip_while(|(_, line)| !line.contains(function));
        let found = lines.find(|(_, line)| line.contains(marker));
        found.unwrap_or_else(|| panic!("{} has no `{marker}` behind `{function}`", self.path)).0 as u32 + 1
    }
}

/// A simulator with helpers for what tests do.
#[derive(Default)]
pub struct Bench {
    pub sim: Simulator,
}

/// Numbers that buffers hold.
pub trait Element: Copy {
    fn bytes(self) -> Vec<u8>;
    fn from(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($t:ty),*) => {$(
        impl Element for $t {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn from(bytes: &[u8]) -> $t {
                <$t>::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )*};
}
elements!(u8, i32, u32, i64, u64, f32, f64);

impl Bench {
    pub fn upload<T: Element>(&mut self, values: &[T]) -> u64 {
        let address = self.sim.alloc(size_of_val(values) as u64).unwrap();
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
        self.sim.write(address, &bytes).unwrap();
        address
    }

    pub fn download<T: Element>(&self, address: u64, count: usize) -> Vec<T> {
        let mut bytes = vec![0; count * size_of::<T>()];
        self.sim.read(address, &mut bytes).unwrap();
        bytes.chunks(size_of::<T>()).map(T::from).collect()
    }

    pub fn try_launch(
        &mut self,
        source: &Source,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
    ) -> Result<Counters, Box<Diagnostic>> {
        self.sim.launch(&source.module, kernel, config, args)
    }

    pub fn launch(&mut self, source: &Source, kernel: &str, grid: u32, block: u32, args: &[u64]) -> Counters {
        self.try_launch(source, kernel, LaunchConfig::new(grid, block), args)
            .unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
    }
}
