// Resolves bases where they are named, depth first. A base is looked up in bases.json, then among
// the cases.
#include "cli/views/golden_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace muster::cli::views {
namespace {

constexpr std::string_view kBases = "bases";
constexpr size_t kMostRepeats = 1000;  // a mistyped count fails instead of filling the memory

class Reader {
 public:
  explicit Reader(const std::filesystem::path& folder) : folder_(folder) {}

  absl::StatusOr<Json> Case(const std::string& name) {
    MUSTER_ASSIGN_OR_RETURN(const Json written, File(name));
    if (!written.is_object()) return Wrong({name + ".json", ""}, "a case is an object");
    open_.push_back(name);
    auto made = Made(written, nullptr, {name + ".json", ""});
    open_.pop_back();
    return made;
  }

 private:
  struct Place {
    std::string file;
    std::string path;  // "document.job.parts[1]"; empty: the whole file
    Place Member(const std::string& name) const {
      return {file, path.empty() ? name : path + '.' + name};
    }
    Place Element(size_t index) const { return {file, fmt::format("{}[{}]", path, index)}; }
  };

  static absl::Status Wrong(const Place& at, std::string_view what) {
    return InvalidArgument(at.path.empty() ? fmt::format("{}: {}", at.file, what)
                                           : fmt::format("{}, {}: {}", at.file, at.path, what));
  }

  absl::StatusOr<Json> File(std::string_view name) const {
    const std::string file = fmt::format("{}.json", name);
    std::ifstream stream(folder_ / file, std::ios::binary);
    if (!stream) return NotFound(fmt::format("{}: cannot be read", file));
    std::ostringstream text;
    text << stream.rdbuf();
    try {
      return Json::parse(text.str());
    } catch (const Json::exception& error) {
      return InvalidArgument(fmt::format("{}: {}", file, error.what()));
    }
  }

  absl::StatusOr<Json> Base(const Json& name, const Place& at) {
    if (!name.is_string()) return Wrong(at, "\"base\" is the name of a base");
    const auto wanted = name.get<std::string>();
    if (std::find(open_.begin(), open_.end(), wanted) != open_.end()) {
      return Wrong(at, fmt::format("base '{}' is made from itself", wanted));
    }
    MUSTER_ASSIGN_OR_RETURN(const Json bases, File(kBases));
    if (const auto found = bases.find(wanted); found != bases.end()) {
      open_.push_back(wanted);
      auto made = Made(*found, nullptr, {fmt::format("{}.json", kBases), wanted});
      open_.pop_back();
      return made;
    }
    if (std::filesystem::exists(folder_ / (wanted + ".json"))) return Case(wanted);
    return Wrong(at,
                 fmt::format("no base '{}': it is neither in {}.json nor a case", wanted, kBases));
  }

  // Expands the JSON `written` over the value `under` of the base; null: there is none.
  absl::StatusOr<Json> Made(const Json& written, const Json* under, const Place& at) {
    if (written.is_array()) return Array(written, at);
    if (!written.is_object()) return written;
    Json made = under == nullptr ? Json::object() : *under;
    if (const auto base = written.find("base"); base != written.end()) {
      MUSTER_ASSIGN_OR_RETURN(made, Base(*base, at));
    }
    if (!made.is_object() && !made.is_array()) made = Json::object();
    for (const auto& [key, value] : written.items()) {
      if (key == "base") continue;
      MUSTER_RETURN_IF_ERROR(made.is_array() ? LayElement(made, key, value, at)
                                             : LayMember(made, key, value, at));
    }
    return made;
  }

  absl::Status LayMember(Json& made, const std::string& key, const Json& value, const Place& at) {
    const auto under = made.find(key);
    MUSTER_ASSIGN_OR_RETURN(Json laid,
                            Made(value, under == made.end() ? nullptr : &*under, at.Member(key)));
    made[key] = std::move(laid);
    return absl::OkStatus();
  }

  absl::Status LayElement(Json& made, const std::string& key, const Json& value, const Place& at) {
    size_t index = 0;
    const char* end = key.data() + key.size();
    const auto read = std::from_chars(key.data(), end, index);
    if (read.ec != std::errc() || read.ptr != end || index >= made.size()) {
      return Wrong(at, fmt::format("'{}' is no element of the base, which has {} here, from 0", key,
                                   made.size()));
    }
    MUSTER_ASSIGN_OR_RETURN(made[index], Made(value, &made[index], at.Element(index)));
    return absl::OkStatus();
  }

  absl::StatusOr<Json> Array(const Json& written, const Place& at) {
    Json made = Json::array();
    for (size_t i = 0; i < written.size(); ++i) {
      const Json* element = &written[i];
      size_t times = 1;
      if (element->is_object() && element->contains("repeat")) {
        const Json& count = element->at("repeat");
        if (element->size() != 2 || !element->contains("of") || !count.is_number_unsigned() ||
            count.get<size_t>() == 0 || count.get<size_t>() > kMostRepeats) {
          return Wrong(at.Element(i), fmt::format("a repetition is {{\"repeat\": 1 to {}, \"of\": "
                                                  "an element}}",
                                                  kMostRepeats));
        }
        times = count.get<size_t>();
        element = &element->at("of");
      }
      MUSTER_ASSIGN_OR_RETURN(const Json one, Made(*element, nullptr, at.Element(i)));
      made.insert(made.end(), times, one);
    }
    return made;
  }

  const std::filesystem::path& folder_;
  std::vector<std::string> open_;  // names of the bases and cases being expanded, outermost first
};

}  // namespace

std::vector<std::string> GoldenCases::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() == ".json" && path.stem() != kBases) names.push_back(path.stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<Json> GoldenCases::Read(const std::string& name) const {
  return Reader(folder_).Case(name);
}

}  // namespace muster::cli::views
