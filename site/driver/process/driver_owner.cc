// A daemon that process_recovery_test starts and kills with SIGKILL; the test then inspects what is
// left with a driver of its own. driver_owner FOLDER ACCOUNT CGROUPS TOKEN=COMMAND... : switches to
// ACCOUNT ("": does not), starts the parts and prints one line per start, refusal and end until it
// is killed or no event has come for a minute.
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "site/driver/process/process_driver.h"

namespace {

using namespace muster;
using namespace muster::driver;

bool Become(const char* name) {
  if (*name == '\0') return true;
  const passwd* account = getpwnam(name);
  return account != nullptr && setgroups(0, nullptr) == 0 && setgid(account->pw_gid) == 0 &&
         setuid(account->pw_uid) == 0;
}

StartPart PartOf(const std::string& folder, const std::string& argument) {
  const size_t equals = argument.find('=');
  StartPart part{
      .token = argument.substr(0, equals),
      .part_name = "42." + argument.substr(0, equals),
      .user = "kim",
      .place = {.index = 1, .chunks = {{.node = "n1", .resources = {{"ncpus", 1}, {"ngpus", 1}}}}},
      .not_after = Instant{time(nullptr)} + Span{60},
      .walltime = Span{60}};
  part.payload.argv = {"sh", "-c", argument.substr(equals + 1)};
  part.payload.submit_dir = folder;
  return part;
}

void Say(const Event& event) {
  if (const auto* started = std::get_if<PartStarted>(&event))
    std::printf("started %s\n", started->token.c_str());
  if (const auto* none = std::get_if<PartNotStarted>(&event))
    std::printf("refused %s: %s\n", none->token.c_str(), none->why.c_str());
  if (const auto* ended = std::get_if<PartEnded>(&event))
    std::printf("ended %s %d\n", ended->token.c_str(), ended->end.exit_code.value_or(-1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string folder = argv[1];
  std::string shepherd(4096, '\0');
  shepherd.resize(readlink("/proc/self/exe", shepherd.data(), shepherd.size()));
  shepherd = shepherd.substr(0, shepherd.rfind('/')) + "/../bin/muster-shepherd";
  if (!Become(argv[2])) return 3;
  ProcessOptions options{.state_dir = folder + "/state",
                         .shepherd = shepherd,
                         .cgroups = std::strcmp(argv[3], "cgroups") == 0};
  auto driver = ProcessDriver::Open(options);
  if (!driver.ok()) {
    std::printf("%s\n", std::string(Text(driver.status())).c_str());
    return 4;
  }
  for (int i = 4; i < argc; ++i) (*driver)->Do(PartOf(folder, argv[i]));
  for (;;) {
    pollfd wait = {(*driver)->EventFd(), POLLIN, 0};
    if (poll(&wait, 1, 60'000) <= 0) return 0;
    for (const Event& event : (*driver)->Take()) Say(event);
    std::fflush(stdout);
  }
}
