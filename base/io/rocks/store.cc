// RocksDB tuned for small synced batches: log writes dominate; tables are few and uncompressed.
#include "base/io/rocks/store.h"

#include <errno.h>
#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/units.h"

namespace muster::io {
namespace {

constexpr size_t kWriteBufferBytes = size_t{16} << 20;  // bounds the replay at a restart
constexpr uint64_t kLogBytes = uint64_t{64} << 20;      // limit for all write-ahead logs together
constexpr size_t kCacheBytes = size_t{8} << 20;  // small, since reads happen only at the start
constexpr int kOpenTables = 128;
constexpr size_t kKeptInfoLogs = 2;
constexpr size_t kInfoLogBytes = size_t{1} << 20;

rocksdb::Options Tuned(bool create) {
  rocksdb::Options options;
  options.create_if_missing = create;
  // A torn last record is a batch that was never acknowledged. Damage before it must not count as
  // the end of the log.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.avoid_flush_during_shutdown = true;  // the log contains everything already
  options.write_buffer_size = kWriteBufferBytes;
  options.max_total_wal_size = kLogBytes;
  options.max_open_files = kOpenTables;
  options.compression = rocksdb::kNoCompression;
  options.max_background_jobs = 2;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.keep_log_file_num = kKeptInfoLogs;
  options.max_log_file_size = kInfoLogBytes;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(kCacheBytes);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

absl::Status WithCode(absl::StatusCode code, const std::string& message) {
  return absl::Status(code, message);
}

std::string Because(const std::string& what, int error) {
  return what + ": " + std::strerror(error);
}

rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view FromSlice(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// The smallest key after all keys with this prefix; "" if there is none.
std::string After(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xFF) end.pop_back();
  if (!end.empty()) ++end.back();
  return end;
}

absl::StatusOr<int64_t> FreeBytesOf(const std::string& folder) {
  struct statvfs found{};
  if (statvfs(folder.c_str(), &found) != 0) {
    return Internal(Because("cannot tell the free space of " + folder, errno));
  }
  return static_cast<int64_t>(found.f_bavail) * static_cast<int64_t>(found.f_frsize);
}

using Row = std::pair<std::string, std::string>;

class RocksView final : public StoreView {
 public:
  RocksView(std::string folder, rocksdb::DB& database)
      : folder_(std::move(folder)), at_(database.NewIterator({})) {
    at_->SeekToFirst();
  }

  absl::StatusOr<std::vector<Row>> Next(size_t bytes) override {
    std::vector<Row> rows;
    size_t taken = 0;
    for (; at_->Valid(); at_->Next()) {
      taken += at_->key().size() + at_->value().size();
      if (!rows.empty() && taken > bytes) break;
      rows.emplace_back(at_->key().ToString(), at_->value().ToString());
    }
    if (at_->status().ok()) return rows;
    return WithCode(absl::StatusCode::kDataLoss,
                    "cannot read " + folder_ + ": " + at_->status().ToString());
  }

 private:
  const std::string folder_;
  // It sees what was there when it was made, and keeps that.
  const std::unique_ptr<rocksdb::Iterator> at_;
};

class RocksStore final : public Store {
 public:
  RocksStore(std::string folder, std::unique_ptr<rocksdb::DB> database)
      : folder_(std::move(folder)), database_(std::move(database)) {}

  absl::Status Commit(const std::vector<Mutation>& batch) override {
    if (batch.empty()) return absl::OkStatus();
    rocksdb::WriteBatch writes;
    for (const Mutation& change : batch) {
      const rocksdb::Status added =
          change.value ? writes.Put(change.key, *change.value) : writes.Delete(change.key);
      if (!added.ok()) return Internal("cannot write to " + folder_ + ": " + added.ToString());
    }
    rocksdb::WriteOptions options;
    options.sync = true;
    const rocksdb::Status written = database_->Write(options, &writes);
    if (!written.ok()) return Internal("cannot write to " + folder_ + ": " + written.ToString());
    return absl::OkStatus();
  }

  absl::Status Scan(
      std::string_view prefix,
      const std::function<void(std::string_view key, std::string_view value)>& row) override {
    const std::string end = After(prefix);
    const rocksdb::Slice bound(end);
    rocksdb::ReadOptions options;
    if (!end.empty()) options.iterate_upper_bound = &bound;
    const std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator(options));
    for (at->Seek(ToSlice(prefix)); at->Valid(); at->Next()) {
      row(FromSlice(at->key()), FromSlice(at->value()));
    }
    if (!at->status().ok()) {
      return WithCode(absl::StatusCode::kDataLoss,
                      "cannot read " + folder_ + ": " + at->status().ToString());
    }
    return absl::OkStatus();
  }

  std::unique_ptr<StoreView> View() override {
    return std::make_unique<RocksView>(folder_, *database_);
  }

  absl::StatusOr<int64_t> FreeBytes() override { return FreeBytesOf(folder_); }

 private:
  const std::string folder_;
  const std::unique_ptr<rocksdb::DB> database_;
};

absl::Status CheckFolder(const StoreOptions& options) {
  std::error_code error;
  const std::filesystem::path folder(options.folder);
  const std::filesystem::file_status found = std::filesystem::status(folder, error);
  if (std::filesystem::is_directory(found)) return absl::OkStatus();
  if (std::filesystem::exists(found)) return InvalidArgument(options.folder + " is not a folder");
  if (!options.create) return NotFound("there is no store at " + options.folder);
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (error)
    return Internal("cannot make " + folder.parent_path().string() + ": " + error.message());
  if (mkdir(options.folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Internal(Because("cannot make " + options.folder, errno));
  }
  return absl::OkStatus();
}

std::string BallastPath(const StoreOptions& options) { return options.folder + "/ballast"; }

absl::Status CheckSpace(const StoreOptions& options) {
  MUSTER_ASSIGN_OR_RETURN(const int64_t free, FreeBytesOf(options.folder));
  if (free >= options.least_free_bytes) return absl::OkStatus();
  constexpr int64_t kMegabyte = int64_t{1} << 20;
  return WithCode(absl::StatusCode::kResourceExhausted,
                  "only " + SizeText(free / kMegabyte * kMegabyte) + " free below " +
                      options.folder + ", " + SizeText(options.least_free_bytes) +
                      " are needed; make room, or remove " + BallastPath(options));
}

// Creates the ballast if there is room. Without it the store opens anyway: CheckSpace has found
// enough free space.
void KeepBallast(const StoreOptions& options) {
  const std::string path = BallastPath(options);
  struct stat found{};
  if (options.ballast_bytes == 0 || stat(path.c_str(), &found) == 0) return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool kept = posix_fallocate(file, 0, options.ballast_bytes) == 0;
  close(file);
  if (!kept) unlink(path.c_str());
}

absl::Status Explain(const rocksdb::Status& status, const std::string& folder) {
  const std::string text = status.ToString();
  if (status.IsCorruption()) {
    return WithCode(
        absl::StatusCode::kDataLoss,
        "the store at " + folder + " is damaged; restore it from a backup (" + text + ")");
  }
  const bool locked =
      text.find("lock") != std::string::npos || text.find("LOCK") != std::string::npos;
  if (status.IsIOError() && locked) {
    return Unavailable("the store at " + folder + " is open in another process (" + text + ")");
  }
  if (status.IsInvalidArgument() && text.find("does not exist") != std::string::npos) {
    return NotFound("there is no store at " + folder);
  }
  return Internal("cannot open the store at " + folder + ": " + text);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const StoreOptions& options) {
  MUSTER_RETURN_IF_ERROR(CheckFolder(options));
  MUSTER_RETURN_IF_ERROR(CheckSpace(options));
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(Tuned(options.create), options.folder, &opened);
  if (!status.ok()) return Explain(status, options.folder);
  std::unique_ptr<Store> store =
      std::make_unique<RocksStore>(options.folder, std::unique_ptr<rocksdb::DB>(opened));
  KeepBallast(options);
  return store;
}

}  // namespace muster::io
