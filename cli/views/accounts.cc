// Accounts, what is set aside, and entries of the ledger. cli.md section 3 (account).
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/phrases.h"
#include "base/units.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

int64_t AmountAt(const Json& row, const char* name) {
  const Json& value = At(row, name);
  return value.is_number_integer() ? value.get<int64_t>() : 0;
}

// Two decimals; less than that as it is: "16.00", "9.33", "0.000139".
std::string Credits(int64_t amount) {
  constexpr int64_t kHundredth = 10'000;
  if (amount != 0 && std::abs(amount) < kHundredth) return CreditsText(amount);
  const int64_t half = amount < 0 ? -kHundredth / 2 : kHundredth / 2;
  const std::string text = CreditsText((amount + half) / kHundredth * kHundredth);
  const size_t point = text.find('.');
  if (point == std::string::npos) return text + ".00";
  return text.size() - point == 2 ? text + "0" : text;
}

// "12.00 of 100.00, until 2027-01-01 00:00:00  (entry 1)".
std::string AllocationText(const Json& allocation, const ViewOptions& options) {
  std::string text =
      Credits(AmountAt(allocation, "left")) + " of " + Credits(AmountAt(allocation, "granted"));
  const auto from = TimeAt(allocation, "from");
  const auto until = TimeAt(allocation, "until");
  if (from && *from > options.now) text += ", from " + ClockTime(*from, options);
  if (until) text += ", until " + ClockTime(*until, options);
  return text + fmt::format("  (entry {})", AmountAt(allocation, "entry"));
}

// What an entry brought to the account that is asked about; to whom it brought something, if all
// are.
int64_t MovedOf(const Json& entry, const std::string& account) {
  int64_t sum = 0;
  for (const Json& posting : At(entry, "postings")) {
    const bool own =
        account.empty() ? AmountAt(posting, "amount") > 0 : TextAt(posting, "account") == account;
    if (own) sum += AmountAt(posting, "amount");
  }
  return sum;
}

std::string OthersOf(const Json& entry, const std::string& account) {
  std::vector<std::string> names;
  for (const Json& posting : At(entry, "postings")) {
    const std::string name = TextAt(posting, "account");
    if (name != account) names.push_back(name);
  }
  return Joined(names, account.empty() ? " and " : ", ");
}

}  // namespace

std::string AccountsView(const Json& document, const ViewOptions& options) {
  const Json& rows = At(document, "accounts");
  Table table({{.header = "ACCOUNT"},
               {.header = "BALANCE", .right = true},
               {.header = "SET ASIDE", .right = true},
               {.header = "OVERDRAFT", .right = true},
               {.header = "FOR NEW WORK", .right = true},
               {.header = "OWNERS", .list_width = 24}});
  for (const Json& row : rows) {
    const std::vector<std::string> owners = TextsAt(row, "owners");
    const std::string name = TextAt(row, "name");
    const bool of_users = name != "bank" && !name.starts_with("site:");
    const auto amount = [&](const char* name) {
      return of_users ? Credits(AmountAt(row, name)) : std::string(kNone);
    };
    table.Add({name, Credits(AmountAt(row, "balance")), amount("set_aside"), amount("overdraft"),
               amount("free"), owners.empty() ? kNone : Joined(owners)});
  }
  if (table.empty()) {
    return Finished("you have no account, or nothing is charged here\n", options);
  }
  std::string text = table.Text(options);
  if (rows.size() == 1) {
    for (const Json& allocation : At(rows[0], "allocations")) {
      text += "  " + AllocationText(allocation, options) + '\n';
    }
    const size_t liens = At(rows[0], "liens").size();
    if (liens > 0) text += "  set aside for " + Counted(liens, "job") + '\n';
  }
  return Finished(std::move(text), options);
}

std::string LiensView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "JOB"}, {.header = "SET ASIDE", .right = true}});
  for (const Json& row : At(document, "accounts")) {
    for (const Json& lien : At(row, "liens")) {
      table.Add({TextAt(lien, "job"), Credits(AmountAt(lien, "amount"))});
    }
  }
  if (table.empty()) return Finished("nothing is set aside\n", options);
  return Finished(table.Text(options), options);
}

std::string StatementView(const Json& document, const ViewOptions& options) {
  const std::string account = TextAt(document, "account");
  Table table({{.header = "ENTRY", .right = true},
               {.header = "WHEN"},
               {.header = "WHAT"},
               {.header = "CREDITS", .right = true},
               {.header = account.empty() ? "BETWEEN" : "WITH"},
               {.header = "JOB"},
               {.header = "BY"},
               {.header = "NOTE"}});
  for (const Json& entry : At(document, "entries")) {
    const auto at = TimeAt(entry, "at");
    const std::string job = TextAt(entry, "job");
    const std::string by = TextAt(entry, "by");
    table.Add({std::to_string(AmountAt(entry, "number")), at ? ClockTime(*at, options) : kNone,
               TextAt(entry, "kind"), Credits(MovedOf(entry, account)), OthersOf(entry, account),
               job.empty() ? kNone : job, by.empty() ? "muster" : by, TextAt(entry, "note")});
  }
  if (table.empty()) return Finished("nothing was posted\n", options);
  return Finished(table.Text(options), options);
}

}  // namespace muster::cli::views
