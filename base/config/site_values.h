// Values that few files have, and what is known of the site while it is read. Only for the
// sources of this folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/calendar.h"
#include "base/condition.h"
#include "base/config/document.h"
#include "base/quota.h"
#include "base/resources.h"
#include "base/validity.h"

namespace muster::config {

// What nodes and [jobwide] declare.
struct Declared {
  Lines resources;     // of nodes: ncpus, mem, ngpus, then others in the order of the file
  Lines jobwide;       // names ascending
  ResourceSet totals;  // of all nodes, and job-wide ones
  ResourceSet most;    // that any one node has; job-wide ones
  std::map<std::string, std::set<std::string>> properties;  // of nodes, with all their values
  std::map<std::string, uint32_t> nodes;                    // with the line of each
  Lines ranges;                                             // of nodes, as written

  Lines AllResources() const;  // of nodes, then job-wide ones
  Lines PropertyNames() const;
};

// Resources every command and view knows: ncpus, mem, ngpus.
const Lines& KnownResources();

// A letter, then letters, digits and '_', and no word of conditions, limits or [[nodes]]; else it
// is reported.
bool CheckName(Document& document, const Section& section, const std::string& name,
               const std::string& kind);

// An amount of resource `name`: a count, or a size where the resource may be one.
std::optional<int64_t> ReadAmount(const std::string& name, const Value& value);

// A table of amounts of declared resources, none of them zero; job-wide ones only if `jobwide`.
ResourceSet ReadAmounts(Document& document, Section section, const Declared& declared,
                        bool jobwide);

// "30", "45%", "30/45%", "unlimited", or a whole number. Sizes only where
// `resource` may be one.
std::optional<Quota> ReadQuota(const Value& value, const std::string& resource);

// "500h": items times time, in item-seconds. More than 0.
std::optional<int64_t> ReadArea(const Value& value);

// "*", "kim", "@students".
std::optional<std::string> ReadWho(const Value& value);

std::optional<Condition> ReadCondition(const Value& value, const Lines& resources,
                                       const Lines& properties);
std::optional<Validity> ReadValidity(const Value& value);
// A time zone by its name; both stay as they are if there is none.
void ReadZone(const Value& value, std::string& name, Zone& zone);

// Names of nodes that are declared.
std::optional<Lines> ReadNodeNames(const Value& value, const Declared& declared);

}  // namespace muster::config
