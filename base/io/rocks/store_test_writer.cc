// Commits numbered batches for ever, and writes each number to standard output once it is
// acknowledged. The store's test kills it. Usage: store_test_writer FOLDER FIRST
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "base/io/rocks/store.h"

int main(int argc, char** argv) {
  MUSTER_CHECK(argc == 3);
  const auto store = muster::io::OpenStore({.folder = argv[1], .create = true, .ballast_bytes = 0});
  MUSTER_CHECK(store.ok());
  for (uint64_t number = std::strtoull(argv[2], nullptr, 10);; ++number) {
    const std::string text = std::to_string(number);
    const std::string filling(number % 5000, 'x');
    MUSTER_CHECK((*store)
                     ->Commit({{"left/" + text, text + filling},
                               {"right/" + text, text + filling},
                               {"last", text}})
                     .ok());
    MUSTER_CHECK(write(STDOUT_FILENO, &number, sizeof number) == sizeof number);
  }
}
