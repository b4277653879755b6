//! What is to be done, from the command line or from a script: buffers, launches one after another, and what
//! is compared and kept.

use std::path::PathBuf;

use super::fill::Fill;
use super::spec::{self, Spec, Value};
use super::types::Type;
use workbook::arguments;
use workbook::sim::LaunchConfig;

/// Elements with a name: a buffer, a variable of the module, or what one of them is to hold.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: String,
    pub kind: Type,
    pub fill: Fill,
}

impl Named {
    /// `NAME=TYPE:ELEMENTS`
    pub fn parse(text: &str) -> Result<Named, String> {
        let (name, elements) = pair(text)?;
        let (kind, fill) = spec::elements(elements)?;
        Ok(Named { name, kind, fill })
    }
}

/// What a buffer is to hold after the launches.
#[derive(Clone, Debug)]
pub struct Check {
    pub expected: Named,
    /// How far floats may be off, as a part of the larger of 1 and what is expected.
    pub within: f64,
}

impl Check {
    /// `NAME=TYPE:ELEMENTS`, and after it ` within 1e-5`.
    pub fn parse(text: &str) -> Result<Check, String> {
        let (text, within) = match text.rsplit_once(" within ") {
            Some((text, within)) => {
                let number = within.trim().parse().ok().filter(|part: &f64| part.is_finite() && *part >= 0.0);
                (text, number.ok_or_else(|| format!("`{within}` is no number from 0 on"))?)
            }
            None => (text, 0.0),
        };
        Ok(Check { expected: Named::parse(text)?, within })
    }
}

/// A buffer and the file that it goes to.
#[derive(Clone, Debug)]
pub struct Save {
    pub name: String,
    pub file: PathBuf,
}

impl Save {
    /// `NAME=FILE`
    pub fn parse(text: &str) -> Result<Save, String> {
        let (name, file) = pair(text)?;
        Ok(Save { name, file: file.into() })
    }
}

fn pair(text: &str) -> Result<(String, &str), String> {
    let (name, rest) = text.split_once('=').ok_or_else(|| format!("`{text}`: write NAME=…"))?;
    let name = name.trim().trim_start_matches('@');
    // What an address cannot spell, as in @NAME+16, is no name.
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || "+,@#".contains(c)) {
        return Err(format!("`{text}`: `{name}` is no name; take letters and digits"));
    }
    Ok((name.to_string(), rest.trim()))
}

/// X, Y, Z.
pub type Dimensions = (u32, u32, u32);

/// `X`, `X,Y` or `X,Y,Z`; what is left out is 1. The limits of a launch are checked with the launch.
pub fn dimensions(text: &str) -> Result<Dimensions, String> {
    let sizes: Option<Vec<u32>> = text
        .split(',')
        .map(|size| {
            arguments::number(size.trim(), u32::MAX.into()).and_then(|n| n.try_into().ok()).filter(|n| *n > 0)
        })
        .collect();
    match sizes.as_deref() {
        Some(&[x]) => Ok((x, 1, 1)),
        Some(&[x, y]) => Ok((x, y, 1)),
        Some(&[x, y, z]) => Ok((x, y, z)),
        _ => Err("one to three sizes from 1 on, X[,Y[,Z]], like 256 or 16,16".to_string()),
    }
}

#[derive(Clone, Debug)]
pub struct Launch {
    /// As the source or PTX names it; may be left out if there is only one.
    pub kernel: Option<String>,
    pub config: LaunchConfig,
    /// Blocks of a cluster, if the launch says it.
    pub cluster: Option<Dimensions>,
    pub args: Vec<Spec>,
}

impl Launch {
    /// `KERNEL<<<GRID, BLOCK, SHARED>>> ARG ARG …`
    fn parse(text: &str) -> Result<Launch, String> {
        let wrong =
            || format!("`{text}`: write KERNEL<<<GRID, BLOCK>>> ARG …, like sum<<<4, 256>>> @in i32:1024");
        let (kernel, rest) = text.split_once("<<<").ok_or_else(wrong)?;
        let (config, args) = rest.split_once(">>>").ok_or_else(wrong)?;
        // `<<<2,2, 64>>>` has a grid of two rows; `<<<4,256>>>`, without a blank, can only be as in CUDA.
        let parts: Vec<&str> =
            match config.split_whitespace().map(|part| part.trim_end_matches(',')).collect::<Vec<_>>() {
                parts if parts.len() > 1 => parts,
                _ => config.trim().split(',').collect(),
            };
        let ([grid, block] | [grid, block, _]) = parts[..] else { return Err(wrong()) };
        let shared = parts.get(2).map_or(Some(0), |text| arguments::number(text, u32::MAX.into()));
        let config = LaunchConfig {
            grid_dim: dimensions(grid)?,
            block_dim: dimensions(block)?,
            shared_mem_bytes: shared.ok_or_else(wrong)? as u32,
        };
        let (first, others) = args.trim().split_once(char::is_whitespace).unwrap_or((args.trim(), ""));
        let (cluster, args) = match first.strip_prefix("cluster=") {
            Some(blocks) => (Some(dimensions(blocks)?), others),
            None => (None, args),
        };
        let args: Vec<Spec> = args.split_whitespace().map(Spec::parse).collect::<Result<_, _>>()?;
        if args.iter().any(|arg| matches!(arg.value, Value::Buffer(_))) {
            return Err("a script names its buffers: buffer NAME=TYPE:ELEMENTS, and then @NAME".to_string());
        }
        let kernel = Some(kernel.trim().to_string()).filter(|name| !name.is_empty());
        Ok(Launch { kernel, config, cluster, args })
    }
}

/// One thing that is done after the others.
#[derive(Clone, Debug)]
pub enum Step {
    /// A variable of the module is set, or only shown if there are no elements.
    Symbol(Named),
    Launch(Launch),
    Check(Check),
    Save(Save),
}

