// As kernels alone have it.

#pragma once

#include "../../cuda_fp16.h"
