//! The functions that an exported program calls besides the runtime's; only those that it needs are in it.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    /// Around each call of the runtime.
    Check,
    /// The numbers of `random`.
    Random,
    /// `file=`
    Read,
    /// `save`
    Write,
    /// `expect`
    Differing,
    /// What a buffer holds.
    Show,
}

impl Helper {
    /// What it is called, if the source has no such name.
    pub fn name(self) -> &'static str {
        match self {
            Helper::Check => "CHECK",
            Helper::Random => "randomUnit",
            Helper::Read => "readFile",
            Helper::Write => "writeFile",
            Helper::Differing => "differing",
            Helper::Show => "show",
        }
    }

    /// What it includes.
    pub fn headers(self) -> &'static [&'static str] {
        match self {
            Helper::Check | Helper::Show => &["cstdlib", "iostream"],
            Helper::Random => &["cstdint"],
            Helper::Read | Helper::Write => &["cstdio", "cstdlib", "iostream"],
            Helper::Differing => &["cmath", "iostream"],
        }
    }

    /// Its definition by another name.
    pub fn named(self, name: &str) -> String {
        self.text().replace(&format!("{}(", self.name()), &format!("{name}("))
    }

    fn text(self) -> &'static str {
        match self {
            Helper::Check => CHECK,
            Helper::Random => RANDOM,
            Helper::Read => READ,
            Helper::Write => WRITE,
            Helper::Differing => DIFFERING,
            Helper::Show => SHOW,
        }
    }
}

const CHECK: &str = r#"
// Ends the program where a call of the CUDA runtime fails.
#define CHECK(...)                                                                                  \
    do {                                                                                            \
        const cudaError_t status = __VA_ARGS__;                                                     \
        if (status != cudaSuccess) {                                                                \
            std::cerr << __FILE__ << ':' << __LINE__ << ": " << cudaGetErrorString(status) << '\n'; \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)
"#;

/// As `reduction::data::bits` and `fill::by_chance` have them.
const RANDOM: &str = r#"
// Random number i of those that a seed gives, at least 0 and less than 1 (SplitMix64).
static double randomUnit(uint64_t seed, uint64_t i)
{
    uint64_t bits = seed + (i + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return (bits >> 11) / 9007199254740992.0; // 53 bits, divided by 2^53
}
"#;

const READ: &str = r#"
// Fills an array with the bytes of a file, which must be of the same size.
template <typename T> void readFile(const char *name, std::vector<T> &elements)
{
    FILE *file = std::fopen(name, "rb");
    const size_t count = file ? std::fread(elements.data(), sizeof(T), elements.size(), file) : 0;
    if (!file || count != elements.size() || std::fgetc(file) != EOF) {
        const size_t bytes = elements.size() * sizeof(T);
        std::cerr << name << " cannot be read, or does not have " << bytes << " bytes\n";
        std::exit(1);
    }
    std::fclose(file);
}
"#;

const WRITE: &str = r#"
// Writes the bytes of an array to a file.
template <typename T> void writeFile(const char *name, const std::vector<T> &elements)
{
    FILE *file = std::fopen(name, "wb");
    const size_t count = file ? std::fwrite(elements.data(), sizeof(T), elements.size(), file) : 0;
    if (!file || count != elements.size() || std::fclose(file) != 0) {
        std::cerr << name << " cannot be written\n";
        std::exit(1);
    }
}
"#;

/// As `held::Element::is` judges.
const DIFFERING: &str = r#"
// Counts the elements from `first` to before `end` that are not as expected, and prints the first of
// them. A float may be off by `within` times the expected value, or by `within` if that is below 1.
template <typename T>
size_t differing(const char *name, const std::vector<T> &actual, const std::vector<T> &expected,
                 size_t first, size_t end, double within)
{
    size_t count = 0;
    for (size_t i = first; i < end; ++i) {
        const double is = actual[i];
        const double wanted = expected[i];
        const double allowed = within * std::fmax(std::fabs(wanted), 1.0);
        const bool isClose = within > 0 && std::fabs(is - wanted) <= allowed;
        if (actual[i] == expected[i] || isClose || (std::isnan(is) && std::isnan(wanted)))
            continue;
        if (count == 0)
            std::cout << name << '[' << i << "] is " << +actual[i] << ", expected " << +expected[i] << '\n';
        ++count;
    }
    return count;
}
"#;

const SHOW: &str = r#"
// Prints the first elements of an array.
template <typename T> void show(const char *name, const std::vector<T> &elements)
{
    const size_t shown = elements.size() < 8 ? elements.size() : 8;
    std::cout << name << ':';
    for (size_t i = 0; i < shown; ++i)
        std::cout << ' ' << +elements[i];
    std::cout << (shown < elements.size() ? " ...\n" : "\n");
}
"#;
