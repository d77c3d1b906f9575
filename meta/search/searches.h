// Searches that wait for answers of sites: a wave, a block, and searches for a common start.
// scheduling.md sections 1 and 4.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/search/inquiry.h"
#include "partitioner/meeting.h"
#include "partitioner/verification.h"
#include "schemas/proposal.h"

namespace muster::meta {

// A set of requests of one part each that is proposed to the sites.
struct Wave {
  uint64_t owner = 0;
  std::vector<RequestId> requests;                        // by rank
  std::map<std::string, std::vector<RequestId>> entries;  // by site, in proposal order
  std::map<std::string, std::vector<Instant>> asked;      // by site: the asked start of each entry
  // By request and site.
  std::map<RequestId, std::map<std::string, schemas::VerdictEntry>> verdicts;
  std::set<std::string> out;  // sites that have not answered
};

// A block that is proposed to the sites. Entry i of the loop is requests[i] at part_sites[i].
struct Block {
  uint64_t number = 0;
  uint64_t owner = 0;  // of this round's questions
  std::vector<RequestId> requests;
  std::vector<std::vector<std::string>> part_sites;
  std::vector<Instant> asked;  // start of each entry in the first round
  BootInstant began;
  partitioner::Verification loop{{}};
  // This round's entries by index, for each site that has not answered.
  std::map<std::string, std::vector<size_t>> out;
};

// A running search for a common start, of a request on record or of an inquiry.
struct OpenMeeting {
  partitioner::Meeting search;
  std::optional<RequestId> request;
  std::optional<Inquiry> inquiry;
  std::set<std::string> out;  // sites that have not answered this round
  // By site: how many entries of other requests precede this round's questions.
  std::map<std::string, size_t> before;
};

}  // namespace muster::meta
