// Bodies of what libc++'s header of this name declares: they are read at its end.
_LIBCPP_BEGIN_NAMESPACE_STD
inline size_t __hash_memory(_LIBCPP_NOESCAPE const void *bytes, size_t size) noexcept
{
    // FNV-1a.
    size_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    }
    return hash;
}
_LIBCPP_END_NAMESPACE_STD
