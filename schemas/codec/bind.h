// Binds plain structs to their schemas. Computes the Layout of each type once, with the Layouts of
// all types it contains, and keeps it.
#pragma once

#include <type_traits>
#include <utility>

#include "schemas/codec/layout.h"
#include "schemas/codec/shape.h"

namespace muster::schemas::codec {

template <class T>
const Layout& LayoutOf(const capnp::StructSchema& schema);
template <class V>
const Layout& UnionLayoutOf(const capnp::StructSchema& schema);

// Stops the program if the type of `layout` is now bound to another struct of the schema.
inline const Layout& Same(const Layout& layout, const capnp::StructSchema& schema) {
  if (layout.schema != schema.getProto().getId())
    Mismatch(schema, "the plain struct is bound to " + layout.name);
  return layout;
}

template <class T>
inline constexpr size_t kWidth =
    std::is_same_v<typename Scalar<T>::Raw, bool> ? 0 : sizeof(typename Scalar<T>::Raw);

template <class E>
Slot BindVector(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
                const char* name) {
  if constexpr (IsScalar<E>) {
    return ListSlotOf(schema, field, name, Scalar<E>::kWhich);
  } else {
    static_assert(kIsText<E>, "a vector of shapes, scalars or strings");
    return ListSlotOf(schema, field, name, Which::TEXT);
  }
}

template <class T>
Slot Bind(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
          const char* name);

template <class E>
Slot BindOptional(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
                  const char* name) {
  if constexpr (IsScalar<E>) {
    Slot slot = SlotOf(schema, field, name, Which::STRUCT, 0);
    slot.child = &LayoutOf<Box<E>>(field.getType().asStruct());
    return slot;
  } else {
    static_assert(!kIsOptional<E> && !kIsVariant<E> && !kIsVector<E>, "null would be ambiguous");
    return Bind<E>(schema, field, name);
  }
}

// Computes the slot of a field of type T.
template <class T>
Slot Bind(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
          const char* name) {
  if constexpr (IsScalar<T>) {
    return SlotOf(schema, field, name, Scalar<T>::kWhich, kWidth<T>);
  } else if constexpr (kIsText<T>) {
    return TextSlotOf(schema, field, name);
  } else if constexpr (kIsBytes32<T>) {
    return SlotOf(schema, field, name, Which::DATA, 0);
  } else if constexpr (IsShapeList<T>) {
    Slot slot = ListSlotOf(schema, field, name, Which::STRUCT);
    slot.child =
        &LayoutOf<typename ListOf<T>::Element>(field.getType().asList().getStructElementType());
    return slot;
  } else if constexpr (IsShape<T>) {
    Slot slot = SlotOf(schema, field, name, Which::STRUCT, 0);
    slot.child = &LayoutOf<T>(field.getType().asStruct());
    return slot;
  } else if constexpr (kIsOptional<T>) {
    return BindOptional<typename T::value_type>(schema, field, name);
  } else if constexpr (kIsVector<T>) {
    return BindVector<typename T::value_type>(schema, field, name);
  } else {
    static_assert(kIsVariant<T>, "a type the codec does not know; see schemas/fields.h");
    if (!field.getProto().isGroup()) Mismatch(schema, std::string(name) + " is no union");
    Slot slot;
    slot.name = name;
    slot.child = &UnionLayoutOf<T>(field.getType().asStruct());
    return slot;
  }
}

template <class T>
Layout MakeLayout(const capnp::StructSchema& schema) {
  Layout out = FrameOf(schema, Shape<T>::kName);
  size_t count = 0;
  T probe{};
  Shape<T>::Each(probe, [&count](const char*, const auto&) { ++count; });
  Shape<T>::Each(probe, [&](const char* name, const auto& member) {
    const auto field = FieldAt(schema, out.slots.size(), count, CamelCase(name));
    out.slots.push_back(Bind<std::remove_cvref_t<decltype(member)>>(schema, field, name));
  });
  return out;
}

template <class T>
const Layout& LayoutOf(const capnp::StructSchema& schema) {
  static const Layout layout = MakeLayout<T>(schema);
  return Same(layout, schema);
}

template <class Alternative>
Slot BindAlternative(const capnp::StructSchema& schema, size_t position, size_t count) {
  const auto field = FieldAt(schema, position, count, CamelCase(Shape<Alternative>::kName));
  if (field.getProto().getDiscriminantValue() != position)
    Mismatch(schema, "the union has another order");
  return Bind<Alternative>(schema, field, field.getProto().getName().cStr());
}

template <class V, size_t... kIndex>
Layout MakeUnionLayout(const capnp::StructSchema& schema, std::index_sequence<kIndex...>) {
  Layout out = FrameOf(schema, "");
  if (schema.getProto().getStruct().getDiscriminantCount() != sizeof...(kIndex)) {
    Mismatch(schema, "the union has another number of members");
  }
  (out.slots.push_back(
       BindAlternative<std::variant_alternative_t<kIndex, V>>(schema, kIndex, sizeof...(kIndex))),
   ...);
  return out;
}

// The layout of a union: one slot per alternative.
template <class V>
const Layout& UnionLayoutOf(const capnp::StructSchema& schema) {
  static const Layout layout =
      MakeUnionLayout<V>(schema, std::make_index_sequence<std::variant_size_v<V>>());
  return Same(layout, schema);
}

// The layout of a message or record: a struct, or a union of records.
template <class T>
const Layout& RootLayoutOf(const capnp::StructSchema& schema) {
  if constexpr (kIsVariant<T>) {
    return UnionLayoutOf<T>(schema);
  } else {
    return LayoutOf<T>(schema);
  }
}

}  // namespace muster::schemas::codec
