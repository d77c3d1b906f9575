// The positions of a plain struct's fields in its Cap'n Proto struct. Computed once per type from
// the schema, by position and verified by name, so that encoding and decoding need no lookups.
//
// Rationale. capnp::DynamicStruct does the same with field handles but is slower. Measured in CPU
// time (g++ 12, -O2, a submission of 2.5 kB with 20 variables): to walk a DynamicStruct from
// message to message takes 21 us; this takes 6.6 us, including copies of all strings into the plain
// struct and back (1.9 us to encode, 4.7 us to decode; tests/bench/bench_codec.cc). The generated
// classes would need another list of all fields.
#pragma once

#include <capnp/schema.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace muster::schemas::codec {

struct Layout;

// One field, or one alternative of a union.
struct Slot {
  const char* name = "";  // field name as in Fields(); of an alternative, as in the schema
  uint32_t offset = 0;    // data: in bytes (bool: in bits); pointer: its index
  uint64_t at_most = std::numeric_limits<uint64_t>::max();  // $atMost
  uint16_t enumerants = 0;        // of an enum: number of values in the schema
  bool data = false;              // a string that travels as Data
  const Layout* child = nullptr;  // struct, box, list element or union
};

// One struct or union.
struct Layout {
  std::string name;  // name of the schema's struct, without its file
  uint64_t schema = 0;
  uint16_t data_words = 0;
  uint16_t pointers = 0;
  uint32_t discriminant = 0;  // of a union: offset in bytes
  std::vector<Slot> slots;
  size_t words() const { return size_t{data_words} + pointers; }
};

// Stops the program because plain struct and schema differ: somebody changed one without the other.
[[noreturn]] void Mismatch(const capnp::StructSchema& schema, std::string_view what);

// "request_class" -> "requestClass"; "LinkRefused" -> "linkRefused".
std::string CamelCase(std::string_view name);

// The layout of a struct or union without its slots. An empty `name` matches any.
Layout FrameOf(const capnp::StructSchema& schema, std::string_view name);

// The schema's field at `position`. Checks that there are `count` fields, the field's name, and
// that it has no default.
capnp::StructSchema::Field FieldAt(const capnp::StructSchema& schema, size_t position, size_t count,
                                   std::string_view camel_case);

// The slot (offset and bound) of a field that is no union. Checks that its type is `which`. `width`
// is the size of the field in bytes, or 0 for a bool or pointer.
Slot SlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
            const char* name, capnp::schema::Type::Which which, size_t width);

// The slot of a string, which is Text or Data.
Slot TextSlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
                const char* name);

// The slot of a list. Checks that it has a bound and that its elements are `element`.
Slot ListSlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
                const char* name, capnp::schema::Type::Which element);

}  // namespace muster::schemas::codec
