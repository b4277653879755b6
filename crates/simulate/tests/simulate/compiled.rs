//! A `.cu` goes through nvcc, real or not.

use super::*;

/// A stand-in for nvcc, so that no test needs the real one.
#[cfg(unix)]
mod with_a_fake_nvcc {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Runs it on `mine.cu` with an nvcc that does as `body` says.
    fn with_nvcc(name: &str, body: &str) -> Run {
        let directory = scratch(name);
        let nvcc = directory.join("nvcc");
        let version = "Cuda compilation tools, release 13.0, V13.0.88";
        let script =
            format!("#!/bin/sh\ncase $* in *--version*) echo '{version}'; exit;; -E*) exit;; esac\n{body}\n");
        std::fs::write(&nvcc, script).unwrap();
        std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::copy(root().join("crates/simulate/tests/simulate/kernels.cu"), directory.join("mine.cu"))
            .unwrap();
        let line = "mine.cu --kernel beyond --grid 1 --block 4 --arg buf:i32:zeros*4 --arch 90 -Ihere -DN=4";
        let mut command = simulate();
        command.current_dir(&directory).env("NVCC", &nvcc).args(line.split_whitespace());
        Run { line: line.into(), output: command.output().unwrap() }
    }

    #[test]
    fn cuda_is_compiled_and_its_lines_are_shown() {
        let ptx = root().join(KERNELS);
        let body = format!(
            "for option in -arch=compute_90 -Ihere -DN=4; do\n\
             case \" $* \" in *\" $option \"*) ;; *) exit 7;; esac\ndone\n\
             while [ \"$1\" != -o ]; do shift; done\n\
             sed \"s|crates/simulate/tests/simulate/kernels.cu|$PWD/mine.cu|\" {} > \"$2\"\n\
             echo 'mine.cu: warning: unused'",
            ptx.display()
        );
        let run = with_nvcc("compiled", &body).exits(1);
        let text = run.stdout();
        assert!(text.contains("--> mine.cu:") && text.contains("data[threadIdx.x + 1] = 7;"), "{text}");
        assert!(run.stderr().contains("mine.cu: warning: unused"), "{}", run.stderr());
    }

    #[test]
    fn errors_of_nvcc_are_shown_whole() {
        let said = "mine.cu(3): error: expected a \";\"\n    x\n    ^";
        with_nvcc("error", &format!("printf '%s\\n' '{said}' >&2\nexit 1"))
            .refuses(&[said, "could not compile mine.cu"]);
        let absent = format!("{SUM} --grid 1 --block 1").replace(".ptx", ".cu");
        let mut command = simulate();
        command.env("NVCC", "/nowhere/nvcc").args(absent.split_whitespace());
        let run = Run { line: absent, output: command.output().unwrap() };
        run.refuses(&["NVCC is set to /nowhere/nvcc, which does not run as nvcc"]);
    }
}

#[test]
#[ignore = "needs nvcc 13.0.88"]
fn a_source_runs_as_its_ptx_does() {
    let rest = "--grid 1 --block 64 --checks off --json --arg buf:i32:iota*64 --arg buf:i32:0";
    let compiled = run(&format!("{} {rest}", SUM.replace(".ptx", ".cu"))).exits(0);
    assert_eq!(compiled.json(), run(&format!("{SUM} {rest}")).json());
}
