// Amounts of named, countable resources (ncpus, mem in bytes, ngpus, licences ...): the value
// behind every resource set of OpenCCS Sect. 4 (sRS, nRS, reqRS, jRS, ...).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

// A mapping name -> amount. Invariant: names are ascending and unique, and no amount is zero, so
// that equal sets have equal representations. Differences may have negative amounts. Sizes are in
// bytes.
class ResourceSet {
 public:
  using Entry = std::pair<std::string, int64_t>;

  ResourceSet() = default;
  ResourceSet(std::initializer_list<Entry> entries);
  // Takes entries in any order; of several with one name the last counts.
  explicit ResourceSet(std::vector<Entry> entries);

  int64_t Get(std::string_view name) const;  // 0 if absent
  void Set(std::string_view name, int64_t amount);
  void Add(std::string_view name, int64_t amount);
  const std::vector<Entry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

  ResourceSet& operator+=(const ResourceSet& other);
  ResourceSet& operator-=(const ResourceSet& other);
  ResourceSet operator*(int64_t factor) const;
  // Whether every amount is <= the one in `other`; a name absent there counts as 0.
  bool FitsIn(const ResourceSet& other) const;

  bool operator==(const ResourceSet&) const = default;
  auto operator<=>(const ResourceSet&) const = default;

 private:
  std::vector<Entry> entries_;
};

// "mem=2147483648:ncpus=4", names ascending; "" if empty. For logs and tests, not for people.
std::string ToText(const ResourceSet& set);

}  // namespace muster
