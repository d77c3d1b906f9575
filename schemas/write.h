// A write that a core requests: a key with its new value, or the key's removal. All writes of a
// turn form one batch.
#pragma once

#include <optional>
#include <string>

#include "schemas/fields.h"

namespace muster::schemas {

// `Record` is SiteRecord or MetaRecord. Keys are text with '/' between components. Numbers in keys
// have 16 hex digits, so that key order equals numeric order.
template <class Record>
struct Write {
  std::string key;
  std::optional<Record> value;  // absent: remove the key
  static constexpr auto Fields() {
    return FieldList(Field("key", &Write::key), Field("value", &Write::value));
  }
  bool operator==(const Write&) const = default;
};

}  // namespace muster::schemas
