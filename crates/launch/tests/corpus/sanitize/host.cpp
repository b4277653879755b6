// Launches one kernel of the corpus on the GPU, as the `//@ launch` line of its source says.
//
//   host SOURCE.cu KERNEL.fatbin SECONDS
//
// Exit status: 0 it ended, with what its `//@ expect` lines say if it has any; 2 wrong use; 3 CUDA reported an
// error; 4 a result is wrong; 5 it had not ended after so many seconds.

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct Buffer {
    void* device;
    std::string type;
    size_t bytes;
};

static void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    printf("%s: %s\n", what, cudaGetErrorName(error));
    fflush(stdout);
    _exit(3);
}

[[noreturn]] static void refuse(const std::string& what) {
    fprintf(stderr, "host: %s\n", what.c_str());
    exit(2);
}

static void did_not_end(int) { _exit(5); }

// The text behind KEY at the start of a line, up to two blanks and another comment.
static std::vector<std::string> head(const std::vector<std::string>& lines, const std::string& key) {
    std::vector<std::string> found;
    for (const std::string& line : lines) {
        if (line.rfind(key, 0) != 0) continue;
        std::string text = line.substr(key.size());
        found.push_back(text.substr(0, text.find("  #")));
    }
    return found;
}

static std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

// Appends one number in a type's own width, little-endian as the GPU has it.
static void append(std::vector<uint8_t>& bytes, const std::string& type, const std::string& text) {
    auto put = [&](const void* value, size_t width) {
        const uint8_t* at = (const uint8_t*)value;
        bytes.insert(bytes.end(), at, at + width);
    };
    if (type == "f32") {
        float value = strtof(text.c_str(), nullptr);
        put(&value, 4);
    } else if (type == "f16") {
        __half value = __float2half(strtof(text.c_str(), nullptr));
        put(&value, 2);
    } else if (type == "f64") {
        double value = strtod(text.c_str(), nullptr);
        put(&value, 8);
    } else if (type[0] == 'i' || type[0] == 'u') {
        uint64_t value =
            type[0] == 'i' ? (uint64_t)strtoll(text.c_str(), nullptr, 10) : strtoull(text.c_str(), nullptr, 10);
        put(&value, atoi(type.c_str() + 1) / 8);
    } else {
        refuse("no such type: " + type);
    }
}

// `1,2,3`, `iota*64`, `7*3,1`.
static std::vector<uint8_t> values(const std::string& type, const std::string& text) {
    std::vector<uint8_t> bytes;
    for (const std::string& part : split(text, ',')) {
        size_t star = part.find('*');
        size_t count = star == std::string::npos ? 1 : strtoull(part.c_str() + star + 1, nullptr, 10);
        std::string pattern = part.substr(0, star);
        bool is_zero = pattern == "zeros" || pattern == "uninit";
        for (size_t i = 0; i < count; i++) {
            append(bytes, type, pattern == "iota" ? std::to_string(i) : is_zero ? "0" : pattern);
        }
    }
    return bytes;
}

static dim3 dim(const std::string& text) {
    dim3 size(1, 1, 1);
    sscanf(text.c_str(), "%u,%u,%u", &size.x, &size.y, &size.z);
    return size;
}

