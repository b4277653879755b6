// The streams of C++ for char, without locales: text goes to a C file or to a string, and numbers are formatted by
// snprintf(), which is what the standard says they look like. No function is virtual, so that std::cout is there before
// anything is initialised.

#pragma once
#pragma GCC system_header

#include <iosfwd>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <string>

_LIBCPP_BEGIN_NAMESPACE_STD

typedef long streamsize;

class ios_base {
public:
    typedef unsigned int fmtflags;
    static constexpr fmtflags boolalpha = 1 << 0;
    static constexpr fmtflags dec = 1 << 1;
    static constexpr fmtflags fixed = 1 << 2;
    static constexpr fmtflags hex = 1 << 3;
    static constexpr fmtflags internal = 1 << 4;
    static constexpr fmtflags left = 1 << 5;
    static constexpr fmtflags oct = 1 << 6;
    static constexpr fmtflags right = 1 << 7;
    static constexpr fmtflags scientific = 1 << 8;
    static constexpr fmtflags showbase = 1 << 9;
    static constexpr fmtflags showpoint = 1 << 10;
    static constexpr fmtflags showpos = 1 << 11;
    static constexpr fmtflags skipws = 1 << 12;
    static constexpr fmtflags unitbuf = 1 << 13;
    static constexpr fmtflags uppercase = 1 << 14;
    static constexpr fmtflags adjustfield = left | right | internal;
    static constexpr fmtflags basefield = dec | oct | hex;
    static constexpr fmtflags floatfield = scientific | fixed;

    typedef unsigned int iostate;
    static constexpr iostate goodbit = 0;
    static constexpr iostate badbit = 1;
    static constexpr iostate eofbit = 2;
    static constexpr iostate failbit = 4;

    typedef unsigned int openmode;
    static constexpr openmode app = 1;
    static constexpr openmode ate = 2;
    static constexpr openmode binary = 4;
    static constexpr openmode in = 8;
    static constexpr openmode out = 16;
    static constexpr openmode trunc = 32;

    typedef int seekdir;
    static constexpr seekdir beg = SEEK_SET;
    static constexpr seekdir cur = SEEK_CUR;
    static constexpr seekdir end = SEEK_END;

    class failure : public runtime_error {
    public:
        using runtime_error::runtime_error;
    };

    static bool sync_with_stdio(bool = true) { return true; }
};

// Where the characters of a stream are.
template <> class basic_streambuf<char, char_traits<char>> {
public:
    typedef char char_type;

    constexpr basic_streambuf() = default;
    // The number of a FILE *, which no constant may be cast to.
    constexpr explicit basic_streambuf(size_t file) : file_number(file) {}
    explicit basic_streambuf(FILE *file) : file_number((size_t)file) {}
    explicit basic_streambuf(string *text) : text(text) {}

    bool is_there() const { return text != nullptr || file_number != 0; }
    FILE *file() const { return (FILE *)file_number; }

    streamsize sputn(const char *from, streamsize count)
    {
        if (text != nullptr) {
            text->append(from, count);
            return count;
        }
        return file_number != 0 ? (streamsize)fwrite(from, 1, count, file()) : 0;
    }
    int sputc(char character) { return sputn(&character, 1) == 1 ? (unsigned char)character : EOF; }

    // The next character, which is then behind.
    int sbumpc()
    {
        if (text != nullptr) {
            return position < text->size() ? (unsigned char)(*text)[position++] : EOF;
        }
        return file_number != 0 ? fgetc(file()) : EOF;
    }
    // The next character, which stays.
    int sgetc()
    {
        if (text != nullptr) {
            return position < text->size() ? (unsigned char)(*text)[position] : EOF;
        }
        return file_number != 0 ? ungetc(fgetc(file()), file()) : EOF;
    }
    int sungetc(int character)
    {
        if (text != nullptr) {
            return position > 0 ? (unsigned char)(*text)[--position] : EOF;
        }
        return file_number != 0 ? ungetc(character, file()) : EOF;
    }
    streamsize sgetn(char *to, streamsize count)
    {
        if (text == nullptr) {
            return file_number != 0 ? (streamsize)fread(to, 1, count, file()) : 0;
        }
        streamsize taken = text->copy(to, count, position);
        position += taken;
        return taken;
    }
    long seek(long offset, int from)
    {
        if (text == nullptr) {
            return file_number != 0 && fseek(file(), offset, from) == 0 ? ftell(file()) : -1;
        }
        long base = from == SEEK_SET ? 0 : from == SEEK_CUR ? (long)position : (long)text->size();
        if (base + offset < 0 || base + offset > (long)text->size()) {
            return -1;
        }
        return position = base + offset;
    }
    int pubsync() { return file_number != 0 ? fflush(file()) : 0; }

private:
    size_t file_number = 0;
    string *text = nullptr;
    size_t position = 0; // of reading in the text
};

