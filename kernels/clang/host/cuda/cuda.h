// Of the driver API there is nothing but its types: programs include it for no reason, most often.

#pragma once

#define CUDA_VERSION 13000
typedef int CUdevice;
typedef int CUresult;
typedef unsigned long long CUdeviceptr;
