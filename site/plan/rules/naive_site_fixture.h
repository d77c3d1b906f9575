// An independent model of a site's rules, for tests. It finds what is allowed, what counts, and the
// earliest start by plain loops over seconds and bookings. It shares only plain values with the
// planner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "site/plan/rules/rule_set.h"

namespace muster::rules {

inline constexpr int64_t kNow = 1170;
inline constexpr int64_t kHorizon = 150;
inline constexpr int64_t kTurnover = 1;

struct When {
  const char* written;
  bool (*holds)(int64_t second);
};
inline constexpr When kWhens[] = {
    {"always", [](int64_t) { return true; }},
    {"from 1970-01-01T00:20:00Z to 1970-01-01T00:21:30Z",
     [](int64_t t) { return t >= 1200 && t < 1290; }},
    {"until 1970-01-01T00:21:00Z", [](int64_t t) { return t < 1260; }},
    {"cron */2 * * * * for 40s", [](int64_t t) { return t % 120 < 40; }},
};

// A request for `count` equal chunks by a user of some groups.
struct Request {
  std::string user;
  std::vector<std::string> groups;
  int64_t ncpus = 0;
  int64_t ngpus = 0;
  int64_t count = 1;
  int64_t lic = 0;
  int64_t seconds = 1;
  bool exclusive = false;
  bool federated = false;
  bool element = false;
};

struct Open {
  const char* written;
  bool (*holds)(const Request& request);
};
inline constexpr Open kOpens[] = {
    {"ncpus < 3 and duration < 20s",
     [](const Request& r) { return r.ncpus * r.count < 3 && r.seconds < 20; }},
    {"group in (g, h) or user = ann",
     [](const Request& r) { return !r.groups.empty() || r.user == "ann"; }},
    {"ngpus >= 1", [](const Request& r) { return r.ngpus * r.count >= 1; }},
};
inline constexpr Open kOnlys[] = {
    {"ngpus >= 1 or duration <= 10s",
     [](const Request& r) { return r.ngpus >= 1 || r.seconds <= 10; }},
    {"ncpus >= 2", [](const Request& r) { return r.ncpus >= 2; }},
};

struct NaiveLimit {
  Limit limit;
  const When* when = nullptr;
};
struct NaivePool {
  Pool pool;
  const When* when = nullptr;
  const Open* open = nullptr;
};

struct Booked {
  Request request;
  int64_t start = 0;
  std::vector<int64_t> sets;  // by node
  int64_t begin() const { return start - kTurnover; }
  int64_t end() const { return start + request.seconds; }
};

// A random site, and what is booked on it.
struct Naive {
  int64_t nodes = 1;
  int64_t ncpus = 1;
  int64_t ngpus = 0;
  int64_t lic = 0;
  std::vector<bool> usable;
  std::vector<const Open*> only;  // by node; null: none
  std::vector<NaiveLimit> limits;
  std::vector<NaivePool> pools;
  int percent = 100;
  std::vector<Booked> booked;

  int64_t Up(const std::string& resource) const {
    if (resource == "lic") return lic;
    const int64_t up = std::count(usable.begin(), usable.end(), true);
    return up * (resource == "ncpus" ? ncpus : resource == "ngpus" ? ngpus : 0);
  }
  static int64_t Of(const Quota& quota, int64_t there) {
    return std::max(quota.items.value_or(0), there * quota.percent.value_or(0) / 100);
  }
  // The amount of a resource that the request asks for, over all chunks.
  static int64_t Asked(const Request& r, const std::string& resource) {
    if (resource == "ncpus") return r.ncpus * r.count;
    if (resource == "ngpus") return r.ngpus * r.count;
    if (resource == "lic") return r.lic;
    if (resource == kJobs) return 1;
    return r.element ? 1 : 0;
  }
  int64_t SetsOnEmpty(const Request& r) const {
    int64_t sets = r.count;
    if (r.ncpus > 0) sets = std::min(sets, ncpus / r.ncpus);
    if (r.ngpus > 0) sets = std::min(sets, ngpus / r.ngpus);
    return sets;
  }
  // The amount that the request takes from others: that of whole nodes if it is exclusive.
  int64_t Taken(const Request& r, const std::string& resource) const {
    const int64_t per_node = SetsOnEmpty(r);
    if (!r.exclusive || resource == "lic" || per_node == 0) return Asked(r, resource);
    const int64_t whole = (r.count + per_node - 1) / per_node;
    return std::min(whole, nodes) * (resource == "ncpus" ? ncpus : ngpus);
  }

