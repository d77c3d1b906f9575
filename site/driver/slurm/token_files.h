// Small files that others may replace, fill or link at any time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "site/driver/slurm/marks.h"

namespace muster::driver::slurm {

// What the system said of the last call: "cannot make 'PATH': No space left on device".
absl::Status FileError(const std::string& what, const std::string& path);
// The file is new, or there is an error and no file. kOnDisk: it outlives a crash of the machine.
enum class Kept : uint8_t { kAsUsual, kOnDisk };
absl::Status WriteNewFile(const std::string& path, std::string_view text,
                          Kept kept = Kept::kAsUsual);
// A reader finds the old file or the new one.
absl::Status ReplaceFile(const std::string& folder, const std::string& name, std::string_view text);
// The file is there.
absl::Status AppendToFile(const std::string& path, std::string_view text);
// None, with errno set: there is no such plain file, or it has more than 64 KiB.
std::optional<std::string> ReadSmallFile(const std::string& path);
std::optional<OutputPiece> ReadPiece(const std::string& path, uint64_t offset, size_t limit);

}  // namespace muster::driver::slurm
