// Converts between algorithms and their names.
#include "meta/search/packing/algorithm.h"

#include "base/check.h"

namespace muster::packing {

std::string_view NameOf(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kFcfs:
      return "fcfs";
    case Algorithm::kFcfsStar:
      return "fcfs*";
    case Algorithm::kFfdh:
      return "ffdh";
    case Algorithm::kFfdhStar:
      return "ffdh*";
    case Algorithm::kFfih:
      return "ffih";
    case Algorithm::kFfihStar:
      return "ffih*";
  }
  MUSTER_CHECK(false);
  return "";
}

std::optional<Algorithm> ParseAlgorithm(std::string_view name) {
  for (const Algorithm algorithm : kAlgorithms) {
    if (NameOf(algorithm) == name) return algorithm;
  }
  return std::nullopt;
}

std::string AlgorithmNames() {
  std::string out;
  for (const Algorithm algorithm : kAlgorithms) {
    if (!out.empty()) out += ", ";
    out += NameOf(algorithm);
  }
  return out;
}

}  // namespace muster::packing
