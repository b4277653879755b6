// Read only where the program has none beside it.
#pragma once
#include "helper_functions.h"
