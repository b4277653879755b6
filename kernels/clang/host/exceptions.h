// throw ends the program with its message: what would catch it is not compiled. See rewrite.rs for what calls this.

#pragma once
#pragma GCC system_header

namespace wb {

template <typename T> auto message(const T &thrown, int) -> decltype(thrown.what()) { return thrown.what(); }
template <typename T> auto message(const T &thrown, long) -> decltype(thrown.c_str()) { return thrown.c_str(); }
template <typename T> const char *message(const T &, ...) { return nullptr; }
inline const char *message(const char *thrown, int) { return thrown; }

// `throw x` becomes `wb::thrown() = x`, an assignment, since that binds as loosely as a throw does.
struct thrown {
    template <typename T> [[noreturn]] void operator=(const T &value)
    {
        __wb_throw(message(value, 0));
    }
};

// `throw;`
[[noreturn]] inline void thrown_again() { __wb_throw(nullptr); }

// The end of an object whose constructor ran before main, or at its first use.
template <typename T> void destroy(void *object) { static_cast<T *>(object)->~T(); }

} // namespace wb

extern "C" int __cxa_atexit(void (*function)(void *), void *argument, void *module);

namespace wb {

template <typename T> struct decay {
    typedef T type;
};
template <typename T> struct decay<T &> : decay<T> {};
template <typename T> struct decay<T &&> : decay<T> {};
template <typename T> struct decay<const T> : decay<T> {};
template <typename T> using decayed = typename decay<T>::type;

// An array in an object, so that it can be made in a place.
template <typename T> struct held {
    T value;
};

template <typename T> T &registered(T &object)
{
    if constexpr (!__is_trivially_destructible(T)) {
        __cxa_atexit(destroy<T>, (void *)&object, nullptr);
    }
    return object;
}

} // namespace wb