#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub buffers: Vec<Named>,
    pub steps: Vec<Step>,
}

impl Plan {
    /// Adds the lines of a script; the error starts with the line's number.
    pub fn add_script(&mut self, text: &str) -> Result<(), String> {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                self.add_line(line).map_err(|why| format!("{number}: {why}"))?;
            }
        }
        Ok(())
    }

    /// Opens the files that buffers are filled from; there is room for this many bytes of each.
    pub fn open_files(&mut self, room: u64) -> Result<(), String> {
        for Named { kind, fill, .. } in &mut self.buffers {
            fill.open_files(*kind, room)?;
        }
        for step in &mut self.steps {
            match step {
                Step::Symbol(Named { kind, fill, .. })
                | Step::Check(Check { expected: Named { kind, fill, .. }, .. }) => {
                    fill.open_files(*kind, room)?;
                }
                Step::Launch(launch) => {
                    for Spec { kind, value, .. } in &mut launch.args {
                        if let Value::Buffer(fill) = value {
                            fill.open_files(*kind, room)?;
                        }
                    }
                }
                Step::Save(_) => {}
            }
        }
        Ok(())
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        let (what, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        self.steps.push(match what {
            "buffer" => {
                self.buffers.push(Named::parse(rest)?);
                return Ok(());
            }
            "symbol" => Step::Symbol(Named::parse(rest)?),
            "launch" => Step::Launch(Launch::parse(rest.trim())?),
            "expect" => Step::Check(Check::parse(rest)?),
            "save" => Step::Save(Save::parse(rest)?),
            _ => return Err(format!("`{what}` is none of buffer, symbol, launch, expect and save")),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Plan::default().add_script(text).unwrap_err()
    }

    #[test]
    fn a_script_is_read_line_by_line() {
        let mut plan = Plan::default();
        let text = "# two kernels\nbuffer in = i32:iota*8\nbuffer out=i32:uninit*1  # one\n\n\
                    launch sum<<<2,1, 4, 64>>> @in @out i32:8\nlaunch <<<1,2^5>>> @out\n\
                    expect out = i32:28\nexpect @in=f32:0.5 within 1e-5\nsave out = out.npy\n";
        plan.add_script(text).unwrap();
        assert_eq!((plan.buffers.len(), plan.steps.len()), (2, 5));
        let launches: Vec<&Launch> = plan
            .steps
            .iter()
            .filter_map(|step| if let Step::Launch(launch) = step { Some(launch) } else { None })
            .collect();
        assert_eq!(launches[0].kernel.as_deref(), Some("sum"));
        let config = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (4, 1, 1), shared_mem_bytes: 64 };
        assert_eq!((launches[0].config, launches[0].args.len()), (config, 3));
        assert_eq!((launches[1].kernel.clone(), launches[1].config), (None, LaunchConfig::new(1, 32)));
        assert!(matches!(&plan.steps[3], Step::Check(check) if check.within == 1e-5));
    }

    #[test]
    fn a_launch_may_say_its_clusters() {
        let launch = |text| Launch::parse(text).unwrap();
        let some = launch("sum<<<8, 32>>> cluster=2,2 @in i32:8");
        assert_eq!((some.cluster, some.args.len()), (Some((2, 2, 1)), 2));
        let none = launch("sum<<<8, 32>>> @in i32:8");
        assert_eq!((none.cluster, none.args.len()), (None, 2));
        assert!(Launch::parse("sum<<<8, 32>>> cluster= @in").unwrap_err().contains("X[,Y[,Z]]"));
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, part) in [
            ("\nfree in", "2: `free` is none of buffer"),
            ("launch sum<<<1>>>", "1: `sum<<<1>>>`: write KERNEL<<<GRID, BLOCK>>>"),
            ("launch sum<<<1, 0>>>", "X[,Y[,Z]]"),
            ("launch sum<<<1, 2>>> buf:i32:1", "names its buffers"),
            ("buffer in i32:1", "write NAME="),
            ("buffer in = 5", "write TYPE:NUMBER"),
            ("launch sum<<<1, 2, 3, 4>>>", "write KERNEL<<<GRID, BLOCK>>>"),
            ("launch sum<<<1, 2, x>>>", "write KERNEL<<<GRID, BLOCK>>>"),
            ("launch sum<<<>>>", "write KERNEL<<<GRID, BLOCK>>>"),
            ("launch sum>>>1, 2<<<", "write KERNEL<<<GRID, BLOCK>>>"),
            ("launch", "write KERNEL<<<GRID, BLOCK>>>"),
            ("buffer", "write NAME="),
            ("buffer = i32:1", "`` is no name"),
            ("buffer a+1 = i32:1", "`a+1` is no name"),
            ("save = x.npy", "`` is no name"),
            ("expect in = f32:1 within x", "`x` is no number"),
            ("expect in = f32:1 within -1", "`-1` is no number"),
            ("expect in = f32:1 within nan", "`nan` is no number"),
        ] {
            let said = refusal(text);
            assert!(said.contains(part), "{text}: no {part:?} in {said}");
        }
    }

    #[test]
    fn sizes_have_one_to_three_parts() {
        assert_eq!(dimensions("2^10"), Ok((1024, 1, 1)));
        assert_eq!(dimensions("16,8"), Ok((16, 8, 1)));
        assert_eq!(dimensions("2, 3, 4"), Ok((2, 3, 4)));
        for wrong in ["", "0", "-1", "1,2,3,4", "1,,2", "4294967296", "1.5", "x", "8,0"] {
            assert!(dimensions(wrong).unwrap_err().contains("X[,Y[,Z]]"), "{wrong}");
        }
    }
}
