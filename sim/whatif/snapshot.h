// What is known of a running federation when somebody asks what would be: the records of its
// daemons as they were, and the configuration each was made from.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "schemas/canonical_reader.h"
#include "schemas/meta_records.h"
#include "schemas/site_records.h"
#include "schemas/turns.h"
#include "schemas/whatif_order.h"

namespace muster::sim {

// The records of one daemon. `origin.wall` is when they were read, `origin.file` the text of its
// configuration.
template <class Record>
struct CoreSnapshot {
  schemas::CoreOrigin origin;
  std::vector<std::pair<std::string, Record>> records;
};
using MetaSnapshot = CoreSnapshot<schemas::MetaRecord>;
using SiteSnapshot = CoreSnapshot<schemas::SiteRecord>;

struct FederationSnapshot {
  MetaSnapshot meta;
  std::map<std::string, SiteSnapshot> sites;  // by name; those that showed their records
};

// Adds a page of records (schemas::BeganFrame) to a snapshot; the first page has the origin.
// Errors: the frame is none of this version.
template <class Record>
absl::Status AddPage(const std::string& frame, CoreSnapshot<Record>& snapshot) {
  schemas::CanonicalReader reader(frame);
  schemas::FrameKind kind{};
  reader.Get(kind);
  schemas::CoreBegan<Record> page;
  reader.Get(page);
  if (!reader.AtEnd() || kind != schemas::FrameKind::kBegan) {
    return InvalidArgument("a page of records is of another version of muster");
  }
  if (snapshot.origin.daemon.empty()) snapshot.origin = std::move(page.origin);
  for (auto& write : page.records) {
    if (write.value) snapshot.records.emplace_back(std::move(write.key), *std::move(write.value));
  }
  return absl::OkStatus();
}

}  // namespace muster::sim
