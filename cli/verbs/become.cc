// The input is a file without a name, since nobody is left to write into a pipe.
#include "cli/verbs/become.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>

namespace muster::cli {

Result Become(const std::string& program, const std::vector<std::string>& words) {
  const std::string path = ProgramFolder() + "/" + program;
  std::vector<std::string> copies = {program};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  const std::string help = "it belongs beside this program";
  return Fail("internal", "cannot run " + path + ": " + strerror(errno),
              program == "muster-sim" ? help + "; in a checkout './dev build' makes it" : help);
}

Result BecomeWith(const std::string& input, const std::string& program,
                  const std::vector<std::string>& words) {
  std::FILE* const file = std::tmpfile();
  const bool written = file != nullptr &&
                       std::fwrite(input.data(), 1, input.size(), file) == input.size() &&
                       std::fflush(file) == 0;
  if (!written || lseek(fileno(file), 0, SEEK_SET) != 0 || dup2(fileno(file), STDIN_FILENO) < 0) {
    return Fail("internal", std::string("no temporary file: ") + strerror(errno));
  }
  std::fflush(stdout);
  return Become(program, words);
}

}  // namespace muster::cli
