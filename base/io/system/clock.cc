// Reads the clocks by system calls, and the boot id from /proc.
#include "base/io/system/clock.h"

#include <time.h>

#include <fstream>
#include <string>

#include "base/check.h"

namespace muster::io {
namespace {

int64_t ReadMilliseconds(clockid_t clock) {
  timespec now{};
  MUSTER_CHECK(clock_gettime(clock, &now) == 0);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::string ReadBootId() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (std::getline(file, id) && !id.empty()) return id;
  const int64_t booted = ReadMilliseconds(CLOCK_REALTIME) - ReadMilliseconds(CLOCK_BOOTTIME);
  return "booted-" + std::to_string(booted / 1000);
}

class Machine final : public Clock {
 public:
  Now Read() override {
    return {.boot = {ReadMilliseconds(CLOCK_BOOTTIME)}, .wall = {ReadMilliseconds(CLOCK_REALTIME)}};
  }
  std::string BootId() override { return boot_id_; }

 private:
  const std::string boot_id_ = ReadBootId();
};

}  // namespace

std::unique_ptr<Clock> SystemClock() { return std::make_unique<Machine>(); }

}  // namespace muster::io
