// What libc++ takes from musl: the state of a conversion of characters, of which there is none.

#pragma once
#pragma GCC system_header

typedef struct {
    unsigned int unused[2];
} mbstate_t;
