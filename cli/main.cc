// The `muster` command.
#include <string>
#include <vector>

#include "cli/command.h"

int main(int argc, char** argv) { return muster::cli::Run({argv + 1, argv + argc}); }
