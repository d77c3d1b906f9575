// Predicts run times, as a distribution for each request rather than one number. The distribution
// is a row of decisions, one a bucket: "does it end here, having come so far?". Nine counters each
// have an opinion; logistic mixing learns how much to trust each. What is learned from a request
// are the opinions at its submission, so nothing is learned with hindsight. scheduling.md section 6
// (Predictor).
//
// Equal calls in equal order give equal figures. Invariant: a request is live from Submit to End or
// Forget, and runs from Start to Stop or to the end of its life; its user's running requests are
// exactly the live ones that run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "meta/forecast/model/counters.h"
#include "meta/forecast/model/run_time.h"

namespace muster::forecast {

// What is on record of one request, from which a model is rebuilt.
struct PastRun {
  uint64_t job = 0;
  Shape shape;
  Moment submitted;
  std::optional<Moment> started;
  std::optional<Moment> ended;  // none while it waits or runs
  std::optional<Span> ran;      // none if its end says nothing about run times
  int64_t speed = 1000;         // of its nodes
};

class RunModel {
 public:
  using Job = uint64_t;

  // A model that went through these, in the order in which they came, started and ended. Only the
  // newest kRecalled of them, by submission, and those that run. Takes about 30 us each.
  static constexpr size_t kRecalled = 20'000;
  static RunModel Recalled(std::vector<PastRun> past);

  // The request came, or changed before it started. What is known of its run time at `at` is kept
  // until its end: at most kMostTerms bytes.
  void Submit(Job job, const Shape& shape, Instant at);
  // The request runs since `at`, on nodes of this speed in thousandths of the reference. Does
  // nothing if it is not live.
  void Start(Job job, Instant at, int64_t speed = 1000);
  // It does not run any more, and may start again.
  void Stop(Job job);
  // It ended by itself after `ran` at reference speed. Learns, and forgets the request.
  void End(Job job, Span ran);
  // It ended otherwise, which says nothing about run times.
  void Forget(Job job);

  // The distribution for a request of this shape that comes at `now`. Requests of the same user
  // that run count as outcomes beyond their elapsed times.
  RunTime Of(const Shape& shape, Instant now) const;
  // The distribution that was kept at submission. None if the request is not live.
  std::optional<RunTime> AsSubmitted(Job job) const;

  // The shape of a live request; null if it is not live.
  const Shape* ShapeOf(Job job) const;

  // Bytes kept for a live request are at most these: 1,600 if it asks for three days. Like requests
  // that come together share them.
  static constexpr size_t kMostTerms = (Counters::kCounters + 2) * kBuckets * sizeof(int16_t);
  size_t live() const { return live_.size(); }
  // How much more work, in processor-seconds, ended requests had been expected to do than they did:
  // expected over real, since the first outcome; 1 before it.
  double WorkRatio() const { return ran_work_ > 0 ? expected_work_ / ran_work_ : 1; }

 private:
  static constexpr size_t kZones = 3;    // near the limit, the first minute, between
  static constexpr size_t kClasses = 8;  // by how many outcomes a counter rests on
  // Fixed-point numbers in 2^-32, so that equal outcomes give equal bytes.
  using Fixed = int64_t;
  struct Weights {
    std::array<std::array<std::array<Fixed, kZones>, kClasses>, Counters::kCounters> counters;
    std::array<Fixed, kZones> base;
    std::array<Fixed, kZones> constant;
  };
  static Weights FirstWeights();

  // What the counters said of a request at one moment. By bucket: the logit of the base hazard,
  // then for each counter its distance from that, with the class of its weight.
  struct Terms {
    std::vector<int16_t> base;
    std::vector<uint16_t> counters;  // kCounters a bucket
  };
  // What was known at a submission. Like requests that come together share it.
  struct Noted {
    Terms terms;
    std::vector<int16_t> said;  // logits by bucket, as they were mixed then
    double expected = 0;        // mean run time in seconds
  };
  struct Live {
    Shape shape;
    std::shared_ptr<const Noted> noted;
    std::optional<Instant> since;
    int64_t speed = 1000;
  };

  Terms TermsOf(const Shape& shape, Instant now) const;
  double LogitOf(const Terms& terms, size_t bucket, size_t zone) const;
  std::vector<int16_t> Mix(const Terms& terms) const;
  static RunTime RunTimeOf(const Shape& shape, const std::vector<int16_t>& logits);
  std::vector<Kin> KinOf(const std::string& user, Instant now) const;
  void LearnWeights(const Live& live, Span ran);
  void LearnWork(const Live& live, Span ran);

  Counters counters_;
  Weights weights_ = FirstWeights();
  Fixed work_ = 0;        // added to every logit: corrects the expected work
  uint64_t learned_ = 0;  // outcomes
  double mean_work_ = 0;  // processor-seconds of an outcome
  double expected_work_ = 0;
  double ran_work_ = 0;
  std::map<Job, Live> live_;
  std::map<std::string, std::set<Job>> running_;  // by user
  // What is known of requests that come at noted_at_, until something is learned or starts or
  // stops.
  std::map<Shape, std::shared_ptr<const Noted>> noted_;
  Instant noted_at_;
};

}  // namespace muster::forecast
