// The older name of what stdlib.h declares.

#pragma once

#include <stdlib.h>
