// All consist of stages; a model says how fast one goes, and what it draws.
#include "sim/app/models.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/check.h"

namespace muster::sim {
namespace {

using driver::AppState;
using driver::AppStep;
using driver::Draws;
using driver::Environment;
using driver::Media;

constexpr int64_t kFull = 1000;               // full speed, and a whole, in thousandths
constexpr int64_t kWorkInMillisecond = 1000;  // at full speed, in microseconds
constexpr int64_t kMegabytesOfWork = 1'000'000;

class Staged : public driver::Application {
 public:
  AppState Initialise(const driver::StartPart& start, BootSpan runs, const Media& media,
                      BootInstant now) const override {
    AppState state{.as_of = now};
    std::set<std::string> nodes;
    int64_t processors = 0;
    for (const schemas::ChunkPlace& chunk : start.place.chunks) {
      processors += chunk.resources.Get("ncpus");
      nodes.insert(chunk.node);
    }
    state.began_with = std::max<int64_t>(processors, 1);
    state.nodes = static_cast<int64_t>(nodes.size());
    state.stages = StagesOf(runs.milliseconds * kWorkInMillisecond, media);
    state.left = state.stages[0];
    return state;
  }
  Draws DrawsOf(const AppState&) const override { return {}; }
  AppStep Update(AppState& state, const Environment& around, BootInstant now) const override {
    const int64_t elapsed = (now - state.as_of).milliseconds;
    state.left -= state.rate * elapsed;
    if (IsBusy(state)) state.busy += elapsed;
    state.as_of = now;
    while (state.left <= 0 && !state.done) {
      if (state.stage + 1 == state.stages.size()) {
        state.done = true;
      } else {
        state.left = state.stages[++state.stage];
      }
    }
    AppStep step{.wants = Wants(state, around)};
    if (state.done) return step;
    state.rate = std::clamp<int64_t>(RateIn(state, around), 1, kFull * kFull);
    step.next = BootSpan{(state.left + state.rate - 1) / state.rate};
    return step;
  }
  BootSpan Finalise(const AppState& state, BootSpan elapsed) const override {
    return BootSpan{std::min(state.busy, elapsed.milliseconds)};
  }

 protected:
  virtual std::array<int64_t, 3> StagesOf(int64_t work, const Media&) const { return {work, 0, 0}; }
  virtual bool IsBusy(const AppState&) const { return true; }
  virtual int64_t RateIn(const AppState&, const Environment&) const { return kFull; }
  virtual int64_t Wants(const AppState&, const Environment&) const { return 0; }
};

// Speed of who waits for a medium for this share of its time, and longer where it is busier.
int64_t Slowed(int64_t share, int64_t load) {
  return kFull * kFull / (kFull - share + share * std::max(load, kFull) / kFull);
}

class NetworkProgram : public Staged {
 public:
  explicit NetworkProgram(const config::AppConfig& app)
      : share_(app.share), bandwidth_(app.bandwidth) {}
  Draws DrawsOf(const AppState& state) const override {
    return {.network = state.nodes > 1 ? bandwidth_ : 0};
  }

 protected:
  int64_t RateIn(const AppState& state, const Environment& around) const override {
    return state.nodes > 1 ? Slowed(share_, around.network_load) : kFull;
  }

 private:
  int64_t share_;
  int64_t bandwidth_;
};

class MemoryProgram : public Staged {
 public:
  explicit MemoryProgram(const config::AppConfig& app)
      : share_(app.share), bandwidth_(app.bandwidth) {}
  Draws DrawsOf(const AppState&) const override { return {.memory = bandwidth_}; }

 protected:
  int64_t RateIn(const AppState&, const Environment& around) const override {
    return Slowed(share_, around.memory_load);
  }

 private:
  int64_t share_;
  int64_t bandwidth_;
};

// Work of reading and writing is what it takes with all of the storage; the rest of its run time
// alone it computes.
class StagedIo : public Staged {
 public:
  explicit StagedIo(const config::AppConfig& app) : reads_(app.reads), writes_(app.writes) {}
  Draws DrawsOf(const AppState& state) const override { return {.storage = !IsBusy(state)}; }

 protected:
  std::array<int64_t, 3> StagesOf(int64_t work, const Media& media) const override {
    const int64_t reads = reads_ * kMegabytesOfWork / media.storage;
    const int64_t writes = writes_ * kMegabytesOfWork / media.storage;
    return {reads, std::max<int64_t>(work - reads - writes, 0), writes};
  }
  bool IsBusy(const AppState& state) const override { return state.stage == 1; }
  int64_t RateIn(const AppState& state, const Environment& around) const override {
    return IsBusy(state) ? kFull : kFull / std::max<int64_t>(around.storage_sharers, 1);
  }

 private:
  int64_t reads_;
  int64_t writes_;
};

class MalleableProgram : public Staged {
 public:
  explicit MalleableProgram(const config::AppConfig& app)
      : serial_(app.serial), times_(app.times) {}

 protected:
  int64_t RateIn(const AppState& state, const Environment& around) const override {
    return SpeedUp(around.processors) * kFull / SpeedUp(state.began_with);
  }
  int64_t Wants(const AppState& state, const Environment&) const override {
    if (state.done) return 0;
    int64_t wants = state.began_with;
    const int64_t most = state.began_with * times_;
    while (wants < most && 2 * SpeedUp(wants + 1) >= (wants + 1) * kPrecise) ++wants;
    return wants;
  }

 private:
  static constexpr int64_t kPrecise = 1'000'000;
  // S(n), in millionths.
  int64_t SpeedUp(int64_t processors) const {
    const int64_t parallel = kFull - serial_;
    return kPrecise * kFull * processors / (serial_ * processors + parallel);
  }

  int64_t serial_;
  int64_t times_;
};

}  // namespace

std::unique_ptr<const driver::Application> ModelOf(const config::AppConfig& app) {
  if (app.model == "network") return std::make_unique<NetworkProgram>(app);
  if (app.model == "memory") return std::make_unique<MemoryProgram>(app);
  if (app.model == "staged") return std::make_unique<StagedIo>(app);
  if (app.model == "malleable") return std::make_unique<MalleableProgram>(app);
  MUSTER_CHECK(app.model == "fixed");
  return std::make_unique<Staged>();
}

}  // namespace muster::sim
