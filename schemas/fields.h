// Lets a struct list its fields once. Canonical form, codec and JSON are all derived from this
// list, so a field cannot be in one of them and missing in another.
//
//   struct Chunk {
//     uint32_t count = 1;
//     ResourceSet resources;
//     static constexpr auto Fields() {
//       return FieldList(Field("count", &Chunk::count), Field("resources", &Chunk::resources));
//     }
//     bool operator==(const Chunk&) const = default;
//   };
//
// Names are snake_case; the Cap'n Proto schema has the same struct with the same fields in the same
// order in camelCase. Allowed field types: bool, integers, double, std::string, enums (the schema's
// enum has the same order), the strong types of base/ (Id, Fence, Instant, Span, Moment,
// BootInstant, BootSpan, ResourceSet, IntervalSet, Digest, Secret), structs with Fields(),
// std::vector, std::optional, std::map<std::string, std::string> and std::variant of structs with
// Fields(); besides, Interval in what is no message.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace muster::schemas {

template <class Struct, class Type>
struct Field {
  const char* name;
  Type Struct::* member;
  constexpr Field(const char* n, Type Struct::* m) : name(n), member(m) {}
};

template <size_t I, class F>
struct FieldAt {
  F field;
};
template <class Indices, class... F>
struct FieldsAt;
template <size_t... I, class... F>
struct FieldsAt<std::index_sequence<I...>, F...> : FieldAt<I, F>... {
  constexpr explicit FieldsAt(F... fields) : FieldAt<I, F>{fields}... {}
};
// Return type of Fields(). Every source file that includes a struct instantiates its list; a
// std::tuple would take several times as long to compile.
template <class... F>
struct FieldList : FieldsAt<std::index_sequence_for<F...>, F...> {
  static constexpr size_t kCount = sizeof...(F);
  using FieldsAt<std::index_sequence_for<F...>, F...>::FieldsAt;
};
template <class... F>
FieldList(F...) -> FieldList<F...>;

// Calls visit(field...) with all fields at once.
template <class Visit, size_t... I, class... F>
constexpr void WithFields(const FieldsAt<std::index_sequence<I...>, F...>& list, Visit&& visit) {
  visit(static_cast<const FieldAt<I, F>&>(list).field...);
}

template <class T>
concept HasFields = requires { T::Fields(); };

// Calls visit(name, value) for each field in schema order; `object` may be const.
template <class T, class Visit>
constexpr void ForEachField(T& object, Visit&& visit) {
  WithFields(std::remove_const_t<T>::Fields(),
             [&](const auto&... field) { (visit(field.name, object.*(field.member)), ...); });
}

}  // namespace muster::schemas
