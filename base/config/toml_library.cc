// toml++ compiled once, into this library: Debian's own is a shared one that every call of the
// command would load.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