// What the reading and the writing side of a stream share.
struct __wb_stream_state {
    streambuf buffer;
    ios_base::fmtflags flags = ios_base::dec | ios_base::skipws;
    ios_base::iostate state = ios_base::goodbit;
    streamsize width = 0;
    streamsize precision = 6;
    streamsize count = 0; // characters of the last unformatted input
    char fill = ' ';

    constexpr explicit __wb_stream_state(streambuf buffer) : buffer(buffer) {}
};

template <> class basic_ios<char, char_traits<char>> : public ios_base {
public:
    typedef char char_type;
    typedef char_traits<char> traits_type;
    typedef int int_type;
    typedef long pos_type;
    typedef long off_type;

    constexpr explicit basic_ios(streambuf buffer) : own(buffer) {}
    basic_ios(const basic_ios &) = delete;
    basic_ios &operator=(const basic_ios &) = delete;

    bool good() const { return state().state == goodbit; }
    bool eof() const { return state().state & eofbit; }
    bool fail() const { return state().state & (failbit | badbit); }
    bool bad() const { return state().state & badbit; }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    iostate rdstate() const { return state().state; }
    void clear(iostate to = goodbit) { state().state = to; }
    void setstate(iostate more) { state().state |= more; }
    iostate exceptions() const { return goodbit; }
    void exceptions(iostate) {}

    fmtflags flags() const { return state().flags; }
    fmtflags flags(fmtflags to) { return exchanged(state().flags, to); }
    fmtflags setf(fmtflags more) { return exchanged(state().flags, state().flags | more); }
    fmtflags setf(fmtflags to, fmtflags of) { return exchanged(state().flags, (state().flags & ~of) | (to & of)); }
    void unsetf(fmtflags less) { state().flags &= ~less; }
    streamsize width() const { return state().width; }
    streamsize width(streamsize to) { return exchanged(state().width, to); }
    streamsize precision() const { return state().precision; }
    streamsize precision(streamsize to) { return exchanged(state().precision, to); }
    char fill() const { return state().fill; }
    char fill(char to) { return exchanged(state().fill, to); }

    streambuf *rdbuf() const { return &state().buffer; }
    basic_ios &copyfmt(const basic_ios &other)
    {
        state().flags = other.flags();
        state().width = other.width();
        state().precision = other.precision();
        state().fill = other.fill();
        return *this;
    }
    ostream *tie(ostream * = nullptr) { return nullptr; }

protected:
    // Of a stream for both ways, that of its reading side.
    void share(basic_ios &other) { shared = &other.own; }
    void open(streambuf buffer) { state().buffer = buffer; }
    __wb_stream_state &state() const { return shared != nullptr ? *shared : own; }

private:
    template <typename T> static T exchanged(T &value, T to)
    {
        T before = value;
        value = to;
        return before;
    }

    mutable __wb_stream_state own;
    __wb_stream_state *shared = nullptr;
};

