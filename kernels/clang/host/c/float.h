// As kernels alone have it.

#pragma once

#include "../../float.h"
