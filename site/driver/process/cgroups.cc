// Finds the hierarchies in /proc/self/mountinfo and the daemon's own place in /proc/self/cgroup.
#include "site/driver/process/cgroups.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace muster::driver {
namespace {

constexpr int64_t kPeriodUs = 100'000;  // of the CPU quota; the kernel's default
// Without cgroup.kill: each round kills the processes forked since the one before.
constexpr int kKillRounds = 20;
constexpr int kRemoveTries = 50;  // a killed process leaves its group with a delay
constexpr int kRemoveApartMs = 2;

bool WriteFile(const std::string& path, const std::string& value) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool whole = write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  const int error = errno;
  close(fd);
  errno = error;
  return whole;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Split(const std::string& text, char by) {
  std::vector<std::string> pieces;
  std::istringstream stream(text);
  for (std::string piece; std::getline(stream, piece, by);) pieces.push_back(piece);
  return pieces;
}

bool Holds(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

struct Hierarchy {
  std::string own;  // folder of the daemon's own cgroup
  bool unified = false;
  std::vector<std::string> controllers;  // version 1 only
};

// The daemon's own path in the hierarchy of this controller ("": version 2); "/" if it is not
// listed.
std::string OwnPath(const std::string& controller) {
  for (const std::string& line : Split(ReadFile("/proc/self/cgroup"), '\n')) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    if (names == controller || (!controller.empty() && Holds(Split(names, ','), controller))) {
      return line.substr(second + 1);
    }
  }
  return "/";
}

// A line of mountinfo: "ID PARENT DEV ROOT POINT OPTIONS ... - TYPE SOURCE SUPER_OPTIONS".
std::vector<Hierarchy> FindHierarchies() {
  std::vector<Hierarchy> found;
  for (const std::string& line : Split(ReadFile("/proc/self/mountinfo"), '\n')) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> left = Split(line.substr(0, dash), ' ');
    const std::vector<std::string> right = Split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3) continue;
    Hierarchy hierarchy{.unified = right[0] == "cgroup2"};
    if (right[0] == "cgroup") {
      for (const std::string& option : Split(right[2], ',')) {
        const bool used = option == "memory" || option == "cpu" || option == "freezer";
        if (used) hierarchy.controllers.push_back(option);
      }
    }
    if (!hierarchy.unified && hierarchy.controllers.empty()) continue;
    std::string own = OwnPath(hierarchy.unified ? "" : hierarchy.controllers.front());
    const std::string& root = left[3];
    if (root != "/" && own.starts_with(root)) own = own.substr(root.size());
    hierarchy.own = left[4] + (own == "/" ? "" : own);
    if (!std::filesystem::is_directory(hierarchy.own)) hierarchy.own = left[4];
    found.push_back(std::move(hierarchy));
  }
  return found;
}

// Version 2 passes controllers on only from a group that has no processes of its own, or from the
// root group. A daemon that is alone in its group (a service with Delegate=yes) moves itself one
// level down. A daemon that shares another group than the root group gets no controllers.
void GiveControllers(const std::string& own, const std::string& parent) {
  const std::vector<std::string> there = Split(ReadFile(own + "/cgroup.controllers"), ' ');
  std::string wanted;
  for (const std::string name : {"memory", "cpu"}) {
    const bool has = std::any_of(there.begin(), there.end(), [&](const std::string& c) {
      return c == name || c == name + "\n";
    });
    if (has) wanted += (wanted.empty() ? "+" : " +") + name;
  }
  if (wanted.empty()) return;
  if (!WriteFile(own + "/cgroup.subtree_control", wanted)) {
    const std::string self = std::to_string(getpid());
    if (errno != EBUSY ||
        Split(ReadFile(own + "/cgroup.procs"), '\n') != std::vector<std::string>{self})
      return;
    const std::string daemon = own + "/daemon";
    mkdir(daemon.c_str(), 0755);
    if (!WriteFile(daemon + "/cgroup.procs", self)) return;
    if (!WriteFile(own + "/cgroup.subtree_control", wanted)) return;
  }
  WriteFile(parent + "/cgroup.subtree_control", wanted);
}

std::vector<pid_t> ProcessesIn(const std::string& group) {
  std::vector<pid_t> pids;
  for (const std::string& line : Split(ReadFile(group + "/cgroup.procs"), '\n')) {
    if (const int pid = std::atoi(line.c_str()); pid > 0) pids.push_back(pid);
  }
  return pids;
}

}  // namespace