template <> class basic_ostream<char, char_traits<char>> : public ios {
public:
    constexpr explicit basic_ostream(streambuf buffer) : ios(buffer) {}
    explicit basic_ostream(streambuf *buffer) : ios(*buffer) {}

    class sentry {
    public:
        explicit sentry(ostream &stream) : is_good(stream.good()) {}
        explicit operator bool() const { return is_good; }

    private:
        bool is_good;
    };

    ostream &write(const char *text, streamsize count)
    {
        if (state().buffer.sputn(text, count) != count) {
            setstate(badbit);
        }
        return *this;
    }
    ostream &put(char character) { return write(&character, 1); }
    ostream &flush()
    {
        state().buffer.pubsync();
        return *this;
    }
    long tellp() { return state().buffer.seek(0, cur); }
    ostream &seekp(long offset, int from = beg)
    {
        state().buffer.seek(offset, from);
        return *this;
    }

    ostream &operator<<(ostream &(*manipulator)(ostream &)) { return manipulator(*this); }
    ostream &operator<<(ios_base &(*manipulator)(ios_base &))
    {
        manipulator(*this);
        return *this;
    }
    ostream &operator<<(bool value)
    {
        if (flags() & boolalpha) {
            const char *text = value ? "true" : "false";
            return padded(text, strlen(text));
        }
        return *this << (long)value;
    }
    ostream &operator<<(short value) { return whole((unsigned long)(long)value, (unsigned short)value); }
    ostream &operator<<(unsigned short value) { return whole((unsigned long)value); }
    ostream &operator<<(int value) { return whole((unsigned long)(long)value, (unsigned int)value); }
    ostream &operator<<(unsigned int value) { return whole((unsigned long)value); }
    ostream &operator<<(long value) { return whole((unsigned long)value, (unsigned long)value); }
    ostream &operator<<(unsigned long value) { return whole(value); }
    ostream &operator<<(long long value) { return whole((unsigned long)(long)value, (unsigned long)value); }
    ostream &operator<<(unsigned long long value) { return whole((unsigned long)value); }
    ostream &operator<<(float value) { return real(value); }
    ostream &operator<<(double value) { return real(value); }
    ostream &operator<<(long double value) { return real(value); }
    ostream &operator<<(const void *value)
    {
        char text[24];
        return padded(text, value == nullptr ? snprintf(text, sizeof text, "0") : snprintf(text, sizeof text, "%p", value));
    }
    ostream &operator<<(nullptr_t) { return padded("nullptr", 7); }
    ostream &operator<<(streambuf *from)
    {
        for (int character = from->sbumpc(); character != EOF; character = from->sbumpc()) {
            put((char)character);
        }
        return *this;
    }

    // Writes `text` in the width that was asked for once.
    ostream &padded(const char *text, size_t size)
    {
        size_t width = this->width(0);
        size_t missing = width > size ? width - size : 0;
        if (missing == 0) {
            return write(text, size);
        }
        fmtflags where = flags() & adjustfield;
        size_t before = where == left ? size : where == internal && size > 0 && (*text == '-' || *text == '+') ? 1 : 0;
        write(text, before);
        char fill = this->fill();
        for (size_t i = 0; i < missing; ++i) {
            put(fill);
        }
        return write(text + before, size - before);
    }

private:
    ostream &whole(unsigned long value) { return whole(value, value, "lu"); }
    // Writes a number: `bits` where the base is not 10.
    ostream &whole(unsigned long value, unsigned long bits, const char *decimal = "ld")
    {
        bool is_decimal = (flags() & (hex | oct)) == 0;
        bool is_signed = decimal[1] == 'd';
        const char *sign = is_decimal && is_signed && flags() & showpos ? "+" : "";
        const char *base = !is_decimal && flags() & showbase ? "#" : "";
        const char *type = is_decimal ? decimal : flags() & oct ? "lo" : flags() & uppercase ? "lX" : "lx";
        char format[8];
        snprintf(format, sizeof format, "%%%s%s%s", sign, base, type);
        char text[32];
        return padded(text, snprintf(text, sizeof text, format, is_decimal ? value : bits));
    }
    ostream &real(double value)
    {
        char format[8] = "%";
        char *end = format + 1;
        if (flags() & showpos) {
            *end++ = '+';
        }
        if (flags() & showpoint) {
            *end++ = '#';
        }
        fmtflags form = flags() & floatfield;
        char letter = form == fixed ? 'f' : form == scientific ? 'e' : form == floatfield ? 'a' : 'g';
        if (letter != 'a') {
            *end++ = '.';
            *end++ = '*';
        }
        *end++ = flags() & uppercase ? (char)(letter - 'a' + 'A') : letter;
        *end = 0;
        int precision = (int)this->precision();
        char text[512];
        int size = letter == 'a' ? snprintf(text, sizeof text, format, value)
                                 : snprintf(text, sizeof text, format, precision, value);
        return padded(text, size < (int)sizeof text ? size : (int)sizeof text - 1);
    }
};

