// Bodies of what libc++'s header of this name declares: they are read at its end.
extern "C" long time(long *at);
extern "C" long long __wb_nanoseconds(void);
_LIBCPP_BEGIN_NAMESPACE_STD
namespace chrono {
inline system_clock::time_point system_clock::now() noexcept
{
    return time_point(duration_cast<duration>(seconds(::time(nullptr)) + nanoseconds(__wb_nanoseconds() % 1000000000)));
}
inline time_t system_clock::to_time_t(const time_point &at) noexcept
{
    return duration_cast<seconds>(at.time_since_epoch()).count();
}
inline system_clock::time_point system_clock::from_time_t(time_t at) noexcept { return time_point(seconds(at)); }
} // namespace chrono
_LIBCPP_END_NAMESPACE_STD
