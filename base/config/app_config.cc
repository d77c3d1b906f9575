// What a model does not go by is an error beside it.
#include "base/config/app_config.h"

#include <charconv>
#include <set>

#include "base/config/document.h"

namespace muster::config {
namespace {

constexpr int64_t kMostBandwidth = 1'000'000'000;
constexpr int64_t kMostNumber = 1'000'000'000;

std::vector<int64_t> NumbersOf(const Value& value) {
  std::vector<int64_t> out;
  for (const Value& one : value.AsList()) {
    if (const auto number = one.AsInteger(0, kMostNumber)) out.push_back(*number);
  }
  if (value && out.empty()) value.Report("it fits nobody", "", {"as in [3, 12]"});
  return out;
}

// Reads "8-64", "8-" or "8".
void ReadProcessors(const Value& value, AppConfig& app) {
  const auto text = value.AsText();
  if (!text) return;
  const char* const end = text->data() + text->size();
  int64_t most = 0;
  const auto [after, error] = std::from_chars(text->data(), end, app.least);
  bool good = error == std::errc() && app.least >= 1;
  if (good && after == end) {
    app.most = app.least;
  } else if (good && after + 1 == end && *after == '-') {
    app.most.reset();
  } else if (good && *after == '-') {
    const auto [last, wrong] = std::from_chars(after + 1, end, most);
    good = wrong == std::errc() && last == end && most >= app.least;
    app.most = most;
  } else {
    good = false;
  }
  if (!good) {
    value.Report("'" + *text + "' are no numbers of processors", "", {"as in 8-64, 8- or 8"});
  }
}

int64_t Thousandths(const Value& value, int most) {
  return 10 * int64_t{value.AsPercent(0, most).value_or(0)};
}

void ReadModel(Section& section, AppConfig& app) {
  if (app.model == "network" || app.model == "memory") {
    app.share = Thousandths(section.Need("share"), 100);
    Set(app.bandwidth, section.Need("bandwidth").AsInteger(1, kMostBandwidth));
  } else if (app.model == "staged") {
    Set(app.reads, section.Get("reads").AsInteger(0, kMostBandwidth));
    Set(app.writes, section.Get("writes").AsInteger(0, kMostBandwidth));
    if (app.reads + app.writes == 0) {
      section.Report("it neither reads nor writes", {"as in reads = 500 and writes = 2000, in MB"});
    }
  } else if (app.model == "malleable") {
    app.serial = Thousandths(section.Need("serial"), 100);
    Set(app.times, section.Need("times").AsInteger(2, 1000));
  }
}

}  // namespace

Diagnosed<AppsConfig> ParseAppsConfig(const std::string& path, std::string_view text) {
  Document document(path, text);
  if (document.error()) return *document.error();
  AppsConfig out;
  Section root(document);
  Section media = root.GetSection("media");
  Set(out.media.network, media.Get("network").AsInteger(1, kMostBandwidth));
  Set(out.media.memory, media.Get("memory").AsInteger(1, kMostBandwidth));
  Set(out.media.storage, media.Get("storage").AsInteger(1, kMostBandwidth));
  media.Finish();
  std::set<std::string> names;
  for (Section& section : root.GetSections("app")) {
    AppConfig app;
    Set(app.name, section.Need("name").AsText());
    const Value model = section.Need("model");
    Set(app.model, model.AsChoice({"fixed", "network", "memory", "staged", "malleable"}));
    app.users = NumbersOf(section.Get("users"));
    app.executables = NumbersOf(section.Get("executables"));
    ReadProcessors(section.Get("processors"), app);
    ReadModel(section, app);
    if (app.model == "staged" && out.media.storage == 0) {
      model.Report("no machine has storage that its jobs would share", "",
                   {"[media] storage = 2000, in MB/s"});
    }
    if (!names.insert(app.name).second) section.Report("another app is called '" + app.name + "'");
    section.Finish();
    out.apps.push_back(std::move(app));
  }
  root.Finish();
  if (out.apps.empty()) document.ReportFile("no [[app]]", {"every [[app]] is one program"});
  if (document.error()) return *document.error();
  return out;
}

Diagnosed<AppsConfig> ReadAppsConfig(const std::string& path) {
  const Diagnosed<std::string> text = ReadFile(path);
  if (!text.ok()) return text.diagnostic();
  return ParseAppsConfig(path, *text);
}

}  // namespace muster::config
