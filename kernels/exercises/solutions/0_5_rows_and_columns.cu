extern "C" __global__ void addRow(const int *input, int *results, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    //@ begin
    if (row < rows && column < columns) {
        int i = row * columns + column; // whole rows before, then the place in this one
        results[i] = input[i] + row;
    }
    //@ stub
    //| // Which threads have an element of the table, and which is its index i?
    //@ end
}
