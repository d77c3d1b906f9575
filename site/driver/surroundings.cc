// Names of variables are those of cli.md section 6.
#include "site/driver/surroundings.h"

#include <algorithm>
#include <charconv>

namespace muster::driver {
namespace {

std::string ByComma(const std::vector<int>& indexes) {
  std::string text;
  for (const int index : indexes) text += (text.empty() ? "" : ",") + std::to_string(index);
  return text;
}

}  // namespace

ResourceSet OnFirstNode(const schemas::PartPlace& place) {
  ResourceSet sum;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    if (chunk.node == place.chunks.front().node) sum += chunk.resources;
  }
  return sum;
}

std::string NodeFileText(const schemas::PartPlace& place) {
  std::string text;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    if (chunk.resources.empty()) continue;  // only blocked by the part: no chunk is there
    const int64_t slots = std::max<int64_t>(1, chunk.resources.Get("ncpus"));
    text += chunk.node + " slots=" + std::to_string(slots) + "\n";
  }
  return text;
}

DeviceGrant Devices::Take(const schemas::PartPlace& place) {
  DeviceGrant grant;
  Adjust(grant, place);
  return grant;
}

void Devices::Adjust(DeviceGrant& grant, const schemas::PartPlace& place) {
  std::map<std::string, int64_t> wanted;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    if (const int64_t count = chunk.resources.Get("ngpus"); count > 0) wanted[chunk.node] += count;
  }
  std::map<std::string, std::vector<int>> had(grant.begin(), grant.end());
  for (auto& [node, given] : had) {
    const auto left = static_cast<size_t>(std::max<int64_t>(wanted[node], 0));
    for (; given.size() > left; given.pop_back()) used_[node].erase(given.back());
  }
  grant.clear();
  for (const auto& [node, count] : wanted) {
    if (count == 0) continue;
    std::set<int>& used = used_[node];
    std::vector<int> given = had[node];
    for (int index = 0; static_cast<int64_t>(given.size()) < count; ++index) {
      if (used.insert(index).second) given.push_back(index);
    }
    std::sort(given.begin(), given.end());
    grant.emplace_back(node, std::move(given));
  }
}

void Devices::Retake(const DeviceGrant& grant) {
  for (const auto& [node, indexes] : grant) used_[node].insert(indexes.begin(), indexes.end());
}

void Devices::Return(const DeviceGrant& grant) {
  for (const auto& [node, indexes] : grant) {
    for (const int index : indexes) used_[node].erase(index);
  }
}

std::string ToText(const DeviceGrant::value_type& node_devices) {
  return node_devices.first + ":" + ByComma(node_devices.second);
}

std::optional<DeviceGrant::value_type> ParseNodeDevices(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  DeviceGrant::value_type result{text.substr(0, colon), {}};
  const char* next = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  while (next < end) {
    int index = 0;
    const auto [stop, error] = std::from_chars(next, end, index);
    if (error != std::errc() || (stop != end && *stop != ',')) return std::nullopt;
    result.second.push_back(index);
    next = stop == end ? end : stop + 1;
  }
  return result;
}

std::map<std::string, std::string> EnvironmentOf(const StartPart& part, const GivenFiles& files,
                                                 const DeviceGrant& devices) {
  std::map<std::string, std::string> variables = part.payload.environment;
  for (const auto& [name, value] : part.environment) variables[name] = value;
  const ResourceSet here = OnFirstNode(part.place);
  variables["MUSTER_NODEFILE"] = files.node_file;
  variables["MUSTER_SECRET_FILE"] = files.secret_file;
  variables["MUSTER_NCPUS"] = std::to_string(here.Get("ncpus"));
  variables["MUSTER_GPUS"] = std::to_string(here.Get("ngpus"));
  for (const auto& [node, indexes] : devices) {
    if (node == part.place.chunks.front().node)
      variables["CUDA_VISIBLE_DEVICES"] = ByComma(indexes);
  }
  if (!part.payload.submit_dir.empty()) variables["MUSTER_SUBMIT_DIR"] = part.payload.submit_dir;
  return variables;
}

}  // namespace muster::driver
