// Bodies of what libc++'s header of this name declares: they are read at its end.
_LIBCPP_BEGIN_NAMESPACE_STD
inline bad_function_call::~bad_function_call() noexcept {}
inline const char *bad_function_call::what() const noexcept { return "std::bad_function_call"; }
_LIBCPP_END_NAMESPACE_STD
