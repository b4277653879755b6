// Bodies of what libc++'s header of this name declares: they are read at its end.
_LIBCPP_BEGIN_NAMESPACE_STD
template <class Less, class Iterator> void __sort(Iterator first, Iterator last, Less)
{
    if (first != last) {
        auto depth = 2 * std::__bit_log2(static_cast<size_t>(last - first));
        std::__introsort<_ClassicAlgPolicy, __less<>, Iterator, false>(first, last, __less<>{}, depth);
    }
}
_LIBCPP_END_NAMESPACE_STD
