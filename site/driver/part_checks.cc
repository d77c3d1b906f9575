// Names that end up in paths, and texts that end up in arguments and environments.
#include "site/driver/part_checks.h"

#include <signal.h>

#include <string_view>
#include <utility>

namespace muster::driver {
namespace {

constexpr size_t kFileNameBytes = 200;

constexpr std::pair<const char*, int> kNoticeSignals[] = {
    {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP},
    {"QUIT", SIGQUIT}, {"ALRM", SIGALRM}, {"CONT", SIGCONT}, {"URG", SIGURG}, {"WINCH", SIGWINCH}};

std::string NoticeSignals() {
  std::string names;
  for (const auto& [name, number] : kNoticeSignals)
    names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

}  // namespace

bool IsFileName(const std::string& text) {
  if (text.empty() || text.size() > kFileNameBytes || text[0] == '.') return false;
  for (const unsigned char c : text) {
    if (c == '/' || c < ' ' || c == 127) return false;
  }
  return true;
}

std::optional<int> SignalNumber(const std::string& name) {
  const std::string_view bare =
      name.starts_with("SIG") ? std::string_view(name).substr(3) : std::string_view(name);
  for (const auto& [known, number] : kNoticeSignals) {
    if (bare == known) return number;
  }
  return std::nullopt;
}

std::string WhatIsWrongWith(const StartPart& part) {
  const schemas::Payload& payload = part.payload;
  if (part.place.chunks.empty()) return "it is mapped to no node";
  if (payload.script.empty() && payload.argv.empty())
    return "it has neither a script nor a command";
  const auto null = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  for (const std::string& argument : payload.argv) {
    if (null(argument)) return "an argument holds a null byte";
  }
  for (const auto* variables : {&payload.environment, &part.environment}) {
    for (const auto& [name, value] : *variables) {
      if (name.empty() || name.find('=') != std::string::npos || null(name))
        return "'" + name + "' cannot name a variable";
      if (null(value)) return "variable " + name + " holds a null byte";
    }
  }
  if (part.notice) {
    for (const std::string& argument : part.notice->argv) {
      if (null(argument)) return "an argument of its notice holds a null byte";
    }
    if (part.notice->before <= Span{0}) return "its notice is not before its end";
    if (!part.notice->signal.empty() && !SignalNumber(part.notice->signal))
      return "its notice names signal '" + part.notice->signal + "', which is not one of " +
             NoticeSignals();
  }
  if (null(payload.submit_dir)) return "its submit directory holds a null byte";
  for (const schemas::ChunkPlace& chunk : part.place.chunks) {
    if (null(chunk.node)) return "a node's name holds a null byte";
  }
  return "";
}

}  // namespace muster::driver
