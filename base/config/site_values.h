// Readers of special value types, and the names declared so far in a site's file. Only for the
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

// The names that [[nodes]] and [jobwide] declare.
struct Declared {
  Lines resources;     // resources of nodes: ncpus, mem, ngpus, then others in file order
  Lines jobwide;       // job-wide resources, names ascending
  ResourceSet totals;  // sums over all nodes, and job-wide amounts
  ResourceSet most;    // the largest amounts of any one node; job-wide amounts
  // Properties of nodes, with all their values.
  std::map<std::string, std::set<std::string>> properties;
  std::map<std::string, uint32_t> nodes;  // with the line of each
  Lines ranges;                           // ranges of nodes, as written

  Lines AllResources() const;  // resources of nodes, then job-wide ones
  Lines PropertyNames() const;
};

// The resources that every command and view supports: ncpus, mem, ngpus.
const Lines& KnownResources();

// Whether a name is a letter followed by letters, digits and '_', and not a word with a meaning in
// conditions, limits, `keep` or requests. Otherwise reports it.
bool CheckName(Document& document, const Section& section, const std::string& name,
               const std::string& kind);

// Reads an amount of resource `name`: a count, or a size if the resource can be one.
std::optional<int64_t> ReadAmount(const std::string& name, const Value& value);

// Reads a table of non-zero amounts of declared resources; job-wide ones only if `jobwide`.
ResourceSet ReadAmounts(Document& document, Section section, const Declared& declared,
                        bool jobwide);

// Reads "30", "45%", "30/45%", "unlimited", or a whole number; sizes only if `resource` can be one.
std::optional<Quota> ReadQuota(const Value& value, const std::string& resource);

// Reads "500h": items times hours, returned in item-seconds; > 0.
std::optional<int64_t> ReadArea(const Value& value);

// Reads "*", "kim" or "@students"; `of_any_kind`: also "account chem", "qos *" and "queue debug".
std::optional<std::string> ReadWho(const Value& value, bool of_any_kind);

std::optional<Condition> ReadCondition(const Value& value, const Lines& resources,
                                       const Lines& properties);
std::optional<Validity> ReadValidity(const Value& value);
// Reads the name of a time zone; leaves both targets unchanged if there is no such zone.
void ReadZone(const Value& value, std::string& name, Zone& zone);

// Reads names of declared nodes.
std::optional<Lines> ReadNodeNames(const Value& value, const Declared& declared);

}  // namespace muster::config
