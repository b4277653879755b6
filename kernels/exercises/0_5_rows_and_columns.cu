// Exercise 0.5: Rows and columns
//
// The numbers now stand in a table of `rows` rows and `columns` columns. Add to each of them the index of
// its row: 0 in the first row, 1 in the second. The threads stand in rows and columns too, which `.y` and
// `.x` count, and a thread's `row` and `column` are computed already. In memory there are no rows: the table
// lies there row after row, in one long array. Find the index `i` of the thread's element in it, write
// `results[i]`, and stop the threads that stand beside or below the table.
//
// The host launches `addRow(input, results, rows, columns)` with as many blocks as give each number of
// `rows` rows and `columns` columns a thread.
// `results` has room for as many numbers; what is in it at the start is undefined.
//
// You learn how a table lies in memory, and that two directions need two guards. About 5 minutes.
//
// Check it:  cargo run --example exercise -- 0.5
// A hint:    cargo run --example exercise -- hint 0.5

extern "C" __global__ void addRow(const int *input, int *results, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // Which threads have an element of the table, and which is its index i?
}
