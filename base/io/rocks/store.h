// The durable store over RocksDB: one synced batch per commit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/io/store.h"

namespace muster::io {

struct StoreOptions {
  std::string folder;   // the store's own; nothing else is kept in it
  bool create = false;  // make the folder (mode 0700) and the store where they are missing
  // Below this much free space the store is not opened: RocksDB may end the process where a write
  // finds none.
  int64_t least_free_bytes = int64_t{16} << 20;
  // A file of this size, `ballast`, is kept beside the data for the operator to remove when the
  // disk is full, so that the daemon can start and close what is open. 0: none.
  int64_t ballast_bytes = int64_t{32} << 20;
};

// Refused, with what to do: a folder that is missing (NotFound, unless `create`) or no folder, a
// store that another process has open (Unavailable), one that is damaged (DataLoss), too little
// space (ResourceExhausted). A last batch that a crash tore is no damage: it was never
// acknowledged.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(const StoreOptions& options);

}  // namespace muster::io
