// Bodies of what libc++'s header of this name declares: they are read at its end.
_LIBCPP_BEGIN_NAMESPACE_STD
inline __shared_count::~__shared_count() {}
inline __shared_weak_count::~__shared_weak_count() {}
inline void __shared_weak_count::__release_weak() noexcept
{
    if (__libcpp_atomic_refcount_decrement(__shared_weak_owners_) == -1) {
        __on_zero_shared_weak();
    }
}
inline __shared_weak_count *__shared_weak_count::lock() noexcept
{
    if (use_count() == 0) {
        return nullptr;
    }
    __add_shared();
    return this;
}
inline const void *__shared_weak_count::__get_deleter(const type_info &) const noexcept { return nullptr; }
_LIBCPP_END_NAMESPACE_STD
