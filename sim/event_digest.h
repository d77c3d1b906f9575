// A running digest of everything a simulated federation says and writes. Two builds of the program
// behave alike on a seed if their digests are equal: what only changes how a value is stored does
// not show. So fields count by name, a field that is null does not count (a later build may have it
// and an earlier may not), nor do digests (they cover stored forms) or the version of the protocol.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "schemas/canonical.h"
#include "schemas/fields.h"

namespace muster::sim {

// The form that is digested: of a struct its fields that are not null, each with its name, then an
// empty name; of all else the canonical form.
class EventForm {
 public:
  const std::string& bytes() const { return out_.bytes(); }

  template <class T>
  void Put(const T& v) {
    if constexpr (schemas::HasFields<T>) {
      schemas::ForEachField(v, [this](std::string_view name, const auto& field) {
        if (!Counts(name, field)) return;
        out_.Put(std::string(name));
        Put(field);
      });
      out_.Put(std::string());
    } else {
      out_.Put(v);
    }
  }
  template <class T>
  void Put(const std::vector<T>& v) {
    out_.Put(v.size());
    for (const T& e : v) Put(e);
  }
  template <class T>
  void Put(const std::optional<T>& v) {
    if (v) Put(*v);
  }
  template <class... T>
  void Put(const std::variant<T...>& v) {
    out_.Put(v.index());
    std::visit([this](const auto& e) { Put(e); }, v);
  }

 private:
  template <class T>
  static bool Counts(std::string_view name, const T& v) {
    if constexpr (std::is_same_v<T, Digest>)
      return false;
    else if constexpr (requires { v.has_value(); })
      return v.has_value();
    else if constexpr (requires { v.empty(); })
      return !v.empty();
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      return v != T{} && name != "version";
    else
      return true;
  }

  schemas::CanonicalWriter out_;
};

class EventDigest {
 public:
  // A message from one host to another, or what a host wrote (`to` is empty).
  template <class T>
  void Add(const std::string& from, const std::string& to, const T& what) {
    EventForm form;
    form.Put(so_far_);
    form.Put(from);
    form.Put(to);
    form.Put(what);
    so_far_ = schemas::Hash(form.bytes());
  }
  const Digest& so_far() const { return so_far_; }

 private:
  Digest so_far_;
};

}  // namespace muster::sim
