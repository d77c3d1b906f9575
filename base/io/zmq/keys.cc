// A key file is two lines of TOML, parsed here by hand; it may contain no other TOML.
#include "base/io/zmq/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cstring>
#include <optional>

#include "base/check.h"

namespace muster::io {
namespace {

constexpr size_t kKeyCharacters = 40;
constexpr size_t kKeyBytes = 32;
// Limit of a file's size; key files are far smaller.
constexpr size_t kKeyFileBytes = 4096;

using KeyText = std::array<char, kKeyCharacters + 1>;

class MachineEntropy final : public Entropy {
 public:
  Secret NewSecret() override {
    Secret secret;
    MUSTER_CHECK(getrandom(secret.bytes.data(), secret.bytes.size(), 0) ==
                 static_cast<ssize_t>(secret.bytes.size()));
    return secret;
  }
  KeyPair NewKeyPair() override {
    KeyText public_key{};
    KeyText secret_key{};
    MUSTER_CHECK(zmq_curve_keypair(public_key.data(), secret_key.data()) == 0);
    return {.public_key = public_key.data(), .secret_key = secret_key.data()};
  }
};

// Closes a descriptor at the end of its scope.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string Because(std::string_view what, const std::string& path, int error) {
  return std::string(what) + " " + path + ": " + std::strerror(error);
}

absl::Status WithCode(absl::StatusCode code, const std::string& message) {
  return absl::Status(code, message);
}

std::string Octal(mode_t mode) {
  std::string out = "0000";
  for (size_t i = 4; i-- > 0; mode /= 8) out[i] = static_cast<char>('0' + mode % 8);
  return out;
}

absl::Status CheckKeyFile(int descriptor, const std::string& path) {
  struct stat found{};
  if (fstat(descriptor, &found) != 0) return Internal(Because("cannot look at", path, errno));
  if (!S_ISREG(found.st_mode)) return InvalidArgument(path + " is not a file");
  const mode_t mode = found.st_mode & 07777;
  if ((mode & 077) != 0) {
    return WithCode(absl::StatusCode::kPermissionDenied,
                    path + " is open to others (mode " + Octal(mode) +
                        "); a key is its owner's: chmod 600 " + path);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadAll(int descriptor, const std::string& path) {
  std::string text(kKeyFileBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Internal(Because("cannot read", path, errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  text.resize(size);
  return text;
}

// The value of a line `name = "value"`; none if the line has another name.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view name) {
  const auto skip_blanks = [&line] {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  };
  skip_blanks();
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  skip_blanks();
  if (!line.starts_with('=')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with('"')) return std::nullopt;
  line.remove_prefix(1);
  return line.substr(0, line.find('"'));
}

bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

}  // namespace

std::unique_ptr<Entropy> SystemEntropy() { return std::make_unique<MachineEntropy>(); }

bool IsKey(std::string_view text) {
  if (text.size() != kKeyCharacters || text.find('\0') != std::string_view::npos) return false;
  KeyText copy{};
  text.copy(copy.data(), kKeyCharacters);
  std::array<uint8_t, kKeyBytes> bytes{};
  return zmq_z85_decode(bytes.data(), copy.data()) != nullptr;
}

absl::StatusOr<std::string> PublicKeyOf(const std::string& secret_key) {
  KeyText public_key{};
  if (!IsKey(secret_key) || zmq_curve_public(public_key.data(), secret_key.c_str()) != 0) {
    return InvalidArgument("a key is 40 characters of Z85");
  }
  return std::string(public_key.data());
}

std::string ShortKey(std::string_view public_key) {
  constexpr size_t kFront = 4;
  constexpr size_t kBack = 2;
  if (public_key.size() <= kFront + kBack) return std::string(public_key);
  return std::string(public_key.substr(0, kFront)) + "…" +
         std::string(public_key.substr(public_key.size() - kBack));
}

absl::StatusOr<KeyPair> ReadKeyFile(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && errno == ENOENT) {
    return NotFound("there is no key file " + path + "; 'muster keys new' makes one");
  }
  if (file.get() < 0) return Internal(Because("cannot open key file", path, errno));
  MUSTER_RETURN_IF_ERROR(CheckKeyFile(file.get(), path));
  MUSTER_ASSIGN_OR_RETURN(const std::string text, ReadAll(file.get(), path));

  KeyPair pair;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const auto value = ValueOf(line, "public")) pair.public_key = *value;
    if (const auto value = ValueOf(line, "secret")) pair.secret_key = *value;
  }
  if (!IsKey(pair.public_key) || !IsKey(pair.secret_key)) {
    return InvalidArgument(
        path + " is not a key file: it needs the lines public = \"…\" and secret = \"…\", " +
        "40 characters each; 'muster keys new' makes one");
  }
  const absl::StatusOr<std::string> expected = PublicKeyOf(pair.secret_key);
  if (!expected.ok() || *expected != pair.public_key) {
    return InvalidArgument("the two halves in " + path + " do not belong together");
  }
  return pair;
}

absl::Status WriteKeyFile(const std::string& path, const KeyPair& pair) {
  const File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0 && errno == EEXIST) {
    return WithCode(absl::StatusCode::kAlreadyExists,
                    path + " exists already; a key file is never overwritten");
  }
  if (file.get() < 0) return Internal(Because("cannot make key file", path, errno));
  const std::string text =
      "# A key of muster. The public half may be told; this file is its owner's alone.\n"
      "public = \"" +
      pair.public_key + "\"\nsecret = \"" + pair.secret_key + "\"\n";
  if (!WriteAll(file.get(), text) || fsync(file.get()) != 0) {
    const int error = errno;
    unlink(path.c_str());
    return Internal(Because("cannot write key file", path, error));
  }
  return absl::OkStatus();
}

}  // namespace muster::io
