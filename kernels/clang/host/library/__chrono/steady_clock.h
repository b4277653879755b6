// Bodies of what libc++'s header of this name declares: they are read at its end.
extern "C" long long __wb_nanoseconds(void); // since the program began; it counts on with each call
_LIBCPP_BEGIN_NAMESPACE_STD
namespace chrono {
inline steady_clock::time_point steady_clock::now() noexcept { return time_point(duration(__wb_nanoseconds())); }
} // namespace chrono
_LIBCPP_END_NAMESPACE_STD
