#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cctype>
#include <cerrno>
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void bye() { printf("bye\n"); }
static void last() { printf("last\n"); }
struct Row { char name[12]; int key; };
static int by_key(const void *a, const void *b) { return ((const Row *)a)->key - ((const Row *)b)->key; }
int main()
{
    printf("%5d|%-5d|%05d|%+d|% d|%x|%#x|%#o|%X\n", 42, 42, 42, 42, 42, 255, 255, 8, 48879);
    printf("%ld %lld %lu %zu %hd %hhu %c %s %.2s %8s|%-8s|%%\n", -1L, 1LL << 40, ~0UL, sizeof(int), 70000,
        300, 'x', "text", "cut", "right", "left");
    printf("%f %.3f %e %g %g %g %G %10.2f|%-10.2f|%a\n", 1.5, 2.0 / 3, 12345.678, 1e-5, 100000.0, 1e6, 1e-10,
        3.14159, 3.14159, 0.1);
    printf("%f %F %5.1f %.0f %.0f %g\n", 1.0 / 0.0, -1.0 / 0.0, 0.25, 0.5, 1.5, 0.1 + 0.2);
    printf("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 2, 2.345);
    printf("Größe: \xc2\xb5s \xff|%p|%s|\n", (void *)0, "ü");
    fprintf(stderr, "to stderr\n");
    fputs("fputs ", stdout); putchar('p'); putc('q', stdout); fputc('\n', stdout); puts("puts");
    char buffer[64];
    int n = snprintf(buffer, 8, "%s", "long text here");
    printf("%d [%s]\n", n, buffer);
    sprintf(buffer, "%d-%d", 3, 4); puts(buffer);
    // scanning
    int a, b; float f; double d; char word[16], c; long l; unsigned u;
    n = sscanf(" 12 0x1f name 2.5 -1e3 7", "%d %x %15s %f %lf %c", &a, &u, word, &f, &d, &c);
    printf("%d: %d %u %s %g %g %c\n", n, a, u, word, f, d, c);
    n = sscanf("10:20,abc-99999999999", "%d:%d,%[a-z]%ld%n", &a, &b, word, &l, &u);
    printf("%d: %d %d %s %ld %u\n", n, a, b, word, l, u);
    printf("%d ", sscanf("", "%d", &a)); printf("%d\n", sscanf("x", "%d", &a));
    // numbers
    char *end;
    printf("%d %ld %ld %ld\n", atoi(" -17x"), strtol("0x1Fz", &end, 0), atol("123456789012"), strtol("zz",
        NULL, 36));
    printf("[%s]\n", end);
    errno = 0; l = strtol("99999999999999999999", &end, 10); printf("%ld %d %s\n", l, errno == ERANGE,
        strerror(errno));
    printf("%lu %llu\n", strtoul("4294967296", NULL, 10), strtoull("-1", NULL, 10));
    printf("%g %g %g %.9g\n", strtod("1.5e3xyz", &end), atof("-0.25"), strtod("inf", NULL), strtof("0.1",
        NULL));
    printf("[%s]\n", end);
    // strings
    char text[64] = "hello";
    strcat(text, ", "); strncat(text, "world!!", 5); printf("%s %zu\n", text, strlen(text));
    printf("%d %d %d %d\n", strcmp("a", "b") < 0, strcmp("b", "a") > 0, strncmp("abc", "abd", 2),
        strcasecmp("HeLLo", "hEllO"));
    printf("%s %s %s %s\n", strchr(text, 'o'), strrchr(text, 'o'), strstr(text, "wor"), strpbrk(text, ",w"));
    printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("aabbc", "c"), strchr(text,
        'z') ? "found" : "none");
    char list[] = "one,two;;three", *rest;
    for (char *t = strtok(list, ",;"); t; t = strtok(NULL, ",;")) printf("<%s>", t);
    char list2[] = "k=v k2=v2";
    for (char *t = strtok_r(list2, " ", &rest); t; t = strtok_r(NULL, " ", &rest)) printf("{%s}", t);
    char *copy = strdup("copied"); printf(" %s\n", copy); free(copy);
    memset(buffer, 'z', 5); buffer[5] = 0; memmove(buffer + 1, buffer, 3); memcpy(buffer, "ab", 2);
    printf("%s %d %d\n", buffer, memcmp("abc", "abd", 3) < 0, memcmp("x", "x", 1));
    printf("%d\n", (int)((char *)memchr("abcdef", 'd', 6) - (char *)0 != 0));
    strncpy(text, "xy", 10); printf("%s %d\n", text, text[9]);
    for (const char *p = "aZ5 _\t"; *p; ++p) printf("%d%d%d%d%d%c ", !!isalpha(*p), !!isdigit(*p),
        !!isspace(*p), !!isupper(*p), !!ispunct(*p), toupper(*p));
    puts("");
    // random numbers
    for (int i = 0; i < 5; ++i) printf("%d ", rand());
    srand(42); printf("%d ", rand()); printf("%d ", rand());
    srand(2147483650u); printf("%d ", rand());
    unsigned seed = 7; printf("%d ", rand_r(&seed)); printf("%d ", rand_r(&seed));
    printf("%f ", drand48()); srand48(5); printf("%f ", drand48()); printf("%ld ", lrand48());
    printf("%ld\n", mrand48());
    // sorting
    int numbers[] = {5, 3, 9, 1, 7, 3, 8};
    qsort(numbers, 7, sizeof(int), by_value);
    for (int x : numbers) printf("%d ", x);
    int key = 8; int *found = (int *)bsearch(&key, numbers, 7, sizeof(int), by_value); printf("at %d\n",
        (int)(found - numbers));
    Row rows[] = {{"c", 3}, {"a", 1}, {"b", 1}, {"d", 0}};
    qsort(rows, 4, sizeof(Row), by_key); for (auto &r : rows) printf("%s%d ", r.name, r.key);
    int *grown = (int *)malloc(8); grown[0] = 1; grown[1] = 2; grown = (int *)realloc(grown, 16);
    grown[2] = 3; printf("%d%d%d\n", grown[0], grown[1], grown[2]); free(grown);
    int *zeros = (int *)calloc(3, 4); printf("%d %d\n", zeros[0], zeros[2]); free(zeros);
    // files
    FILE *file = fopen("out.txt", "w"); fprintf(file, "line %d\nsecond\n3 4.5\n", 1); fclose(file);
    file = fopen("out.txt", "r"); char line[32];
    while (fgets(line, sizeof line, file)) printf("> %s", line);
    printf("%d\n", !!feof(file)); rewind(file);
    fscanf(file, "%*s %d %s %d %lf", &a, word, &b, &d); printf("%d %s %d %g %ld\n", a, word, b, d,
        ftell(file));
    fseek(file, 5, SEEK_SET); c = fgetc(file); ungetc(c, file); printf("%c", c); printf("%c\n", fgetc(file));
    fseek(file, 0, SEEK_END); printf("%ld ", ftell(file)); printf("%d\n", fgetc(file));
    fclose(file);
    file = fopen("out.bin", "wb"); fwrite(numbers, sizeof(int), 7, file); fclose(file);
    int back[7]; file = fopen("out.bin", "rb"); printf("%zu ", fread(back, sizeof(int), 7, file));
    printf("%zu ", fread(back, sizeof(int), 1, file)); printf("%d %d\n", back[6], !!feof(file)); fclose(file);
    file = fopen("none/none", "r"); printf("%d %s\n", file == NULL, strerror(errno)); perror("fopen");
    int sum = 0; while (scanf("%d", &a) == 1) sum += a; printf("sum %d\n", sum);
    if (scanf("%15s", word) == 1) printf("%s\n", word);
    getchar(); while (fgets(line, sizeof line, stdin)) printf("in: %s", line);
    div_t d1 = div(-17, 5); ldiv_t d2 = ldiv(17, -5); printf("%d %d %ld %ld\n", d1.quot, d1.rem, d2.quot,
        d2.rem);
    int many = 3; char *room = (char *)__builtin_alloca(many * 4); memset(room, 'r', many); room[many] = 0;
    puts(room);
    printf("%s %d\n", getenv("NOT_THERE") ? "set" : "unset", abs(-3));
    atexit(last); atexit(bye);
    exit(3);
}
