// As kernels alone have it.

#pragma once

#include "../../cuda_awbarrier_primitives.h"
