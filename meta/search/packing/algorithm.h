// The packing algorithms by name, as configuration, commands and records write them. CCS Sect. 3.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::packing {

enum class Algorithm : uint8_t {
  kFcfs,      // "fcfs": in rank order, none starts before the one ahead of it
  kFcfsStar,  // "fcfs*": in rank order, each at its earliest fit
  kFfdh,      // "ffdh": levels, longest first
  kFfdhStar,  // "ffdh*": and into the gaps of levels
  kFfih,      // "ffih": levels, shortest first
  kFfihStar,  // "ffih*": and into the gaps of levels
};
inline constexpr Algorithm kAlgorithms[] = {Algorithm::kFcfs, Algorithm::kFcfsStar,
                                            Algorithm::kFfdh, Algorithm::kFfdhStar,
                                            Algorithm::kFfih, Algorithm::kFfihStar};

std::string_view NameOf(Algorithm algorithm);
// None if no algorithm has that name.
std::optional<Algorithm> ParseAlgorithm(std::string_view name);
// "fcfs, fcfs*, ...": for messages about a name that is none.
std::string AlgorithmNames();

}  // namespace muster::packing
