// Compiles toml++ into this library. Debian ships it as a shared library, which every call of the
// command would have to load.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
