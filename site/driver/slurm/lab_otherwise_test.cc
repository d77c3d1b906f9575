// A cluster that grants less than was asked, and says that all is well: 22.05 was seen to do so
// with a number of nodes. Here its library is made to, for walls whose name says so.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <slurm/slurm.h>

#include <cstring>
#include <string>

#include "site/driver/slurm/lab_fixture.h"

// Instead of the library's, which it calls with the last node left out.
extern "C" char* slurm_create_reservation(resv_desc_msg_t* wanted) {
  using Create = char* (*)(resv_desc_msg_t*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "slurm_create_reservation"));
  if (std::strstr(wanted->name, "otherwise") == nullptr) return create(wanted);
  std::string nodes = wanted->node_list;
  nodes.resize(nodes.find_last_of(','));
  char* const asked = wanted->node_list;
  wanted->node_list = nodes.data();
  char* const name = create(wanted);
  wanted->node_list = asked;
  return name;
}

namespace muster::driver::slurm::lab_otherwise_test {
namespace {

class LabOtherwise : public Lab {};

TEST_F(LabOtherwise, AWallOfFewerNodesThanAskedIsRefusedAndRemoved) {
  PutWall wall = WallOf("otherwise", 1, 4, {InSeconds(60), InSeconds(120)});
  schemas::ChunkPlace second{.node = Node(2)};
  second.resources.Set("ncpus", 4);
  wall.places.front().chunks.push_back(second);
  driver_->Do(wall);
  ASSERT_TRUE(
      Await([&] { return OfWall<WallStands>("otherwise") || OfWall<WallRefused>("otherwise"); }));
  ASSERT_EQ(OfWall<WallStands>("otherwise"), nullptr);
  EXPECT_NE(OfWall<WallRefused>("otherwise")->why.find("otherwise than asked"), std::string::npos);
  EXPECT_TRUE(Await([&] {
    return Slurm("scontrol -o show reservation").find("mu_TEST_otherwise") == std::string::npos;
  }));
}

}  // namespace
}  // namespace muster::driver::slurm::lab_otherwise_test
