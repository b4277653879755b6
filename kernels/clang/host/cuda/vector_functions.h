// cuda_runtime.h, which is always there, declares what the simulator has of this.

#pragma once

#include <cuda_runtime.h>
