// Driver: rules for tokens (site/driver/driver.h). A daemon asks for tokens before it starts
// anything, asks for each at most once, and starts none that it asked for. A token is started at
// most once over all daemons, and never used again once it was forgotten. protocol.md section 3.3.
#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

class Tokens : public Checker {
 public:
  std::string Name() const override { return "driver"; }

  void OnCrash(Moment, const std::string& host) override {
    has_asked_.erase(host);
    asked_.erase(host);
    by_this_.erase(host);
  }

  void OnDriverCommand(Moment at, const std::string& site,
                       const driver::Command& command) override {
    const auto violated = [&](const std::string& token, const std::string& what) {
      Violated(at, token + " at " + site + " " + what);
    };
    if (const auto* find = std::get_if<driver::FindParts>(&command)) {
      has_asked_.insert(site);
      for (const std::string& token : find->tokens) {
        if (!asked_[site].insert(token).second) violated(token, "is asked for a second time");
        if (by_this_[site].contains(token)) violated(token, "is asked for by who started it");
        if (forgotten_[site].contains(token)) violated(token, "is asked for and was forgotten");
      }
    }
    if (const auto* start = std::get_if<driver::StartPart>(&command)) {
      const std::string& token = start->token;
      if (!has_asked_.contains(site)) violated(token, "starts before anything was asked for");
      if (asked_[site].contains(token)) violated(token, "is started by who asked for it");
      if (!started_[site].insert(token).second) violated(token, "is started a second time");
      by_this_[site].insert(token);
      if (forgotten_[site].contains(token)) violated(token, "is started and was forgotten");
    }
    if (const auto* forget = std::get_if<driver::ForgetPart>(&command)) {
      forgotten_[site].insert(forget->token);
    }
  }

 private:
  using Names = std::map<std::string, std::set<std::string>>;  // by site
  std::set<std::string> has_asked_;  // sites whose present daemon has asked for tokens
  Names asked_, by_this_;            // by the present daemon
  Names started_, forgotten_;        // by any daemon
};

}  // namespace

std::unique_ptr<Checker> CheckDriver(const CheckedWorld&) { return std::make_unique<Tokens>(); }

}  // namespace muster::sim
