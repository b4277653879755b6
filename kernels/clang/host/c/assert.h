// assert() for both sides: the simulator ends the program with the line.

#pragma GCC system_header

extern "C" WB_BOTH_SIDES __attribute__((noreturn)) void __assertfail(const char *message, const char *file,
                                                                      unsigned int line, const char *function,
                                                                      size_t size);

#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : __assertfail(#__VA_ARGS__, __FILE__, __LINE__, __func__, 1))
#endif
