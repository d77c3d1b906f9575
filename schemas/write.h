// What a core wants stored: one key and its new value, or its removal. A turn's writes are one
// batch.
#pragma once

#include <optional>
#include <string>

#include "schemas/fields.h"

namespace muster::schemas {

// `Record` is SiteRecord or MetaRecord. Keys are text, '/'-separated, numbers as 16 hex digits so
// that key order is number order.
template <class Record>
struct Write {
  std::string key;
  std::optional<Record> value;  // absent: removed
  static constexpr auto Fields() {
    return FieldList(Field("key", &Write::key), Field("value", &Write::value));
  }
  bool operator==(const Write&) const = default;
};

}  // namespace muster::schemas
