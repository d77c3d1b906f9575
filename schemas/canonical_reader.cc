// Reads integers explicitly little-endian, as CanonicalWriter writes them.
#include "schemas/canonical_reader.h"

#include <algorithm>
#include <cstring>

namespace muster::schemas {

std::string_view CanonicalReader::Take(size_t count) {
  if (count > rest_.size()) ok_ = false;
  if (!ok_) return {};
  const std::string_view out = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return out;
}

uint64_t CanonicalReader::GetInteger() {
  const std::string_view raw = Take(8);
  uint64_t v = 0;
  for (size_t i = raw.size(); i > 0; --i) v = v << 8 | static_cast<uint8_t>(raw[i - 1]);
  return v;
}

uint64_t CanonicalReader::GetLength() {
  const uint64_t length = GetInteger();
  if (length > rest_.size()) ok_ = false;
  return ok_ ? length : 0;
}

void CanonicalReader::GetBytes(std::array<uint8_t, 32>& v) {
  const std::string_view raw = Take(v.size());
  std::copy(raw.begin(), raw.end(), v.begin());
}

void CanonicalReader::Get(bool& v) {
  const std::string_view raw = Take(1);
  v = !raw.empty() && raw.front() != 0;
}

void CanonicalReader::Get(double& v) {
  const uint64_t raw = GetInteger();
  static_assert(sizeof raw == sizeof v);
  std::memcpy(&v, &raw, sizeof raw);
}

void CanonicalReader::Get(std::string& v) { v = Take(GetLength()); }

void CanonicalReader::Get(ResourceSet& v) {
  std::vector<ResourceSet::Entry> entries(GetLength());
  for (auto& [name, amount] : entries) {
    Get(name);
    Get(amount);
  }
  v = ResourceSet(std::move(entries));
}

void CanonicalReader::Get(IntervalSet& v) {
  std::vector<Interval> intervals(GetLength());
  for (Interval& i : intervals) {
    Get(i.begin);
    Get(i.end);
  }
  v = IntervalSet(std::move(intervals));
}

void CanonicalReader::Get(std::map<std::string, std::string>& v) {
  v.clear();
  for (uint64_t n = GetLength(); n > 0 && ok_; --n) {
    std::string key;
    Get(key);
    Get(v[key]);
  }
}

}  // namespace muster::schemas
