// What the meta's core is told once, at start: the federation's sites, users and limits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/validities.h"
#include "meta/search/packing/algorithm.h"
#include "partitioner/transfer.h"
#include "schemas/limits.h"
#include "schemas/site_link.h"

namespace muster::meta {

struct User {
  std::string name;
  bool is_operator = false;
  std::vector<std::string> groups;
  std::string home;  // preferred site where all else is equal; may be empty
};

// What a site is like beside the reference.
inline constexpr int64_t kReferenceSpeed = 1000;
struct SiteTerms {
  int64_t speed = kReferenceSpeed;  // in thousandths of the reference's
  int64_t cost = 0;                 // compared where all before it is equal
  bool operator==(const SiteTerms&) const = default;
};

struct Queue {
  std::string name;
  int64_t order = 1;  // weight in extraction, >= 1
  bool operator==(const Queue&) const = default;
};

// A key that the configuration names.
struct ListedKey {
  std::string name;  // "user:kim", "site:lakes"
  std::string role;  // user, operator, site
  std::string public_key;
  bool operator==(const ListedKey&) const = default;
};

// When a promised request goes to another site though it cannot start there at once; see
// meta/search/rechoice.h.
struct RechoiceOptions {
  Span least_gain{5 * 60};       // and a tenth of the wait that remains
  BootSpan every = Seconds(60);  // a pass over all of them
  bool operator==(const RechoiceOptions&) const = default;
};

struct Options {
  std::string federation;
  std::vector<std::string> sites;  // only these are heard
  std::vector<User> users;
  Validities validities;        // of users and groups; its zone is the federation's
  std::vector<ListedKey> keys;  // of these sites and users; what is not here has no key to list
  std::vector<Queue> queues = {{"normal"}};   // highest first
  std::optional<packing::Algorithm> packing;  // pinned; none: by vote
  std::optional<Span> threshold;  // of extraction; none: infinite, all are promised at submission
  size_t block_max = 1000;        // entries of a block, at most kProposalEntries
  int rounds_max = 8;             // of the verification loop, then its open entries are met alone
  std::optional<Span> duration;   // of what says none, where no site has a default
  std::optional<Span> horizon;    // starts are planned so far ahead; none: as far as sites do
  double confidence = 0.9;        // share of intervals of "expected" that are to hold
  size_t ask_sites = 3;           // sites asked about a part, the best by their shadows
  size_t ask_joint = 16;          // sites asked first about the parts of a co-allocation
  // Futures of one site are of all that runs there, if that is not more than forecast_running, and
  // of the first of those that do not run yet, by start; who comes behind them is told only a
  // bound.
  size_t forecast_running = 2000;
  size_t forecast_waiting = 500;
  partitioner::TransferMatrix transfer;    // between sites
  std::map<std::string, SiteTerms> terms;  // of sites that are not like the reference
  RechoiceOptions rechoice;
  schemas::ProtocolValues values;
  size_t open_requests_per_user = schemas::kOpenRequestsPerUser;
  size_t wave_max = 64;   // requests proposed at once to every eligible site
  size_t meet_tries = 3;  // at the best slot, then 4 with doubling slack (scheduling.md section 4)
  uint64_t seed = 1;      // back-off
};

}  // namespace muster::meta
