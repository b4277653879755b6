// Bodies of what libc++'s header of this name declares: they are read at its end.
namespace std {
inline exception::~exception() noexcept {}
inline const char *exception::what() const noexcept { return "std::exception"; }
inline bad_exception::~bad_exception() noexcept {}
inline const char *bad_exception::what() const noexcept { return "std::bad_exception"; }
} // namespace std
