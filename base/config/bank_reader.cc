// What has no rate costs nothing.
#include "base/config/bank_reader.h"

#include <cmath>
#include <utility>

#include "base/config/site_values.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr double kMostCreditsOfRate = 1e6;
constexpr double kMostMultiple = 100;
constexpr int64_t kMillion = 1'000'000;
constexpr int64_t kThousand = 1000;

// A number of whole `parts`; reports what is none, or beyond `most`.
std::optional<int64_t> AsParts(const Value& value, int64_t parts, double most,
                               const std::string& wanted) {
  if (!value) return std::nullopt;
  const std::optional<double> number = value.node()->value<double>();
  if (!number || !std::isfinite(*number) || *number < 0 || *number > most) {
    value.Report("wrong value", "", {wanted});
    return std::nullopt;
  }
  const double scaled = *number * static_cast<double>(parts);
  if (std::abs(scaled - std::round(scaled)) > 1e-6 * std::max(1.0, scaled)) {
    value.Report("too many decimals", "", {wanted});
    return std::nullopt;
  }
  return static_cast<int64_t>(std::llround(scaled));
}

// False if the table is empty.
bool ReadRates(Section section, BankConfig& config) {
  Lines names;
  const std::vector<Value> values = section.All(names);
  for (size_t i = 0; i < names.size(); ++i) {
    RateConfig rate;
    const size_t slash = names[i].find('/');
    rate.resource = names[i].substr(0, slash);
    if (slash != std::string::npos) {
      const std::string text = names[i].substr(slash + 1);
      const bool number = !text.empty() && text[0] >= '0' && text[0] <= '9';
      const auto unit = ParseSize("1" + text);
      if (number || !unit.ok() || rate.resource.empty()) {
        values[i].Report("unknown unit of '" + names[i] + "'", "", {"as in \"mem/gb\""});
        continue;
      }
      rate.unit = *unit;
    }
    Set(rate.per_hour, AsParts(values[i], kMillion, kMostCreditsOfRate,
                               "credits an hour, from 0 to 1000000, as in ncpus = 1.0"));
    config.rates.push_back(std::move(rate));
  }
  section.Finish();
  return !names.empty();
}

}  // namespace

std::optional<int64_t> AsCredits(const Value& value) {
  return AsParts(value, kMillion, 1e9, "credits from 0 to 1000000000, as in 100 or 0.5");
}

std::optional<int64_t> AsMultiple(const Value& value) {
  return AsParts(value, kThousand, kMostMultiple,
                 "a multiple of the rates from 0 to 100 with at most three decimals, as in 0.5");
}

std::optional<BankConfig> ReadBank(Section& root, const std::vector<AccountConfig>& accounts) {
  Section section = root.GetSection("bank");
  if (!section.present()) return std::nullopt;
  BankConfig config;
  const bool rated = ReadRates(section.NeedSection("rate"), config);
  for (Section& one : section.GetSections("hours")) {
    HoursConfig hours;
    Set(hours.valid, ReadValidity(one.Need("valid")));
    Set(hours.times, AsMultiple(one.Need("times")));
    one.Finish();
    config.hours.push_back(std::move(hours));
  }
  section.Finish();
  if (!rated) section.Report("nothing has a rate", {"as in rate = { ncpus = 1.0 }"});
  if (accounts.empty()) {
    section.Report("nobody has an account to pay from", {"an [[account]] with a name and owners"});
  }
  return config;
}

}  // namespace muster::config
