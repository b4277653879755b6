// The older name of what string.h declares.

#pragma once

#include <string.h>
