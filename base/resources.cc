// Sorted vectors: sets have only a handful of names, so binary search beats a tree.
#include "base/resources.h"

#include <algorithm>

namespace muster {
namespace {

struct ByName {
  bool operator()(const ResourceSet::Entry& e, std::string_view name) const {
    return e.first < name;
  }
};

}  // namespace

ResourceSet::ResourceSet(std::initializer_list<Entry> entries) {
  for (const Entry& e : entries) Set(e.first, e.second);
}

ResourceSet::ResourceSet(std::vector<Entry> entries) {
  for (const Entry& e : entries) Set(e.first, e.second);
}

int64_t ResourceSet::Get(std::string_view name) const {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), name, ByName());
  return it != entries_.end() && it->first == name ? it->second : 0;
}

void ResourceSet::Set(std::string_view name, int64_t amount) {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), name, ByName());
  const bool present = it != entries_.end() && it->first == name;
  if (amount == 0) {
    if (present) entries_.erase(it);
  } else if (present) {
    it->second = amount;
  } else {
    entries_.insert(it, {std::string(name), amount});
  }
}

void ResourceSet::Add(std::string_view name, int64_t amount) { Set(name, Get(name) + amount); }

ResourceSet& ResourceSet::operator+=(const ResourceSet& other) {
  for (const Entry& e : other.entries_) Add(e.first, e.second);
  return *this;
}

ResourceSet& ResourceSet::operator-=(const ResourceSet& other) {
  for (const Entry& e : other.entries_) Add(e.first, -e.second);
  return *this;
}

ResourceSet ResourceSet::operator*(int64_t factor) const {
  if (factor == 0) return {};
  ResourceSet out = *this;
  for (Entry& e : out.entries_) e.second *= factor;
  return out;
}

bool ResourceSet::FitsIn(const ResourceSet& other) const {
  for (const Entry& e : entries_) {
    if (e.second > other.Get(e.first)) return false;
  }
  for (const Entry& e : other.entries_) {
    if (e.second < 0 && Get(e.first) > e.second) return false;
  }
  return true;
}

std::string ToText(const ResourceSet& set) {
  std::string out;
  for (const ResourceSet::Entry& e : set.entries()) {
    if (!out.empty()) out += ':';
    out += e.first + "=" + std::to_string(e.second);
  }
  return out;
}

}  // namespace muster
