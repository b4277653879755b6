// Nothing. nvcc preprocesses this file, to see whether it runs here: src/build/nvcc.rs.
