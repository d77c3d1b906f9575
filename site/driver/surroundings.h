// The surroundings of a part: its environment, node file and GPUs. cli.md section 6. Pure functions
// and values.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/resources.h"
#include "schemas/hold.h"
#include "site/driver/driver.h"

namespace muster::driver {

// All resources that the part has on its first node, where it runs: the sum over its chunks there.
ResourceSet OnFirstNode(const schemas::PartPlace& place);

// One line per chunk, "n1 slots=4", the format of mpirun; a chunk without processors has one slot.
std::string NodeFileText(const schemas::PartPlace& place);

// GPU indexes granted to a part, per node, ascending.
using DeviceGrant = std::vector<std::pair<std::string, std::vector<int>>>;

// Tracks which GPUs of each node are in use. The plan only counts GPUs; this class assigns indexes,
// the lowest free first.
class Devices {
 public:
  DeviceGrant Take(const schemas::PartPlace& place);
  // Marks as taken a grant that was made before a restart.
  void Retake(const DeviceGrant& grant);
  void Return(const DeviceGrant& grant);
  // Changes the grant to that of another place: the highest indexes are given up first, the lowest
  // free ones added.
  void Adjust(DeviceGrant& grant, const schemas::PartPlace& place);

 private:
  std::map<std::string, std::set<int>> used_;
};

// "n1:0,1" for one node of a grant, and back; none if the text has another form.
std::string ToText(const DeviceGrant::value_type& node_devices);
std::optional<DeviceGrant::value_type> ParseNodeDevices(const std::string& text);

// Paths of the files that the driver gives to a part.
struct GivenFiles {
  std::string node_file;
  std::string secret_file;
};

// The payload's variables, overridden by StartPart::environment, and both by the driver's own.
// MUSTER_SUBMIT_DIR is the directory as ordered: the shepherd drops the variable if the part runs
// elsewhere.
std::map<std::string, std::string> EnvironmentOf(const StartPart& part, const GivenFiles& files,
                                                 const DeviceGrant& devices);

}  // namespace muster::driver