inline ostream &operator<<(ostream &to, char value) { return to.padded(&value, 1); }
inline ostream &operator<<(ostream &to, signed char value) { return to << (char)value; }
inline ostream &operator<<(ostream &to, unsigned char value) { return to << (char)value; }
inline ostream &operator<<(ostream &to, const char *text)
{
    if (text == nullptr) {
        to.setstate(ios_base::badbit);
        return to;
    }
    return to.padded(text, strlen(text));
}
inline ostream &operator<<(ostream &to, const signed char *text) { return to << (const char *)text; }
inline ostream &operator<<(ostream &to, const unsigned char *text) { return to << (const char *)text; }
inline ostream &operator<<(ostream &to, const string &text) { return to.padded(text.data(), text.size()); }
inline ostream &operator<<(ostream &to, string_view text) { return to.padded(text.data(), text.size()); }
// std::ostringstream() << 1 << "x"
template <typename Stream, typename T, typename = enable_if_t<!is_lvalue_reference_v<Stream> && is_base_of_v<ios_base, Stream>>>
Stream &&operator<<(Stream &&to, const T &value)
{
    to << value;
    return (Stream &&)to;
}

inline ostream &flush(ostream &to) { return to.flush(); }
inline ostream &endl(ostream &to) { return to.put('\n').flush(); }
inline ostream &ends(ostream &to) { return to.put('\0'); }

