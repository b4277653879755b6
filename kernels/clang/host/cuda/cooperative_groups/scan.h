// As kernels alone have it.

#pragma once

#include "../../../cooperative_groups/scan.h"
