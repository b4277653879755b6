// Bodies of what libc++'s header of this name declares: they are read at its end.
_LIBCPP_BEGIN_NAMESPACE_STD
inline bad_weak_ptr::~bad_weak_ptr() noexcept {}
inline const char *bad_weak_ptr::what() const noexcept { return "std::bad_weak_ptr"; }
_LIBCPP_END_NAMESPACE_STD
