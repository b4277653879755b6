// Names for what the driver API makes, which the simulator does not have: the rest of NVTX.

#pragma once

#include <nvToolsExt.h>
