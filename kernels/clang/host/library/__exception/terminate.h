// Bodies of what libc++'s header of this name declares: they are read at its end.
namespace std {
[[noreturn]] inline void terminate() noexcept { __wb_throw("std::terminate() was called"); }
} // namespace std
