// For programs that include "../common/book.h": read only where there is none.
#pragma once
#include "../cuda/book.h"
