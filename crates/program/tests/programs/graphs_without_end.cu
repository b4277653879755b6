// Each graph launches the one before it twice: soon there are more nodes than there is room for.
__global__ void nothing() {}

int main()
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraphExec_t last = nullptr;
    for (;;) {
        cudaGraph_t graph;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        if (last == nullptr) {
            nothing<<<1, 1, 0, stream>>>();
        } else {
            cudaGraphLaunch(last, stream);
            cudaGraphLaunch(last, stream);
        }
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&last, graph, 0); // expect: error memory-limit
    }
}
