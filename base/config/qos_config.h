// [[account]] and [[qos]] of meta.toml. scheduling.md section 13.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster::config {

struct AccountConfig {
  std::string name;
  std::vector<std::string> owners;  // "kim", "@weather", "*"
  int64_t overdraft = 0;            // millionths of a credit
  bool operator==(const AccountConfig&) const = default;
};

struct QosConfig {
  std::string name;
  std::vector<std::string> grant;        // "*", "kim", "@weather", "account chem"
  std::vector<std::string> default_for;  // the same
  int64_t urgency = 50;                  // 0-99
  int64_t points = 0;                    // -1000 to 1000; of factor `cred`
  std::optional<Span> target;
  std::string promise;           // "submission", "block", "start"; empty: as the threshold says
  std::vector<std::string> may;  // "reserve", "deadline", "firm"
  int64_t charge = 1000;         // thousandths of the rates
  std::string recall;            // "requeue", "checkpoint"; empty: it is lent no room
  Span grace{20};                // these three only with `recall`
  Span min_run{900};
  int64_t max_recalls = 3;
  bool operator==(const QosConfig&) const = default;
};

}  // namespace muster::config
