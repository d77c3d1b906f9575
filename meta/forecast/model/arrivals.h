// The arrivals of the past weeks, which come again in sampled futures: as whole weeks, so that
// bursts, hours of the day and days of the week stay as they were. scheduling.md section 6
// (Forward).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/resources.h"
#include "base/time.h"

namespace muster::forecast {

// A past arrival, as it was booked at its sites.
struct Newcomer {
  struct Piece {
    std::string site;
    ResourceSet amounts;
    Span offset;
    Span length;  // booked length
  };
  std::string queue;
  std::vector<Piece> pieces;
};

class Arrivals {
 public:
  using Job = uint64_t;
  // By time, and among those of one second in order of submission.
  using Key = std::pair<Instant, Job>;
  struct Past {
    Newcomer who;
    std::optional<Span> ran;  // at reference speed; none until it has ended
  };

  static constexpr int64_t kWeeks = 4;         // past weeks that may come again
  static constexpr size_t kMostKept = 50'000;  // latest arrivals kept

  // The request came at this time. Calls need not be in order of time.
  void Learn(Job job, Instant at, Newcomer who);
  // It ran for this long.
  void Ended(Job job, Span ran);
  // It ended without running to its end, so it is as if it had never come.
  void Forget(Job job);

  // By how much the past is shifted in this future: a whole number of weeks, from one to kWeeks,
  // that the record reaches back; whole days before the first week is over; none on the first day.
  std::optional<Span> ShiftOf(uint64_t seed, uint32_t sample, Instant now) const;
  // The first arrival after `key` that has ended; null if there is none.
  const std::pair<const Key, Past>* After(const Key& key) const;

  size_t kept() const { return past_.size(); }

 private:
  void Erase(std::map<Key, Past>::iterator at);

  std::map<Key, Past> past_;
  std::map<Job, Instant> came_;  // of those in past_
};

}  // namespace muster::forecast
