// Makes the mistakes of a beginner in each of the four cards (a listing, the cell that runs it, an exercise, a cell of the
// notebook) and sees that all say the same, at the same line. `check` is what check.js lends.

const inPage = require('./mistakes_in_page.js');

const PATIENCE = 60_000;

/** The kernel that every card gets, with its barrier; `first` is what an exercise wants to be done before the sum. */
const kernel = (name, first = '') => `#include <cstdio>
extern "C" __global__ void ${name}(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
${first}    for (unsigned int stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
`;
const HEAD = '(unsigned int *g_data, unsigned int *g_odata, unsigned int size)';
const ADD = 'g_data[tid] += g_data[tid + stride];';

/** The launch of the notebook's cell: there buffers have the names that the reader gives them. */
const LAUNCH = `//@ buffer numbers = u32:iota*64
//@ launch sum<<<1, 64>>> @numbers buf:u32:uninit*1 u32:64
`;

/** The cards: where they stand, their code, and what one presses. */
const CARDS = {
    listing: { page: 'introduction.html', at: '.workbench', code: kernel('reduceNeighboredNoBarrier') },
    cell: { page: 'introduction.html', at: '.cell', code: kernel('reduceNeighboredNoBarrier') },
    exercise: { page: 'ch2_parallel.html', at: '#exercise-2-1', code: kernel('sumOfSquares', '    if (tid < size) {\n        g_data[tid] *= g_data[tid];\n    }\n') },
    notebook: { page: 'appendix_simulate.html', at: '.notebook-cell', code: kernel('sum') + LAUNCH },
};

const MISTAKES = [
    { name: 'prints', edit: ['        __syncthreads();', '        printf("%u\\n", tid);\n        __syncthreads();'] },
    { name: 'renamed', edit: [/void \w+\(/, 'void another('] },
    { name: 'extern', edit: ['extern "C" ', ''] },
    { name: 'parameters', edit: [HEAD, '(unsigned int *g_data, unsigned int size, unsigned int *g_odata)'] },
    { name: 'swapped', edit: [HEAD, '(unsigned int *g_odata, unsigned int *g_data, unsigned int size)'] },
    { name: 'fewer', edit: [HEAD, '(unsigned int *g_data, unsigned int size)\n#define g_odata g_data'] },
    { name: 'bounds', edit: ['tid + stride < size', 'tid + stride <= size'] },
    { name: 'brace', edit: ['    if (tid == 0) {', '    if (tid == 0) {{'] },
    { name: 'brace2', edit: [`${ADD}\n        }`, ADD] },
    { name: 'std::min', edit: [ADD, 'g_data[tid] = std::min(g_data[tid], 3u);'] },
    { name: 'vector', edit: ['#include <cstdio>', '#include <vector>'] },
    { name: 'null', edit: [ADD, 'int *p = 0; *p = 1;'] },
    { name: 'endless', edit: ['stride *= 2', 'stride *= 1'] },
    { name: 'spin', edit: [ADD, 'while (true) {}'] },
    { name: 'race', edit: ['        __syncthreads();\n', ''] },
    { name: 'right', edit: ['', ''] },
];

module.exports = { CARDS, MISTAKES, inPage, PATIENCE };
