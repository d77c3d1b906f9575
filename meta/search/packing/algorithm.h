// The packing algorithms and their names in configuration, commands and records. CCS Sect. 3.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::packing {

enum class Algorithm : uint8_t {
  kFcfs,      // "fcfs": in rank order, none starts before the one ahead of it
  kFcfsStar,  // "fcfs*": in rank order, each at its earliest fit
  kFfdh,      // "ffdh": levels, longest entry first
  kFfdhStar,  // "ffdh*": the same, and fills gaps in levels
  kFfih,      // "ffih": levels, shortest entry first
  kFfihStar,  // "ffih*": the same, and fills gaps in levels
};
inline constexpr Algorithm kAlgorithms[] = {Algorithm::kFcfs, Algorithm::kFcfsStar,
                                            Algorithm::kFfdh, Algorithm::kFfdhStar,
                                            Algorithm::kFfih, Algorithm::kFfihStar};

std::string_view NameOf(Algorithm algorithm);
// None if no algorithm has that name.
std::optional<Algorithm> ParseAlgorithm(std::string_view name);
// "fcfs, fcfs*, ...": for messages about an unknown name.
std::string AlgorithmNames();

}  // namespace muster::packing
