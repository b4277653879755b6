// As kernels alone have it.

#pragma once

#include "../../cuda_pipeline.h"
