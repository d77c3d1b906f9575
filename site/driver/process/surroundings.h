// What a part finds around it: its environment, node file and GPUs. cli.md section 6; pure.
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

// Everything on the node a part runs on: the chunks of the first chunk's node, added up.
ResourceSet OnFirstNode(const schemas::PartPlace& place);

// One line per chunk, "n1 slots=4", as mpirun reads it; a chunk without processors has one slot.
std::string NodeFileText(const schemas::PartPlace& place);

// GPU indexes granted to a part, per node, ascending.
using DeviceGrant = std::vector<std::pair<std::string, std::vector<int>>>;

// Which GPU of which node is in use. The plan counts GPUs; this gives them numbers, lowest free
// first.
class Devices {
 public:
  DeviceGrant Take(const schemas::PartPlace& place);
  // As taken before a restart.
  void Retake(const DeviceGrant& grant);
  void Return(const DeviceGrant& grant);
  // Makes the grant that of another place: the highest go first, the lowest free ones come.
  void Adjust(DeviceGrant& grant, const schemas::PartPlace& place);

 private:
  std::map<std::string, std::set<int>> used_;
};

// "n1:0,1" for one node of a grant, and back; nothing for text of another form.
std::string ToText(const DeviceGrant::value_type& node_devices);
std::optional<DeviceGrant::value_type> ParseNodeDevices(const std::string& text);

// What only the driver knows of a part's environment.
struct GivenFiles {
  std::string node_file;
  std::string secret_file;
};

// The payload's variables, over them those of the command, over them what the driver knows.
// MUSTER_SUBMIT_DIR stays as ordered: the shepherd drops it when the part runs elsewhere.
std::map<std::string, std::string> EnvironmentOf(const StartPart& part, const GivenFiles& files,
                                                 const DeviceGrant& devices);

}  // namespace muster::driver
