// See set_options.h.
#include "cli/set_options.h"

#include <fmt/format.h>

#include <utility>

#include "base/node_set.h"
#include "base/text/node_set.h"
#include "cli/failure.h"

namespace muster::cli {

Diagnosed<std::optional<std::string>> ReadSet(const Given& given) {
  using Set = std::optional<std::string>;
  const bool grouped = given.Has("--group");
  if (grouped && given.Has("--set")) {
    return UsageError("--group and --set: which?", "--set says all that --group does").diagnostic;
  }
  if (grouped) {
    const std::string value = given.Value("--group");
    if (value == kSwitchAttribute) return Set(value);
    if (value == text::kAnyNodes) return Set("");
    return UsageError(fmt::format("--group {}: nodes are grouped by 'switch'", value),
                      "--group switch, or --set for a speed or a property")
        .diagnostic;
  }
  if (!given.Has("--set")) return Set();
  const std::string value = given.Value("--set");
  if (value == text::kAnyNodes) return Set(value);
  Diagnosed<NodeSet> set = text::ParseNodeSet(value);
  if (set.ok()) return Set(text::NodeSetText(*set));
  return set.diagnostic();
}

}  // namespace muster::cli
