#!/usr/bin/env bash
# Runs every kernel of the corpus on this machine's GPU: plainly, and under the four tools of compute-sanitizer.
#
#   crates/launch/tests/corpus/sanitize/run.sh OUT_DIR [PROCESSES]
#
# Writes OUT_DIR/sanitize.csv: kernel, tool, verdict, first finding, seconds. The first line names the machine.
# Needs nvcc, compute-sanitizer and a GPU with its driver, nothing else. A kernel that does not end is stopped.
set -euo pipefail

if [[ $# -lt 1 || $# -gt 2 ]]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
mkdir -p "$1"
out=$(realpath "$1")
processes=${2:-8}
cd "$(dirname "$0")/../../../../.."
for program in nvcc compute-sanitizer nvidia-smi; do
    command -v "$program" >/dev/null || { echo "$program is not on PATH" >&2; exit 2; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/rows"
arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d .)
export work arch

# Seconds that a kernel may run, and that a whole process may take.
export kernel_seconds=6 process_seconds=45

# The fatbin of crates/launch/tests/corpus/KIND/NAME.cu, if ptxas takes it; with the device runtime where it launches kernels.
compile() {
    local source=crates/launch/tests/corpus/$1.cu flags=()
    if sed 's://.*::' "$source" | grep -q '<<<'; then flags=(-rdc=true -dlink -lcudadevrt); fi
    nvcc -fatbin -O3 -lineinfo "-arch=$arch" -diag-suppress 186 "$source" -o "$work/${1//\//.}.fatbin" "${flags[@]}" || true
}

# One kernel under one tool: one row.
run() {
    local tool=$1 name=$2 row=$work/rows/$2.$1 log=$work/$1.${2//\//.}.log status=0 command=()
    if [[ $tool != none ]]; then
        command=(compute-sanitizer --tool "$tool" --print-limit 3)
        if [[ $tool == racecheck ]]; then command+=(--racecheck-report all); fi
    fi
    local begin=${EPOCHREALTIME/./}
    timeout -k 2 "$process_seconds" "${command[@]}" \
        "$work/host" "crates/launch/tests/corpus/$name.cu" "$work/${name//\//.}.fatbin" "$kernel_seconds" >"$log" 2>&1 || status=$?
    local milliseconds=$(((${EPOCHREALTIME/./} - begin) / 1000))

    local verdict finding
    # What the tools say stands behind `=========`; these lines are about the run, not about the kernel.
    finding=$(sed -n 's/^========= \{1,\}//p' "$log" |
        grep -vE '^(COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|Target application|Warning)' | head -1 || true)
    case $status in
        0) verdict=clean ;;
        3) verdict=error ;;
        4) verdict=wrong-result ;;
        5 | 124 | 137) verdict=hang ;;
        *) verdict=failed-$status ;;
    esac
    if grep -qE '(ERROR|RACECHECK) SUMMARY: [1-9]' "$log"; then
        verdict=found
    else
        finding=$(grep -v '^=========' "$log" | head -1 || true)
    fi
    finding=$(tr ',"' ";'" <<<"$finding")
    mkdir -p "$(dirname "$row")"
    printf '%s,%s,%s,%s,%d.%03d\n' "$name" "$tool" "$verdict" "$finding" \
        $((milliseconds / 1000)) $((milliseconds % 1000)) >"$row"
}
export -f compile run

# Without those that need two GPUs at the same time: the host program has one.
kernels=$(cd crates/launch/tests/corpus && grep -L '^// gpus: 2' */*.cu | sed 's/\.cu$//')
nvcc -O1 -x cu crates/launch/tests/corpus/sanitize/host.cpp -o "$work/host"
echo "$kernels" | xargs -P "$(nproc)" -I{} bash -c 'compile {}'
echo "compiled $(wc -l <<<"$kernels") kernels for $arch after $SECONDS s"
for kernel in $kernels; do
    [[ -f $work/${kernel//\//.}.fatbin ]] || continue
    printf '%s\n' {none,memcheck,racecheck,initcheck,synccheck}" $kernel"
done | xargs -P "$processes" -L1 bash -c 'run "$@"' _

gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader -i 0 | sed 's/, /, driver /')
sanitizer=$(compute-sanitizer --version | grep -oE '[0-9]{4}(\.[0-9]+)+' | head -1)
{
    echo "# $gpu, nvcc $(nvcc --version | sed -n 's/.*, V//p'), compute-sanitizer $sanitizer, $(date -u +%F)"
    echo "kernel,tool,verdict,finding,seconds"
    find "$work/rows" -type f -print0 | sort -z | xargs -0 cat
} >"$out/sanitize.csv"
echo "$(($(wc -l <"$out/sanitize.csv") - 2)) runs, $SECONDS s in all"
cut -d, -f2,3 "$out/sanitize.csv" | tail -n +3 | sort | uniq -c
