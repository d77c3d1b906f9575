// CURVE keys: generates, checks, reads and writes them. A key is Z85 text of 40 characters. The
// public half is shared with peers; the secret half never leaves its file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/io/entropy.h"
#include "base/status.h"

namespace muster::io {

// Secrets come from the kernel's generator, key pairs from libzmq. Aborts if the kernel has no
// randomness.
std::unique_ptr<Entropy> SystemEntropy();

// Whether the text is 40 characters of Z85 that decode to 32 bytes.
bool IsKey(std::string_view text);

// The public half of a secret key. Errors: `secret_key` is no key.
absl::StatusOr<std::string> PublicKeyOf(const std::string& secret_key);

// "rT5f…9w": a short form that tells public keys apart in messages.
std::string ShortKey(std::string_view public_key);

// Reads a file that WriteKeyFile wrote. Errors, most with advice: NotFound; PermissionDenied if
// its mode gives other users any right; InvalidArgument if it is no key file or its halves do not
// match; Internal if it cannot be read.
absl::StatusOr<KeyPair> ReadKeyFile(const std::string& path);

// Creates the file with mode 0600 and syncs it. Errors: AlreadyExists, and the existing file stays
// as it is; after a failed write no file remains.
absl::Status WriteKeyFile(const std::string& path, const KeyPair& pair);

}  // namespace muster::io