  bool Speaks(const NaiveLimit& l, const std::string& who, bool each, const std::string& resource,
              bool exactly) const {
    if (l.limit.who != who || l.limit.each != each) return false;
    if (exactly) return l.limit.resource == resource;
    return l.limit.resource == kEvery && resource != kJobs && resource != kArrayJobs;
  }
  // Limits of one consumer that apply at second t: those of the resource, else those of every
  // resource.
  std::vector<const NaiveLimit*> OfConsumer(const std::string& who, bool each,
                                            const std::string& resource, int64_t t) const {
    std::vector<const NaiveLimit*> out;
    for (const bool exactly : {true, false}) {
      for (const NaiveLimit& l : limits) {
        if (Speaks(l, who, each, resource, exactly) && l.when->holds(t)) out.push_back(&l);
      }
      if (!out.empty()) return out;
    }
    return out;
  }
  // The limits that apply to a request at second t, each with its consumer.
  std::vector<std::pair<const NaiveLimit*, std::string>> Limiting(const Request& r,
                                                                  const std::string& resource,
                                                                  int64_t t) const {
    std::vector<std::pair<const NaiveLimit*, std::string>> out;
    const auto take = [&](const std::string& who, bool each, const std::string& consumer) {
      for (const NaiveLimit* l : OfConsumer(who, each, resource, t)) out.emplace_back(l, consumer);
    };
    const bool own = std::any_of(limits.begin(), limits.end(), [&](const NaiveLimit& l) {
      return Speaks(l, r.user, false, resource, true) || Speaks(l, r.user, false, resource, false);
    });
    if (own) {
      take(r.user, false, r.user);
    } else {
      for (const std::string& group : r.groups) {
        take("@" + group, false, "@" + group);
        take("@" + group, true, r.user);
      }
    }
    if (out.empty()) take(kEvery, false, r.user);
    return out;
  }
  // Sum of `resource` in the bookings at second t that count against the consumer's limit.
  int64_t Counted(const NaiveLimit* limit, const std::string& consumer, const std::string& resource,
                  int64_t t) const {
    int64_t sum = 0;
    for (const Booked& b : booked) {
      if (t < b.begin() || t >= b.end()) continue;
      for (const auto& [l, c] : Limiting(b.request, resource, t)) {
        if (l == limit && c == consumer) sum += Asked(b.request, resource);
      }
    }
    return sum;
  }
  int64_t AreaOf(const NaiveLimit* limit, const std::string& consumer,
                 const std::string& resource) const {
    int64_t sum = 0;
    for (int64_t t = kNow; t < kNow + 3 * kHorizon; ++t) {
      sum += Counted(limit, consumer, resource, t);
    }
    return sum;
  }

  // May the request run at second t if it starts at `start`? `areas`: limits whose area the request
  // exceeds together with all that is planned (Exceeded).
  using Areas = std::vector<std::tuple<const NaiveLimit*, std::string, std::string>>;
  bool Allowed(const Request& r, int64_t start, int64_t t, const Areas& areas) const {
    for (const std::string resource : {"ncpus", "ngpus", "lic", kJobs, kArrayJobs}) {
      const int64_t asked = Asked(r, resource);
      if (asked == 0) continue;
      for (const auto& [l, consumer] : Limiting(r, resource, t)) {
        if (l->limit.soft && start <= kNow + 60) continue;
        if (l->limit.duration && r.seconds > l->limit.duration->seconds) return false;
        if (!l->limit.items.unlimited() &&
            Counted(l, consumer, resource, t) + asked > Of(l->limit.items, Up(resource))) {
          return false;
        }
        const std::tuple key{l, consumer, resource};
        if (std::find(areas.begin(), areas.end(), key) != areas.end()) return false;
      }
    }
    for (const NaivePool& p : pools) {
      if (!p.when->holds(t) || p.open->holds(r)) continue;
      const int64_t taken = Taken(r, p.pool.resource);
      if (taken == 0) continue;
      const int64_t up = Up(p.pool.resource);
      if (TakenAt(p.pool.resource, t, false) + taken > up - Of(p.pool.keep, up)) return false;
    }
    for (const std::string resource : {"ncpus", "ngpus", "lic"}) {
      const int64_t taken = Taken(r, resource);
      if (!r.federated || percent == 100 || taken == 0) continue;
      if (TakenAt(resource, t, true) + taken > Up(resource) * percent / 100) return false;
    }
    return TakenAt("lic", t, false) + r.lic <= lic;
  }
  int64_t TakenAt(const std::string& resource, int64_t t, bool federated) const {
    int64_t sum = 0;
    for (const Booked& b : booked) {
      if (federated && !b.request.federated) continue;
      if (t >= b.begin() && t < b.end()) sum += Taken(b.request, resource);
    }
    return sum;
  }
  Areas Exceeded(const Request& r) const {
    Areas out;
    for (const std::string resource : {"ncpus", "ngpus", "lic"}) {
      const int64_t own = Asked(r, resource) * r.seconds;
      for (const NaiveLimit& l : limits) {
        if (!l.limit.area || own == 0) continue;
        const bool apart = l.limit.who == kEvery || l.limit.each;
        std::vector<std::string> consumers{apart ? r.user : l.limit.who};
        for (const std::string& consumer : consumers) {
          if (own + AreaOf(&l, consumer, resource) > *l.limit.area) {
            out.emplace_back(&l, consumer, resource);
          }
        }
      }
    }
    return out;
  }
  // Sets that the node can take all over [start - turnover, start + seconds).
  int64_t Room(const Request& r, size_t node, int64_t start) const {
    if (!usable[node] || (only[node] != nullptr && !only[node]->holds(r))) return 0;
    int64_t room = SetsOnEmpty(r);
    for (int64_t t = start - kTurnover; t < start + r.seconds; ++t) {
      int64_t cpus = ncpus;
      int64_t gpus = ngpus;
      for (const Booked& b : booked) {
        if (t < b.begin() || t >= b.end() || b.sets[node] == 0) continue;
        if (b.request.exclusive || r.exclusive) return 0;
        cpus -= b.request.ncpus * b.sets[node];
        gpus -= b.request.ngpus * b.sets[node];
      }
      if (r.ncpus > 0) room = std::min(room, cpus / r.ncpus);
      if (r.ngpus > 0) room = std::min(room, gpus / r.ngpus);
    }
    return room;
  }
  std::optional<int64_t> Earliest(const Request& r) const {
    const Areas areas = Exceeded(r);
    for (int64_t start = kNow; start <= kNow + kHorizon; ++start) {
      bool allowed = true;
      for (int64_t t = start - kTurnover; allowed && t < start + r.seconds; ++t) {
        allowed = Allowed(r, start, t, areas);
      }
      if (!allowed) continue;
      int64_t room = 0;
      for (size_t n = 0; n < usable.size(); ++n) room += Room(r, n, start);
      if (room >= r.count) return start;
    }
    return std::nullopt;
  }
};

}  // namespace muster::rules
