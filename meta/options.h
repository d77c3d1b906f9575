// Configuration of the meta's core: the federation's sites, users and limits. Given at start; a
// reload replaces what may change (meta/service/reload.h).
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
#include "policy/limits.h"
#include "policy/points.h"
#include "policy/qos.h"
#include "policy/rates.h"
#include "policy/shares.h"
#include "schemas/limits.h"
#include "schemas/site_link.h"

namespace muster::meta {

struct User {
  std::string name;
  bool is_operator = false;
  std::vector<std::string> groups;
  std::string home;  // preferred site where all else is equal; may be empty
};

// Speed and cost of a site, relative to the reference machine.
inline constexpr int64_t kReferenceSpeed = 1000;
struct SiteTerms {
  int64_t speed = kReferenceSpeed;  // in thousandths of the reference speed
  int64_t cost = 0;                 // compared only where all earlier criteria are equal (R5)
  int64_t charge = 1000;            // multiple of the rates of [bank], in thousandths
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

// Limits for moving a promised request to another site whose start is earlier, though not at once;
// see meta/search/relocation.h.
struct RechoiceOptions {
  Span least_gain{5 * 60};  // gain in start time required, as well as a tenth of the remaining wait
  BootSpan every = Seconds(60);  // time between two such passes over promised requests of one part
  bool operator==(const RechoiceOptions&) const = default;
};

struct Options {
  std::string federation;
  std::vector<std::string> sites;  // only these sites are heard
  std::vector<User> users;
  Validities validities;  // when users and groups are valid; includes the federation's time zone
  std::vector<ListedKey> keys;               // of these sites and users; may lack some of them
  std::vector<Queue> queues = {{"normal"}};  // highest priority first
  policy::CredentialRules credentials;
  std::optional<policy::FairshareRules> fairshare;  // none: nobody's use is counted
  std::optional<policy::PointsRules> priority;      // none: by queue and arrival alone
  std::optional<policy::BankRules> bank;            // none: nothing is charged
  std::vector<policy::Limit> limits;                // over all sites
  std::optional<packing::Algorithm> packing;        // pinned algorithm; nullopt: by vote
  std::optional<Span>
      threshold;            // of extraction; nullopt: infinite, all are promised on submission
  size_t block_max = 1000;  // most entries of a block, at most kProposalEntries
  int rounds_max = 8;       // of the verification loop; then its open entries are placed one by one
  std::optional<Span> duration;  // of a request that names none, if none of its sites has a default
  std::optional<Span> horizon;   // how far ahead starts are planned; nullopt: as far as sites do
  double confidence = 0.9;       // wanted share of "expected" intervals that contain the start
  size_t ask_sites = 3;   // sites asked about a request of one part: the best by their shadows
  size_t ask_joint = 16;  // sites asked first about the parts of a co-allocation
  // Jobs that the futures of one site follow: all that run there and the first forecast_waiting
  // that do not run yet, by start; fewer of the latter if more than forecast_running run.
  size_t forecast_running = 2000;
  size_t forecast_waiting = 2000;
  partitioner::TransferMatrix transfer;    // bandwidth and latency of the links between sites
  std::map<std::string, SiteTerms> terms;  // of sites that differ from the reference
  RechoiceOptions rechoice;
  // Whether what is booked for others gives way to a site's own users where it can, and what sites
  // gave each other counts (meta/search/giving_way.h, meta/requests/balance.h).
  bool home_first = true;
  policy::FairshareRules
      balance;  // the windows in which that counts; of processor time, without shares
  schemas::ProtocolValues values;
  size_t open_requests_per_user = schemas::kOpenRequestsPerUser;
  size_t wave_max = 64;  // most waiting requests that one wave takes up
  // Tries at the best slot, then 4 with doubling slack (scheduling.md section 4).
  size_t meet_tries = 3;
  uint64_t seed = 1;  // of the random back-off
};

}  // namespace muster::meta