int main(int count, char** words) {
    if (count != 4) refuse("wants SOURCE.cu KERNEL.fatbin SECONDS");
    std::ifstream file(words[1]);
    if (!file) refuse(std::string("cannot read ") + words[1]);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);

    std::vector<std::string> launches = head(lines, "//@ launch ");
    if (launches.empty()) refuse(std::string(words[1]) + " has no line `//@ launch …`");
    const std::string& launch = launches[0];
    size_t open = launch.find("<<<"), close = launch.find(">>>");
    if (open == std::string::npos || close == std::string::npos) refuse("cannot read `" + launch + "`");
    // Grid and block may have several sizes each: `<<<2,2, 64>>>`.
    std::vector<std::string> shape;
    std::stringstream sizes(launch.substr(open + 3, close - open - 3));
    for (std::string part; sizes >> part;) shape.push_back(part);
    if (shape.size() < 2) refuse("cannot read `" + launch + "`");

    for (const std::string& limit : head(lines, "// pending-launches: ")) {
        check(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, atoi(limit.c_str())), "the pending-launch limit");
    }
    cudaLibrary_t library;
    check(cudaLibraryLoadFromFile(&library, words[2], nullptr, nullptr, 0, nullptr, nullptr, 0), "loading");
    cudaKernel_t kernel;
    check(cudaLibraryGetKernel(&kernel, library, launch.substr(0, open).c_str()), "the kernel");

    std::vector<uint64_t> cells;
    std::vector<Buffer> buffers;
    std::vector<int> buffer_of;  // by argument; -1 for a number
    std::stringstream arguments(launch.substr(close + 3));
    std::vector<std::string> clusters;
    for (std::string argument; arguments >> argument;) {
        if (argument.rfind("cluster=", 0) == 0) {
            clusters.push_back(argument.substr(8));
            continue;
        }
        std::vector<std::string> parts = split(argument, ':');
        if (parts.size() == 2) {
            std::vector<uint8_t> bytes = values(parts[0], parts[1]);
            uint64_t cell = 0;
            memcpy(&cell, bytes.data(), bytes.size());
            cells.push_back(cell);
            buffer_of.push_back(-1);
            continue;
        }
        if (parts.size() != 3) refuse("cannot read `" + argument + "`");
        const std::string &type = parts[1], &what = parts[2];
        std::vector<uint8_t> bytes = values(type, what);
        bool written = what.rfind("uninit", 0) != 0;
        Buffer buffer = {nullptr, type, bytes.size()};
        check(cudaMalloc(&buffer.device, buffer.bytes), "allocating");
        // A buffer that nobody has written stays so: that is what initcheck is asked about.
        if (written) check(cudaMemcpy(buffer.device, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "copying");
        cells.push_back((uint64_t)buffer.device);
        buffer_of.push_back((int)buffers.size());
        buffers.push_back(buffer);
    }

    signal(SIGALRM, did_not_end);
    alarm(atoi(words[3]));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim(shape[0]);
    config.blockDim = dim(shape[1]);
    config.dynamicSmemBytes = shape.size() > 2 ? strtoull(shape[2].c_str(), nullptr, 10) : 0;
    std::vector<cudaLaunchAttribute> attributes;
    if (!head(lines, "// cooperative").empty()) {
        cudaLaunchAttribute cooperative = {};
        cooperative.id = cudaLaunchAttributeCooperative;
        cooperative.val.cooperative = 1;
        attributes.push_back(cooperative);
    }
    for (const std::string& blocks : clusters) {
        cudaLaunchAttribute cluster = {};
        cluster.id = cudaLaunchAttributeClusterDimension;
        dim3 size = dim(blocks);
        cluster.val.clusterDim.x = size.x;
        cluster.val.clusterDim.y = size.y;
        cluster.val.clusterDim.z = size.z;
        attributes.push_back(cluster);
    }
    config.attrs = attributes.data();
    config.numAttrs = attributes.size();
    std::vector<void*> pointers;
    for (uint64_t& cell : cells) pointers.push_back(&cell);
    check(cudaLaunchKernelExC(&config, (const void*)kernel, pointers.data()), "launching");
    check(cudaDeviceSynchronize(), "running");

    // `2 = i32:63,62,61,uninit*61`: the first elements, and nothing of the rest.
    for (const std::string& result : head(lines, "//@ expect ")) {
        int argument = -1, used = 0;
        sscanf(result.c_str(), "%d = %*[a-z0-9]:%n", &argument, &used);
        if (used == 0 || argument < 0 || argument >= (int)buffer_of.size() || buffer_of[argument] < 0) {
            refuse("cannot read `" + result + "`");
        }
        const Buffer& buffer = buffers[buffer_of[argument]];
        std::string numbers = result.substr(used);
        std::vector<uint8_t> wanted = values(buffer.type, numbers.substr(0, numbers.find(",uninit")));
        std::vector<uint8_t> held(wanted.size());
        if (wanted.size() > buffer.bytes) refuse("more results than argument " + std::to_string(argument) + " holds");
        check(cudaMemcpy(held.data(), buffer.device, held.size(), cudaMemcpyDeviceToHost), "copying back");
        if (held != wanted) {
            printf("argument %d is not %s\n", argument, numbers.c_str());
            return 4;
        }
    }
    return 0;
}