template <> class basic_istream<char, char_traits<char>> : public ios {
public:
    constexpr explicit basic_istream(streambuf buffer) : ios(buffer) {}
    explicit basic_istream(streambuf *buffer) : ios(*buffer) {}

    class sentry {
    public:
        explicit sentry(istream &stream, bool = false) : is_good(stream.good()) {}
        explicit operator bool() const { return is_good; }

    private:
        bool is_good;
    };

    streamsize gcount() const { return state().count; }
    int get()
    {
        int character = state().buffer.sbumpc();
        state().count = character != EOF;
        if (character == EOF) {
            setstate(eofbit | failbit);
        }
        return character;
    }
    istream &get(char &to)
    {
        int character = get();
        if (character != EOF) {
            to = (char)character;
        }
        return *this;
    }
    int peek()
    {
        int character = good() ? state().buffer.sgetc() : EOF;
        if (character == EOF) {
            setstate(eofbit);
        }
        return character;
    }
    istream &unget() { return putback(0); }
    istream &putback(char character)
    {
        state().state &= ~eofbit;
        state().buffer.sungetc(character);
        return *this;
    }
    istream &ignore(streamsize count = 1, int until = EOF)
    {
        for (state().count = 0; state().count < count;) {
            int character = state().buffer.sbumpc();
            if (character == EOF) {
                setstate(eofbit);
                break;
            }
            ++state().count;
            if (character == until) {
                break;
            }
        }
        return *this;
    }
    istream &read(char *to, streamsize count)
    {
        state().count = good() ? state().buffer.sgetn(to, count) : 0;
        if (state().count < count) {
            setstate(eofbit | failbit);
        }
        return *this;
    }
    istream &getline(char *to, streamsize size, char until = '\n')
    {
        string line;
        read_line(line, until);
        if ((streamsize)line.size() >= size) {
            line.resize(size - 1);
            setstate(failbit);
        }
        memcpy(to, line.c_str(), line.size() + 1);
        return *this;
    }
    void read_line(string &line, char until)
    {
        line.clear();
        state().count = 0;
        while (good()) {
            int character = state().buffer.sbumpc();
            if (character == EOF) {
                setstate(state().count == 0 ? eofbit | failbit : eofbit);
                return;
            }
            ++state().count;
            if (character == (unsigned char)until) {
                return;
            }
            line += (char)character;
        }
        setstate(failbit);
    }
    long tellg() { return state().buffer.seek(0, cur); }
    istream &seekg(long offset, int from = beg)
    {
        state().state &= ~eofbit;
        if (state().buffer.seek(offset, from) < 0) {
            setstate(failbit);
        }
        return *this;
    }

    istream &operator>>(istream &(*manipulator)(istream &)) { return manipulator(*this); }
    istream &operator>>(ios_base &(*manipulator)(ios_base &))
    {
        manipulator(*this);
        return *this;
    }
    istream &operator>>(bool &value)
    {
        long read = 0;
        *this >> read;
        value = read != 0;
        return *this;
    }
    istream &operator>>(short &value) { return whole(value); }
    istream &operator>>(unsigned short &value) { return whole(value); }
    istream &operator>>(int &value) { return whole(value); }
    istream &operator>>(unsigned int &value) { return whole(value); }
    istream &operator>>(long &value) { return whole(value); }
    istream &operator>>(unsigned long &value) { return whole(value); }
    istream &operator>>(long long &value) { return whole(value); }
    istream &operator>>(unsigned long long &value) { return whole(value); }
    istream &operator>>(float &value) { return real(value); }
    istream &operator>>(double &value) { return real(value); }
    istream &operator>>(long double &value) { return real(value); }

    // Leaves blanks out, where they are to be; whether there is something left.
    bool begins()
    {
        if (!good()) {
            setstate(failbit);
            return false;
        }
        int next = state().buffer.sgetc();
        while (flags() & skipws && next != EOF && is_blank(next)) {
            state().buffer.sbumpc();
            next = state().buffer.sgetc();
        }
        if (next == EOF) {
            setstate(eofbit | failbit);
        }
        return next != EOF;
    }
    static bool is_blank(int character) { return character == ' ' || (character >= '\t' && character <= '\r'); }

private:
    // The longest run of characters that a number may have.
    string number(bool is_real)
    {
        string text;
        if (!begins()) {
            return text;
        }
        for (int next = state().buffer.sgetc(); next != EOF; next = state().buffer.sgetc()) {
            bool is_sign = next == '-' || next == '+';
            bool is_exponent = is_real && (next == 'e' || next == 'E');
            bool follows_exponent = !text.empty() && (text.back() == 'e' || text.back() == 'E');
            bool is_digit = (next >= '0' && next <= '9') || (flags() & hex && isxdigit_(next));
            bool fits = is_digit || (is_sign && (text.empty() || (is_real && follows_exponent))) ||
                        (is_real && (next == '.' || (is_exponent && !text.empty())));
            if (!fits) {
                return text;
            }
            text += (char)state().buffer.sbumpc();
        }
        setstate(eofbit);
        return text;
    }
    static bool isxdigit_(int c) { return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == 'x' || c == 'X'; }
    template <typename T> istream &whole(T &value)
    {
        string text = number(false);
        char *end = nullptr;
        int base = flags() & hex ? 16 : flags() & oct ? 8 : 10;
        bool is_signed = T(-1) < T(0);
        unsigned long read = is_signed ? (unsigned long)strtol(text.c_str(), &end, base) : strtoul(text.c_str(), &end, base);
        value = (T)read;
        bool is_too_large = is_signed ? (long)value != (long)read : (unsigned long)value != read && text[0] != '-';
        if (end == text.c_str() || is_too_large) {
            setstate(failbit);
        }
        return *this;
    }
    template <typename T> istream &real(T &value)
    {
        string text = number(true);
        char *end = nullptr;
        value = (T)strtod(text.c_str(), &end);
        if (end == text.c_str()) {
            setstate(failbit);
        }
        return *this;
    }
};

inline istream &operator>>(istream &from, char &value)
{
    return from.begins() ? from.get(value) : from;
}
inline istream &operator>>(istream &from, unsigned char &value) { return from >> (char &)value; }
inline istream &operator>>(istream &from, string &word)
{
    if (!from.begins()) {
        return from;
    }
    word.clear();
    streamsize width = from.width(0);
    while (width == 0 || (streamsize)word.size() < width) {
        int next = from.rdbuf()->sgetc();
        if (next == EOF) {
            from.setstate(ios_base::eofbit);
            break;
        }
        if (istream::is_blank(next)) {
            break;
        }
        word += (char)from.rdbuf()->sbumpc();
    }
    return from;
}
inline istream &operator>>(istream &from, char *word)
{
    string read;
    from >> read;
    memcpy(word, read.c_str(), read.size() + 1);
    return from;
}
inline istream &getline(istream &from, string &line, char until = '\n')
{
    from.read_line(line, until);
    return from;
}
inline istream &getline(istream &&from, string &line, char until = '\n') { return getline(from, line, until); }
inline istream &ws(istream &from)
{
    while (istream::is_blank(from.peek())) {
        from.get();
    }
    return from;
}

