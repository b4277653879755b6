// NVTX 3 has the same functions in a folder of its own.

#pragma once

#include "../nvToolsExt.h"
