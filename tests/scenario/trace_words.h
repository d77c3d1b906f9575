// The words of the protocol's tables in traces of scenarios, and times as numbers that can be read:
// seconds after the scenario's zero.
#pragma once

#include <array>
#include <string>

#include "base/interval.h"
#include "base/time.h"
#include "schemas/reasons.h"

namespace muster::scenario {

inline constexpr std::array kHoldStates = {"none",      "held",      "prepared",
                                           "committed", "permitted", "closed"};
inline constexpr std::array kClosedAs = {"", " released", " expired", " dropped", " ended"};
inline constexpr std::array kPartStates = {"booked",  "ready",  "starting",
                                           "running", "ending", "ended"};
inline constexpr std::array kStarted = {"no", "yes", "unknown"};
inline constexpr std::array kEndedBy = {"",       "exit", "walltime", "release", "failed_to_start",
                                        "unknown"};
inline constexpr std::array kAnswers = {"unknown", "countered", "stale", "present"};
inline constexpr std::array kVerdicts = {"accepted", "countered", "never", "blocked", "unanswered"};
inline constexpr std::array kCauses = {
    "none",        "node_lost",   "operator",  "preempted", "overrun",    "policy_changed",
    "clock",       "forgot",      "disk_full", "site_down", "no_permit",  "late",
    "site_silent", "meta_outage", "partner",   "user",      "backfilled", "joint",
    "overtaken",   "packed",      "site",      "home",      "local"};

template <size_t N, class E>
std::string Word(const std::array<const char*, N>& words, E value) {
  return words.at(static_cast<size_t>(value));
}

// Formats that the traces of sites and of the meta share.
class TraceWords {
 public:
  explicit TraceWords(Instant zero) : zero_(zero) {}

  std::string At(Instant t) const {
    return t == kFarFuture ? "never" : std::to_string((t - zero_).seconds);
  }
  std::string At(Moment t) const {
    const int64_t ms = t.milliseconds - ToMoment(zero_).milliseconds;
    std::string text = std::to_string(ms / 1000);
    if (ms % 1000 != 0) text += "+" + std::to_string(ms % 1000) + "ms";
    return text;
  }
  // "10-20,30-"
  std::string Starts(const IntervalSet& set) const {
    std::string text;
    for (const Interval& i : set.intervals()) {
      if (!text.empty()) text += ",";
      text += At(i.begin) + "-" + (i.end == kFarFuture ? "" : At(i.end));
    }
    return text;
  }
  // " cause=preempted(2)", " cause=partner(lakes: preempted 2)"; "" for none.
  std::string Cause(const schemas::Cause& cause) const {
    if (cause.code == schemas::CauseCode::kNone) return "";
    std::string text = " cause=" + Word(kCauses, cause.code);
    std::string about;
    if (cause.code == schemas::CauseCode::kPartner) about = cause.subject.site;
    if (cause.because != schemas::CauseCode::kNone) about += ": " + Word(kCauses, cause.because);
    if (!cause.subject.job.empty()) about += (about.empty() ? "" : " ") + cause.subject.job;
    return about.empty() ? text : text + "(" + about + ")";
  }

 private:
  Instant zero_;
};

}  // namespace muster::scenario
