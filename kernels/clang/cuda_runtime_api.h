// cuda.h, which is always there, declares what the kernels use of this.

#pragma once
