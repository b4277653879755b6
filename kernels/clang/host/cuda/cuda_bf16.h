// As kernels alone have it.

#pragma once

#include "../../cuda_bf16.h"
