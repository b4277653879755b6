// Bodies of what libc++'s header of this name declares: they are read at its end.
extern "C" unsigned int __wb_random(void); // of its own, and the same in each run
_LIBCPP_BEGIN_NAMESPACE_STD
inline random_device::random_device(const string &) {}
inline random_device::~random_device() {}
inline unsigned random_device::operator()() { return __wb_random(); }
inline double random_device::entropy() const noexcept { return 0; }
_LIBCPP_END_NAMESPACE_STD
