// CURVE keys: making them, checking them, and the files that hold them. A key is Z85 text of 40
// characters; its public half is told to others, its secret half never leaves its file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/io/entropy.h"
#include "base/status.h"

namespace muster::io {

// Secrets from the kernel's generator, key pairs from libzmq's. Aborts where the kernel has no
// randomness.
std::unique_ptr<Entropy> SystemEntropy();

// True for 40 characters of Z85 that hold 32 bytes.
bool IsKey(std::string_view text);

// The public half of a secret key; refused if `secret_key` is not IsKey.
absl::StatusOr<std::string> PublicKeyOf(const std::string& secret_key);

// "rT5f…9w": enough of a public key to tell it from others when talking about it.
std::string ShortKey(std::string_view public_key);

// The pair in a file that WriteKeyFile made. Refused, with what to do: a missing file (NotFound),
// one that others may read or write (PermissionDenied), one that is no key file or whose halves do
// not belong together.
absl::StatusOr<KeyPair> ReadKeyFile(const std::string& path);

// Makes the file, mode 0600, synced. An existing one is never touched (AlreadyExists); a failed
// write leaves no file.
absl::Status WriteKeyFile(const std::string& path, const KeyPair& pair);

}  // namespace muster::io