// Both ways. What both sides have is asked of the reading side, with which the writing side shares its state.
template <> class basic_iostream<char, char_traits<char>> : public istream, public ostream {
public:
    explicit basic_iostream(streambuf buffer) : istream(buffer), ostream(buffer) { ostream::share(reading()); }

    bool good() const { return reading().good(); }
    bool eof() const { return reading().eof(); }
    bool fail() const { return reading().fail(); }
    bool bad() const { return reading().bad(); }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    iostate rdstate() const { return reading().rdstate(); }
    void clear(iostate to = goodbit) { reading().clear(to); }
    void setstate(iostate more) { reading().setstate(more); }
    fmtflags flags() const { return reading().flags(); }
    fmtflags flags(fmtflags to) { return reading().flags(to); }
    fmtflags setf(fmtflags more) { return reading().setf(more); }
    fmtflags setf(fmtflags to, fmtflags of) { return reading().setf(to, of); }
    void unsetf(fmtflags less) { reading().unsetf(less); }
    streamsize width() const { return reading().width(); }
    streamsize width(streamsize to) { return reading().width(to); }
    streamsize precision() const { return reading().precision(); }
    streamsize precision(streamsize to) { return reading().precision(to); }
    char fill(char to) { return reading().fill(to); }
    streambuf *rdbuf() const { return reading().rdbuf(); }

protected:
    void open(streambuf buffer) { istream::open(buffer); }

private:
    istream &reading() const { return const_cast<basic_iostream &>(*this); }
};

#define WB_MANIPULATOR(name, to, of)                                                                                   \
    inline ios_base &name(ios_base &stream)                                                                            \
    {                                                                                                                  \
        static_cast<ios &>(stream).setf(to, of);                                                                       \
        return stream;                                                                                                 \
    }
WB_MANIPULATOR(boolalpha, ios_base::boolalpha, ios_base::boolalpha)
WB_MANIPULATOR(noboolalpha, 0, ios_base::boolalpha)
WB_MANIPULATOR(showbase, ios_base::showbase, ios_base::showbase)
WB_MANIPULATOR(noshowbase, 0, ios_base::showbase)
WB_MANIPULATOR(showpoint, ios_base::showpoint, ios_base::showpoint)
WB_MANIPULATOR(noshowpoint, 0, ios_base::showpoint)
WB_MANIPULATOR(showpos, ios_base::showpos, ios_base::showpos)
WB_MANIPULATOR(noshowpos, 0, ios_base::showpos)
WB_MANIPULATOR(skipws, ios_base::skipws, ios_base::skipws)
WB_MANIPULATOR(noskipws, 0, ios_base::skipws)
WB_MANIPULATOR(uppercase, ios_base::uppercase, ios_base::uppercase)
WB_MANIPULATOR(nouppercase, 0, ios_base::uppercase)
WB_MANIPULATOR(unitbuf, ios_base::unitbuf, ios_base::unitbuf)
WB_MANIPULATOR(left, ios_base::left, ios_base::adjustfield)
WB_MANIPULATOR(right, ios_base::right, ios_base::adjustfield)
WB_MANIPULATOR(internal, ios_base::internal, ios_base::adjustfield)
WB_MANIPULATOR(dec, ios_base::dec, ios_base::basefield)
WB_MANIPULATOR(hex, ios_base::hex, ios_base::basefield)
WB_MANIPULATOR(oct, ios_base::oct, ios_base::basefield)
WB_MANIPULATOR(fixed, ios_base::fixed, ios_base::floatfield)
WB_MANIPULATOR(scientific, ios_base::scientific, ios_base::floatfield)
WB_MANIPULATOR(hexfloat, ios_base::floatfield, ios_base::floatfield)
WB_MANIPULATOR(defaultfloat, 0, ios_base::floatfield)
#undef WB_MANIPULATOR

_LIBCPP_END_NAMESPACE_STD
