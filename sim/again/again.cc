// Reads one frame after the other: creates a core, steps it, and compares its effects with those in
// the frame that follows.
#include "sim/again/again.h"

#include <optional>
#include <utility>

#include "meta/core.h"
#include "schemas/canonical_reader.h"
#include "sim/again/lines.h"
#include "site/core.h"

namespace muster::sim {
namespace {

using schemas::CoreOrigin;
using schemas::FrameKind;

// The differences between a meta's and a site's core.
struct MetaKind {
  using Core = meta::Core;
  using Event = meta::Event;
  using Effects = meta::Effects;
  using Record = schemas::MetaRecord;

  static absl::StatusOr<meta::Options> Options(const OptionsAgain& options,
                                               const CoreOrigin& origin, const Core*) {
    return options.meta(origin);
  }
  // Reload events are recorded with the text of the configuration; this parses it again.
  static absl::Status Complete(const OptionsAgain& options, const CoreOrigin& origin,
                               std::vector<Event>& events) {
    for (Event& event : events) {
      auto* again = std::get_if<meta::Reconfigured>(&event);
      if (again == nullptr || !again->fault.empty()) continue;
      MUSTER_ASSIGN_OR_RETURN(again->options, options.reread(origin, again->file));
    }
    return absl::OkStatus();
  }
};
struct SiteKind {
  using Core = site::Core;
  using Event = site::Event;
  using Effects = site::Effects;
  using Record = schemas::SiteRecord;

  static absl::StatusOr<site::Options> Options(const OptionsAgain& options,
                                               const CoreOrigin& origin, const Core* before) {
    MUSTER_ASSIGN_OR_RETURN(site::Options made, options.site(origin));
    if (before != nullptr && origin.reloaded) made = before->Measured(std::move(made));
    if (origin.reloaded) made.facts.finds_parts = true;  // the driver stayed
    return made;
  }
  static absl::Status Complete(const OptionsAgain&, const CoreOrigin&, std::vector<Event>&) {
    return absl::OkStatus();
  }
};

absl::Status Unreadable(size_t frame) {
  return InvalidArgument("frame " + std::to_string(frame) +
                         " cannot be understood: it was recorded by another version of muster, "
                         "and only the same one can take its turns again");
}

template <class Kind>
class Taker {
 public:
  explicit Taker(const OptionsAgain& options) : options_(options) {}

  absl::Status Take(size_t number, std::string_view frame) {
    schemas::CanonicalReader reader(frame);
    FrameKind kind{};
    reader.Get(kind);
    switch (kind) {
      case FrameKind::kBegan:
        return Began(number, reader);
      case FrameKind::kTurn:
        return Turn(number, reader);
      case FrameKind::kBatch:
        return Batch(number, frame, reader);
      case FrameKind::kSitePage:
      case FrameKind::kWhatIfOrder:
      case FrameKind::kWhatIfAnswer:
        break;
    }
    return Unreadable(number);
  }

  AgainResult Result() {
    result_.unfinished = effects_.has_value();
    return std::move(result_);
  }
  bool Differs() const { return !result_.difference.empty(); }

 private:
  absl::Status Began(size_t number, schemas::CanonicalReader& reader) {
    schemas::CoreBegan<typename Kind::Record> began;
    reader.Get(began);
    if (!reader.AtEnd()) return Unreadable(number);
    origin_ = std::move(began.origin);
    MUSTER_ASSIGN_OR_RETURN(auto options,
                            Kind::Options(options_, origin_, core_ ? &*core_ : nullptr));
    std::vector<std::pair<std::string, typename Kind::Record>> records;
    for (auto& write : began.records) {
      if (write.value) records.emplace_back(std::move(write.key), *std::move(write.value));
    }
    MUSTER_ASSIGN_OR_RETURN(core_, Kind::Core::Load(std::move(options), std::move(records),
                                                    {origin_.boot, origin_.wall}));
    effects_.reset();
    ++result_.cores;
    return absl::OkStatus();
  }

  absl::Status Turn(size_t number, schemas::CanonicalReader& reader) {
    schemas::CoreTurn<typename Kind::Event> turn;
    reader.Get(turn);
    if (!reader.AtEnd() || !core_) return Unreadable(number);
    MUSTER_RETURN_IF_ERROR(Kind::Complete(options_, origin_, turn.events));
    ++result_.turns;
    result_.events += turn.events.size();
    wall_ = turn.wall;
    effects_ = core_->Step({turn.boot, turn.wall}, turn.events);
    return absl::OkStatus();
  }

  absl::Status Batch(size_t number, std::string_view frame, schemas::CanonicalReader& reader) {
    if (!effects_) return Unreadable(number);
    const std::string again = schemas::FrameOf(FrameKind::kBatch, *effects_);
    result_.batch_bytes += again.size();
    if (again != frame) {
      typename Kind::Effects recorded;
      reader.Get(recorded);
      if (!reader.AtEnd()) return Unreadable(number);
      result_.difference =
          "turn " + std::to_string(result_.turns) + " at " + std::to_string(wall_.milliseconds) +
          " ms differs\n" +
          FirstDifference(LinesOf(recorded), "recorded", LinesOf(*effects_), "again");
    }
    effects_.reset();
    return absl::OkStatus();
  }

  const OptionsAgain& options_;
  CoreOrigin origin_;
  std::optional<typename Kind::Core> core_;
  std::optional<typename Kind::Effects> effects_;  // effects of the last turn, not yet compared
  Moment wall_;
  AgainResult result_;
};

template <class Kind>
absl::StatusOr<AgainResult> TakeAll(const std::vector<std::string>& frames,
                                    const OptionsAgain& options, const std::string& daemon) {
  Taker<Kind> taker(options);
  for (size_t i = 0; i < frames.size() && !taker.Differs(); ++i) {
    MUSTER_RETURN_IF_ERROR(taker.Take(i + 1, frames[i]));
  }
  AgainResult result = taker.Result();
  result.daemon = daemon;
  return result;
}

}  // namespace

absl::StatusOr<AgainResult> TakeAgain(const std::vector<std::string>& frames,
                                      const OptionsAgain& options) {
  if (frames.empty()) return InvalidArgument("nothing is recorded: not even how the core was made");
  schemas::CanonicalReader reader(frames.front());
  FrameKind kind{};
  CoreOrigin origin;
  reader.Get(kind);
  if (kind == FrameKind::kBegan) reader.Get(origin);
  if (!reader.ok()) return Unreadable(1);
  if (origin.daemon == "meta") return TakeAll<MetaKind>(frames, options, origin.daemon);
  if (origin.daemon == "site") return TakeAll<SiteKind>(frames, options, origin.daemon);
  return Unreadable(1);
}

}  // namespace muster::sim
