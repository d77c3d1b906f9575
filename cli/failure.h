// The result of a command: an exit status, or an error in the anatomy of cli.md section 1.10.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/diagnostic.h"

namespace muster::cli {

// Exit statuses, as in the table of cli.md section 1.
inline constexpr int kExitDone = 0;
inline constexpr int kExitInternal = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotFound = 3;
inline constexpr int kExitDenied = 4;
inline constexpr int kExitUnreachable = 5;
inline constexpr int kExitTimeout = 6;
inline constexpr int kExitNever = 7;
inline constexpr int kExitConflict = 8;
inline constexpr int kExitUnsuccessful = 9;
inline constexpr int kExitInterrupted = 130;  // Ctrl-C: 128 + SIGINT, as in shells

// The exit status of an error code; unknown codes give kExitInternal.
int ExitOf(std::string_view code);

struct Failure {
  Diagnostic diagnostic;
  std::string changed;  // what the command changed, as in "nothing was submitted"; may be empty

  Failure() = default;
  Failure(Diagnostic d) : diagnostic(std::move(d)) {}
  Failure(Diagnostic d, std::string c) : diagnostic(std::move(d)), changed(std::move(c)) {}
};

// Short forms to make a failure.
Failure Fail(std::string code, std::string message, std::string help = {},
             std::string changed = {});
inline Failure UsageError(std::string message, std::string help = {}) {
  return Fail("usage", std::move(message), std::move(help));
}

// A failure of a system call: what was tried, and the text of errno.
Failure SystemFailure(const std::string& what);

// The failure as text for stderr. `changed` follows the help on its line if it fits, else below it.
std::string RenderFailure(const Failure& failure);

// An exit status or a failure.
class Result {
 public:
  Result(int exit) : content_(exit) {}
  Result(Failure failure) : content_(std::move(failure)) {}
  Result(Diagnostic diagnostic) : content_(Failure(std::move(diagnostic))) {}
  bool ok() const { return content_.index() == 0; }
  int exit() const { return std::get<0>(content_); }                // REQUIRES ok()
  const Failure& failure() const { return std::get<1>(content_); }  // REQUIRES !ok()

 private:
  std::variant<int, Failure> content_;
};

// A value or a failure.
template <class T>
class Expect {
 public:
  Expect(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Expect(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}
  Expect(Diagnostic diagnostic)
      : content_(std::in_place_index<1>, Failure(std::move(diagnostic))) {}
  bool ok() const { return content_.index() == 0; }
  T& value() { return std::get<0>(content_); }  // REQUIRES ok()
  const T& value() const { return std::get<0>(content_); }
  T* operator->() { return &value(); }
  const Failure& failure() const { return std::get<1>(content_); }

 private:
  std::variant<T, Failure> content_;
};

}  // namespace muster::cli
