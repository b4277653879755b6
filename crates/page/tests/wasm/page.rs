//! A page: the WebAssembly, interpreted.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use wasmi::{Caller, Engine, Instance, Linker, Memory, Module, Store};

/// What the page has heard from its run.
#[derive(Default)]
struct Heard {
    panicked: Option<String>,
    /// Elements that were done, and all, at each step.
    progress: Vec<(f64, f64)>,
}

pub struct Page {
    store: Store<Heard>,
    instance: Instance,
    memory: Memory,
}

impl Page {
    /// `wasm`, ready to be called.
    pub fn new(wasm: &[u8]) -> Result<Page> {
        let engine = Engine::default();
        let module = Module::new(&engine, wasm)?;
        let mut linker = Linker::new(&engine);
        linker.func_wrap("env", "progress", |mut caller: Caller<Heard>, done: f64, of: f64| {
            caller.data_mut().progress.push((done, of));
        })?;
        linker.func_wrap("env", "panicked", |mut caller: Caller<Heard>, at: u32, length: u32| {
            let memory = caller.get_export("memory").and_then(|export| export.into_memory());
            let mut bytes = vec![0; length as usize];
            memory.map(|memory| memory.read(&caller, at as usize, &mut bytes));
            caller.data_mut().panicked = Some(String::from_utf8_lossy(&bytes).into_owned());
        })?;
        let mut store = Store::new(&engine, Heard::default());
        let instance = linker.instantiate_and_start(&mut store, &module)?;
        let memory = instance.get_memory(&store, "memory").context("it exports no memory")?;
        Ok(Page { store, instance, memory })
    }

    /// What the export `name` says of `text`.
    fn call(&mut self, name: &str, text: &str) -> Result<Value> {
        let Page { store, instance, memory } = self;
        let length = text.len() as u32;
        let at = instance.get_typed_func::<u32, u32>(&*store, "alloc")?.call(&mut *store, length)?;
        memory.write(&mut *store, at as usize, text.as_bytes())?;
        let function = instance.get_typed_func::<(u32, u32), u32>(&*store, name)?;
        let answer = function.call(&mut *store, (at, length));
        let answer = answer.with_context(|| format!("{name}: {:?}", store.data().panicked))?;
        instance.get_typed_func::<(u32, u32), ()>(&*store, "free")?.call(&mut *store, (at, length))?;
        self.take(answer)
    }

    /// The answer at `at`, which is given back.
    fn take(&mut self, at: u32) -> Result<Value> {
        let Page { store, instance, memory } = self;
        let mut length = [0; 4];
        memory.read(&*store, at as usize, &mut length)?;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        memory.read(&*store, at as usize + 4, &mut bytes)?;
        instance.get_typed_func::<u32, ()>(&*store, "release")?.call(&mut *store, at)?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    /// Takes a build, the text of a `STEM.json`.
    pub fn load(&mut self, build: &str) -> Result<()> {
        let answer = self.call("load", build)?;
        ensure!(answer == json!({"error": null}), "load: {answer}");
        Ok(())
    }

    pub fn run(&mut self, request: &Value) -> Result<Value> {
        self.store.data_mut().progress.clear();
        let answer = self.call("run", &request.to_string())?;
        let progress = &self.store.data().progress;
        let grows = progress.windows(2).all(|two| two[0].0 <= two[1].0 && two[0].1 == two[1].1);
        ensure!(grows && progress.iter().all(|(done, of)| done <= of), "{progress:?}");
        Ok(answer)
    }

    /// Elements that were done, and all, as the last run has told.
    pub fn progress(&self) -> &[(f64, f64)] {
        &self.store.data().progress
    }

    /// What each chapter's command line allows.
    pub fn describe(&mut self) -> Result<Value> {
        let at =
            self.instance.get_typed_func::<(), u32>(&self.store, "describe")?.call(&mut self.store, ())?;
        self.take(at)
    }
}
