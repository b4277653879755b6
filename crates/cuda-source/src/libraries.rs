//! NVIDIA's libraries, by their headers: what is missing where one is not there.

/// The library of NVIDIA's that a header belongs to, if it is one of these: `cub/cub.cuh`, `mma.h`.
pub fn library(header: &str) -> Option<&'static str> {
    let folders = [("thrust/", "Thrust"), ("cub/", "CUB"), ("cuda/", "libcu++")];
    let of_folder = folders.iter().find(|(folder, _)| header.starts_with(folder));
    let files = LIBRARIES.iter().filter(|(start, _)| file(header).starts_with(start));
    of_folder.or(files.max_by_key(|(start, _)| start.len())).map(|(_, library)| *library)
}

/// How the names of headers begin, and what they belong to.
const LIBRARIES: [(&str, &str); 13] = [
    ("mma.h", "WMMA (nvcuda::wmma: matrices for tensor cores)"),
    ("cub.cuh", "CUB"),
    ("curand", "cuRAND"),
    ("cublas", "cuBLAS"),
    ("cufft", "cuFFT"),
    ("cusparse", "cuSPARSE"),
    ("cusolver", "cuSOLVER"),
    ("cudnn", "cuDNN"),
    ("cutlass", "CUTLASS"),
    ("nccl.h", "NCCL"),
    ("npp", "NPP"),
    ("nvml.h", "NVML"),
    ("nvrtc.h", "NVRTC"),
];

fn file(header: &str) -> &str {
    header.rsplit('/').next().unwrap_or(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_libraries_have_their_names_and_others_none() {
        for (header, name) in [
            ("mma.h", "WMMA"),
            ("cub/block/block_reduce.cuh", "CUB"),
            ("thrust/device_vector.h", "Thrust"),
            ("curand_kernel.h", "cuRAND"),
            ("cublas_v2.h", "cuBLAS"),
            ("cublasXt.h", "cuBLAS"),
            ("cusolverDn.h", "cuSOLVER"),
            ("cuda/std/array", "libcu++"),
            ("/opt/cudnn/cudnn.h", "cuDNN"),
        ] {
            let library = library(header);
            assert!(library.is_some_and(|library| library.starts_with(name)), "{header}: {library:?}");
        }
        for header in ["mine.h", "gamma.h", "cuda_helper.h", "vector", "mpi.h", "tools/cub.h"] {
            assert_eq!(library(header), None);
        }
    }
}
