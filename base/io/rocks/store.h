// The durable store over RocksDB: one synced batch per commit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/io/store.h"

namespace muster::io {

struct StoreOptions {
  std::string folder;   // folder of the store alone
  bool create = false;  // create the folder (mode 0700) and the store if missing
  // With less free space the store is not opened: RocksDB may abort the process when a write runs
  // out of space.
  int64_t least_free_bytes = int64_t{16} << 20;
  // Size of a file `ballast` beside the data. When the disk is full, the operator can delete it, so
  // that the daemon can start and close what is open. 0: no file.
  int64_t ballast_bytes = int64_t{32} << 20;
};

// Errors, most with advice. NotFound: there is no store and `create` is false. InvalidArgument:
// `folder` is no folder. Unavailable: another process has the store open. DataLoss: the store is
// damaged. ResourceExhausted: there is too little space. Internal: any other failure. A last batch
// torn by a crash is no damage: it was never acknowledged.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(const StoreOptions& options);

}  // namespace muster::io
