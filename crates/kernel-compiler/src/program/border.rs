//! clang's messages on a program, for a reader who knows nothing of how it is compiled.

use super::sources::Sources;
use crate::clang::what_is_lacking;
use cuda_source::braces::{Unbalanced, unbalanced};
use cuda_source::libraries::library;
use cuda_source::mistakes::{allocation, header};

/// An error or a warning of clang's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The file as clang names it.
    pub file: &'a str,
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    /// `error`, `warning`, `note`
    pub kind: &'a str,
    /// What is wrong.
    pub words: &'a str,
}

/// The errors in what clang `said`.
pub fn errors(said: &str) -> impl Iterator<Item = Message<'_>> {
    said.lines().filter_map(head).filter(|message| message.kind.ends_with("error"))
}

/// The first line of a message: `x.cu(3,5): error: words`.
fn head(line: &str) -> Option<Message<'_>> {
    let (place, rest) = line.split_once("): ")?;
    let (kind, words) = rest.split_once(": ")?;
    let (file, numbers) = place.rsplit_once('(')?;
    let (line, column) = numbers.split_once(',').unwrap_or((numbers, "1"));
    let is_known = ["error", "fatal error", "warning", "note"].contains(&kind);
    let message = Message { file, line: line.parse().ok()?, column: column.parse().ok()?, kind, words };
    is_known.then_some(message)
}

/// What clang `said`, with lines alone as places.
pub fn without_columns(said: &str) -> String {
    let mut text = String::with_capacity(said.len());
    for line in said.lines() {
        match head(line) {
            Some(Message { file, line, kind, words, .. }) => {
                text += &format!("{file}({line}): {kind}: {words}\n");
            }
            None => text.extend([line, "\n"]),
        }
    }
    text
}

/// A message with what belongs to it.
struct Whole<'a> {
    first: Message<'a>,
    /// Where it was instantiated, and what else belongs to it.
    notes: Vec<Message<'a>>,
    /// The lines by which its file is included, the innermost first.
    includes: Vec<(&'a str, u32)>,
}

/// What clang `said` of a program, in the form `x.cu(3): error: …` with the line below: in better words
/// where there are some, at a line of the reader's, quoted as the reader has it.
pub fn explained(said: &str, sources: &Sources) -> String {
    let wholes = read(said);
    let source_of = |file: &str| sources.position(file).map(|index| &sources.files[index]);
    let mut text = String::new();
    if let Some(braces) = braces(&wholes, sources) {
        return braces;
    }
    let mut known: Vec<(&str, u32)> = Vec::new();
    for Whole { first, notes, includes } in &wholes {
        // A message on a header is about the line that uses it.
        let places = std::iter::once((first.file, first.line))
            .chain(notes.iter().rev().map(|note| (note.file, note.line)))
            .chain(includes.iter().copied());
        let own = places.into_iter().find(|(file, _)| source_of(file).is_some());
        let at = own.unwrap_or((first.file, first.line));
        let is_warning_elsewhere = first.kind == "warning" && at.0 != first.file;
        let is_consequence = first.words.contains("unterminated '#pragma clang attribute push'");
        if is_warning_elsewhere || is_consequence || known.contains(&at) {
            continue;
        }
        known.push(at);
        let (file, line) = at;
        let source = source_of(file);
        let quoted = source.and_then(|source| source.original.lines().nth(line as usize - 1));
        let of_cuda = of_cuda(first, notes.iter().filter(|note| source_of(note.file).is_none()));
        let header = || header(first.words, quoted?, &source?.original);
        let allocation = || allocation(first.words, quoted?);
        let words = of_cuda.or_else(|| better(first, notes)).or_else(header).or_else(allocation);
        let words = words.unwrap_or_else(|| first.words.to_owned());
        let file = source.map_or(file.to_owned(), |source| sources.name(source));
        text += &format!("{file}({line}): {}: {words}\n", first.kind);
        text.extend(quoted.map(|quoted| format!("{}\n", text::say::visible(quoted))));
        if first.words.contains(HEADER_IS_MISSING) {
            // All that follows is a consequence.
            return text;
        }
    }
    if text.is_empty() && errors(said).next().is_some() {
        return said.to_owned();
    }
    let lacking = what_is_lacking(&text).filter(|_| !text.contains(IS_MISSING));
    text + &lacking.map(|lacking| format!("\n{lacking}\n")).unwrap_or_default()
}

/// The messages in what clang `said`.
fn read(said: &str) -> Vec<Whole<'_>> {
    let mut wholes: Vec<Whole> = Vec::new();
    let mut includes: Vec<(&str, u32)> = Vec::new();
    for line in said.lines() {
        if let Some(place) = line.strip_prefix("In file included from ") {
            let (file, number) = place.trim_end_matches(':').rsplit_once(['(', ':']).unwrap_or_default();
            let number = number.trim_end_matches(')').parse();
            includes.extend(number.ok().map(|number| (file, number)));
            continue;
        }
        let Some(message) = head(line) else { continue };
        match wholes.last_mut() {
            Some(last) if message.kind == "note" => last.notes.push(message),
            _ => wholes.push(Whole {
                first: message,
                notes: Vec::new(),
                includes: includes.drain(..).rev().collect(),
            }),
        }
        includes.clear();
    }
    wholes
}

