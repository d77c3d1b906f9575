// The data are JSON inside an element that the browser does not execute. Only "<" could end that
// element; in JSON it occurs in strings only, where it is escaped.
#include "sim/page/page.h"

#include "base/check.h"
#include "sim/page/page_template.h"

namespace muster::sim {
namespace {

constexpr std::string_view kPlace = "{{data}}";

}  // namespace

bool HasPage() { return !kPageTemplate.empty(); }

std::string PageOf(std::string_view data) {
  const size_t at = kPageTemplate.find(kPlace);
  MUSTER_CHECK(at != std::string_view::npos);
  std::string out(kPageTemplate.substr(0, at));
  for (const char c : data) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out.append(kPageTemplate.substr(at + kPlace.size()));
}

}  // namespace muster::sim
