// A timer descriptor is set to the machine's next event, so that the daemon's wait ends when
// something happens.
#include "site/shell/timed_simulation.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "site/driver/simulated/simulated_driver.h"

namespace muster::site {
namespace {

class Simulation : public driver::Driver {
 public:
  Simulation(io::Clock& clock, int timer) : clock_(clock), timer_(timer) {
    machine_.Advance(clock_.Read());
  }
  ~Simulation() override { close(timer_); }
  const driver::Facts& facts() const override { return machine_.facts(); }

  void Do(const driver::Command& command) override {
    machine_.Advance(clock_.Read());
    machine_.Do(command);
    Arm();
  }
  std::vector<driver::Event> Take() override {
    uint64_t fired = 0;
    [[maybe_unused]] const ssize_t read_bytes =
        read(timer_, &fired, sizeof fired);  // only ends the readable state of the descriptor
    machine_.Advance(clock_.Read());
    std::vector<driver::Event> events = machine_.Take();
    Arm();
    return events;
  }
  int EventFd() const override { return timer_; }

 private:
  void Arm() {
    itimerspec when{};
    const std::optional<BootInstant> next = machine_.Next();
    if (next || machine_.HasEvents()) {
      const BootSpan wait = machine_.HasEvents() ? BootSpan{} : *next - clock_.Read().boot;
      const int64_t ms = std::max<int64_t>(wait.milliseconds, 1);
      when.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000};
    }
    timerfd_settime(timer_, 0, &when, nullptr);
  }

  io::Clock& clock_;
  const int timer_;
  driver::SimulatedMachine machine_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<driver::Driver>> TimedSimulation(io::Clock& clock) {
  const int timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (timer < 0) return Internal("cannot make a timer for the simulated driver");
  return std::make_unique<Simulation>(clock, timer);
}

}  // namespace muster::site
