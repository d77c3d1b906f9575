// How a struct names its fields, once: canonical form, codec and JSON are all derived from this
// list, so a field cannot be in one and missing in another.
//
//   struct Chunk {
//     uint32_t count = 1;
//     ResourceSet resources;
//     static constexpr auto Fields() {
//       return std::tuple(Field("count", &Chunk::count), Field("resources", &Chunk::resources));
//     }
//     bool operator==(const Chunk&) const = default;
//   };
//
// Names are snake_case; the Cap'n Proto schema has the same struct with the same fields in the same
// order in camelCase. Allowed field types: bool, integers, double, std::string, enums (the schema's
// enum has the same order), the strong types of base/ (Id, Fence, Instant, Span, Moment,
// BootInstant, BootSpan, ResourceSet, IntervalSet, Digest, Secret), structs with Fields(),
// std::vector, std::optional, std::map<std::string, std::string> and std::variant of structs with
// Fields().
#pragma once

#include <tuple>

namespace muster::schemas {

template <class Struct, class Type>
struct Field {
  const char* name;
  Type Struct::* member;
  constexpr Field(const char* n, Type Struct::* m) : name(n), member(m) {}
};

template <class T>
concept HasFields = requires { T::Fields(); };

// Calls visit(name, value) for each field in schema order; `object` may be const.
template <class T, class Visit>
constexpr void ForEachField(T& object, Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field.name, object.*(field.member)), ...); },
             std::remove_const_t<T>::Fields());
}

}  // namespace muster::schemas