Cgroups Cgroups::Detect(const std::string& name) {
  std::vector<GroupParent> parents;
  bool memory = false;
  bool cpu = false;
  std::string trouble;
  const std::vector<Hierarchy> hierarchies = FindHierarchies();
  if (hierarchies.empty()) trouble = "no cgroup file system is mounted";
  for (const Hierarchy& hierarchy : hierarchies) {
    GroupParent parent{.path = hierarchy.own + "/" + name, .unified = hierarchy.unified};
    if (mkdir(parent.path.c_str(), 0755) != 0 && errno != EEXIST) {
      trouble = hierarchy.own + ": " + std::strerror(errno);
      continue;
    }
    if (access(parent.path.c_str(), W_OK) != 0) {
      trouble = parent.path + ": " + std::strerror(errno);
      continue;
    }
    if (hierarchy.unified) {
      GiveControllers(hierarchy.own, parent.path);
      const std::string given = ReadFile(parent.path + "/cgroup.subtree_control");
      parent.memory = given.find("memory") != std::string::npos;
      parent.cpu = Holds(Split(given.substr(0, given.find('\n')), ' '), "cpu");
    } else {
      parent.memory = Holds(hierarchy.controllers, "memory");
      parent.cpu = Holds(hierarchy.controllers, "cpu");
      parent.freezer = Holds(hierarchy.controllers, "freezer");
    }
    memory |= parent.memory;
    cpu |= parent.cpu;
    parents.push_back(std::move(parent));
  }
  std::stable_sort(parents.begin(), parents.end(), [](const GroupParent& a, const GroupParent& b) {
    return a.unified > b.unified;
  });
  if (trouble.empty()) trouble = "not given to the daemon's cgroup";
  std::string note = "cgroups limit mem and ncpus";
  if (!memory || !cpu) {
    note = memory ? "cgroups limit mem, but not ncpus: "
           : cpu  ? "cgroups limit ncpus, but not mem: "
                  : "no cgroup limits: ";
    note += trouble;
  }
  return Cgroups(std::move(parents), std::move(note));
}

std::vector<PartGroup> Cgroups::GroupsFor(const std::string& token, const ResourceSet& amounts,
                                          const ResourceSet& machine) const {
  const auto limit = [&](const char* resource) {
    const int64_t amount = amounts.Get(resource);
    const int64_t most = machine.Get(resource);
    return amount > 0 && (most == 0 || amount < most) ? amount : 0;
  };
  const int64_t mem = limit("mem");
  const int64_t ncpus = limit("ncpus");
  std::vector<PartGroup> groups;
  for (const GroupParent& parent : parents_) {
    PartGroup group{.path = parent.path + "/" + token, .unified = parent.unified};
    if (parent.memory && mem > 0) {
      group.limits.emplace_back(parent.unified ? "memory.max" : "memory.limit_in_bytes",
                                std::to_string(mem));
    }
    if (parent.cpu && ncpus > 0) {
      const std::string quota = std::to_string(ncpus * kPeriodUs);
      if (parent.unified) {
        group.limits.emplace_back("cpu.max", quota + " " + std::to_string(kPeriodUs));
      } else {
        group.limits.emplace_back("cpu.cfs_quota_us", quota);
      }
    }
    // A version 1 group without limits is left out, unless the part would have no group at all to
    // track it by, or none to be paused by: a version 2 group comes first, and can be frozen.
    const bool tracks = parent.unified || (groups.empty() && &parent == &parents_.back());
    const bool freezes = parent.freezer && (groups.empty() || !groups.front().unified);
    if (tracks || freezes || !group.limits.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

void Cgroups::RemoveEmpty() const {
  for (const GroupParent& parent : parents_) rmdir(parent.path.c_str());
}

void LimitAnew(const std::vector<PartGroup>& groups) {
  for (const PartGroup& group : groups) {
    for (const auto& [file, value] : group.limits) WriteFile(group.path + "/" + file, value);
  }
}

ResourceSet ThisMachine() {
  ResourceSet machine;
  machine.Set("ncpus", sysconf(_SC_NPROCESSORS_ONLN));
  machine.Set("mem", int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
  return machine;
}

bool KillLeftIn(const std::vector<PartGroup>& groups) {
  bool any = false;
  // What is frozen in a version 1 group dies of its KILL only once it is thawed; it may be in
  // several groups.
  for (const PartGroup& group : groups) {
    const std::string state = group.path + "/freezer.state";
    if (group.unified || ReadFile(state).starts_with("THAWED")) continue;
    for (const pid_t pid : ProcessesIn(group.path)) kill(pid, SIGKILL);
    WriteFile(state, "THAWED");
  }
  for (const PartGroup& group : groups) {
    if (access(group.path.c_str(), F_OK) != 0) continue;
    any = true;
    if (!WriteFile(group.path + "/cgroup.kill", "1")) {
      for (int round = 0; round < kKillRounds; ++round) {
        const std::vector<pid_t> pids = ProcessesIn(group.path);
        if (pids.empty()) break;
        for (const pid_t pid : pids) kill(pid, SIGKILL);
      }
    }
    for (int tries = 0; rmdir(group.path.c_str()) != 0 && tries < kRemoveTries; ++tries) {
      poll(nullptr, 0, kRemoveApartMs);
    }
  }
  return any;
}

void KillMarked(const std::string& mark) {
  const std::string wanted = mark + '\0';
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 1 || pid == getpid()) continue;
    const std::string environment = '\0' + ReadFile(entry.path().string() + "/environ");
    if (environment.find('\0' + wanted) != std::string::npos) kill(pid, SIGKILL);
  }
}

}  // namespace muster::driver