/// The brace that is missing or too many, if that is what is wrong.
fn braces(wholes: &[Whole], sources: &Sources) -> Option<String> {
    let of_braces = ["expected '}'", "extraneous closing brace", "function definition is not allowed here"];
    let is_it = |whole: &Whole| of_braces.iter().any(|words| whole.first.words.starts_with(words));
    let Whole { first, .. } = wholes.iter().find(|whole| is_it(whole))?;
    let source = &sources.files[sources.position(first.file)?];
    let (line, what) = match unbalanced(&source.original)? {
        Unbalanced::Open { line, .. } => (line, "a } is missing: nothing closes the { of this line"),
        Unbalanced::Extra { line } => (line, "a } is too many: nothing opens what it closes"),
    };
    let quoted = source.original.lines().nth(line as usize - 1).unwrap_or_default();
    Some(format!("{}({line}): error: {what}\n{}\n", first.file, text::say::visible(quoted)))
}

/// What the headers say that stand for others (`kernels/clang/host/std`).
const HEADER_IS_MISSING: &str = "> is missing: ";

/// How a message on a header begins that nobody has.
const IS_MISSING: &str = "this file is missing:";

/// What is said of a host that calls a function of CUDA's which only kernels have: `notes` are on headers.
fn of_cuda<'n>(message: &Message, mut notes: impl Iterator<Item = &'n Message<'n>>) -> Option<String> {
    let is_of_device = |words: &str| words.contains("call to __device__ function from __host__");
    if !notes.any(|note| is_of_device(note.words)) {
        return None;
    }
    let name = message.words.split('\'').nth(1)?.trim_start_matches("wb_");
    Some(match name {
        "syncthreads" => {
            "__syncthreads() is for the threads of a block, and the host is none: to wait for a \
                          kernel, call cudaDeviceSynchronize()"
                .to_string()
        }
        _ if name.starts_with("read_") => {
            "threadIdx, blockIdx, blockDim and gridDim say which thread of a kernel \
                                           this is, and the host is none"
                .to_string()
        }
        name => format!("{name} is for kernels, and the host calls it"),
    })
}

/// A message in words that say what to do, if there are any.
fn better(message: &Message, notes: &[Message]) -> Option<String> {
    let words = message.words;
    let name = words.split('\'').nth(1).unwrap_or_default();
    let plain = name.split(['(', '<']).next().unwrap_or_default();
    let noted = |what: &str| notes.iter().any(|note| note.words.contains(what));
    if words.contains(HEADER_IS_MISSING) {
        return Some(words.trim_matches('"').to_owned());
    }
    if let Some(file) = words.strip_suffix(" file not found") {
        return missing_header(file.trim_matches('\''));
    }
    if words.starts_with("reference to __host__ variable") {
        return Some(format!(
            "{name} is a variable of the host, which a kernel cannot use: give its value to the kernel as an \
             argument, or declare it __device__ or __constant__ and copy to it with cudaMemcpyToSymbol()"
        ));
    }
    let is_plain_call = words.starts_with("call to global function");
    if is_plain_call
        || words.starts_with("reference to __global__ function")
        || noted("call to __global__ function")
    {
        return Some(format!("{plain} is a kernel: launch it, {plain}<<<blocks, threads>>>(…)"));
    }
    let is_host = words.starts_with("reference to __host__ function");
    if is_host
        || noted("call to __host__ function from __global__")
        || noted("call to __host__ function from __device__")
    {
        if let Some(class) = plain.strip_prefix('~') {
            return Some(format!(
                "{class} is a class of the host, and a kernel has one as a parameter or a variable: give it \
                 a pointer to memory of the device instead; of a class of your own put __host__ __device__ \
                 before its functions"
            ));
        }
        return Some(format!(
            "{plain} is a function of the host, and a kernel calls it: put __device__ before it, or __host__ \
             __device__ if the host calls it too; of a library's there is none on the device"
        ));
    }
    if words.starts_with("reference to __device__ function")
        || noted("call to __device__ function from __host__")
    {
        return Some(format!(
            "{plain} is __device__, and the host calls it: put __host__ __device__ before it if it needs \
             nothing of the GPU, or call it from a kernel"
        ));
    }
    if words.starts_with("redefinition of") {
        return Some(format!("{words}; the files of a program are compiled as one"));
    }
    if let Some((_, why)) = words.split_once("is deprecated: ") {
        return Some(format!("{plain}: {}", why.trim_end_matches(" [-Wdeprecated-declarations]")));
    }
    if words.contains("is unavailable: ") {
        return words.split_once("is unavailable: ").map(|(_, why)| format!("{name}: {why}"));
    }
    None
}

/// What is known of a header that is not there.
fn missing_header(name: &str) -> Option<String> {
    if let Some(library) = library(name) {
        return Some(format!(
            "{IS_MISSING} {name}: it belongs to NVIDIA's {library}, which the simulator does not have"
        ));
    }
    let file = name.rsplit('/').next().unwrap_or(name);
    let holds = match file {
        "helper_string.h" | "helper_image.h" | "exception.h" => {
            "it is one of NVIDIA's samples' (cuda-samples, Common/), with checkCudaErrors(), \
             findCudaDevice() and timers; put it beside the program"
        }
        "common.h" | "cpu_bitmap.h" | "cpu_anim.h" | "gputimer.h" | "utils.h" | "tool.h" | "error.cuh"
        | "freshman.h" | "timer.h" => {
            "it belongs to the program, and mostly has a macro that checks what CUDA's calls return, and a \
             timer; put it beside the program"
        }
        "mpi.h" | "openacc.h" | "glut.h" | "glew.h" | "opencv.hpp" | "windows.h" => {
            "the simulator does not have it"
        }
        _ => "put it beside the program, or name its folder with -I",
    };
    Some(format!("{IS_MISSING} {name}: {holds}"))
}
