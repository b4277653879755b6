// Bodies of what libc++'s header of this name declares: they are read at its end.
namespace std {
inline bad_alloc::bad_alloc() noexcept {}
inline bad_alloc::~bad_alloc() noexcept {}
inline const char *bad_alloc::what() const noexcept { return "std::bad_alloc"; }
inline bad_array_new_length::bad_array_new_length() noexcept {}
inline bad_array_new_length::~bad_array_new_length() noexcept {}
inline const char *bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }
[[noreturn]] inline void __throw_bad_alloc() { __wb_throw("std::bad_alloc"); }
} // namespace std
