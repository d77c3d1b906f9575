// Long texts are cut and secrets shown as a digest, since the lines are for reading.
#include "sim/again/lines.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "schemas/canonical.h"

namespace muster::sim {
namespace {

constexpr size_t kTextShown = 200;  // longest text shown, in bytes
constexpr size_t kLinesShown = 6;   // lines shown of each side

}  // namespace

std::string FieldLines::NameOf(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  const std::string full = status == 0 ? name.get() : type.name();
  return full.substr(full.rfind(':') + 1);
}

void FieldLines::Put(const std::string& way, const std::string& v) {
  std::string shown = v.substr(0, kTextShown);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  if (v.size() > kTextShown) shown += "... (" + std::to_string(v.size()) + " bytes)";
  Add(way, "\"" + shown + "\"");
}

void FieldLines::Put(const std::string& way, const Digest& v) {
  Add(way, ToHex(v.bytes.data(), v.bytes.size()));
}

void FieldLines::Put(const std::string& way, const Secret& v) {
  const Digest digest = schemas::DigestOf(v);
  Add(way, "digest " + ToHex(digest.bytes.data(), 8));
}

std::string FirstDifference(const std::vector<std::string>& a, const std::string& name_a,
                            const std::vector<std::string>& b, const std::string& name_b) {
  const size_t both = std::min(a.size(), b.size());
  size_t at = 0;
  while (at < both && a[at] == b[at]) ++at;
  if (at == a.size() && at == b.size()) return "";
  std::string text;
  const auto show = [&](const std::vector<std::string>& side, const std::string& name) {
    text += "  " + name + "\n";
    for (size_t i = at; i < std::min(side.size(), at + kLinesShown); ++i) {
      text += "    " + side[i] + "\n";
    }
    if (at >= side.size()) text += "    (nothing more)\n";
  };
  show(a, name_a);
  show(b, name_b);
  return text;
}

}  // namespace muster::sim
