// As kernels alone have it.

#pragma once

#include "../../cuda_pipeline_primitives.h"
