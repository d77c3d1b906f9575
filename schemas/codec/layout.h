// Where the fields of a plain struct lie in its Cap'n Proto struct: resolved once per type from the
// schema, by position and verified by name, so that encoding and decoding look nothing up.
//
// Why not capnp::DynamicStruct, which does the same from field handles: measured in CPU time (g++
// 12, -O2, a submission of 2.5 kB with 20 variables), walking one from message to message takes 21
// us; this takes 6.6 us with all strings copied into the plain struct and back (1.9 us to
// encode, 4.7 us to decode; tests/bench/bench_codec.cc). And why not the generated classes: they
// would be one more list of all fields.
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
  const char* name = "";  // as in Fields(); of an alternative, as in the schema
  uint32_t offset = 0;    // data: in bytes, of a bool in bits; pointer: its index
  uint64_t at_most = std::numeric_limits<uint64_t>::max();  // $atMost
  uint16_t enumerants = 0;                                  // of an enum: how many the schema knows
  bool data = false;                                        // a string that travels as Data
  const Layout* child = nullptr;                            // struct, box, list element or union
};

// One struct or union.
struct Layout {
  std::string name;  // of the schema's struct, without its file
  uint64_t schema = 0;
  uint16_t data_words = 0;
  uint16_t pointers = 0;
  uint32_t discriminant = 0;  // of a union: offset in bytes
  std::vector<Slot> slots;
  size_t words() const { return size_t{data_words} + pointers; }
};

// Stops the program: plain struct and schema differ, which only a change of one without the other
// can cause.
[[noreturn]] void Mismatch(const capnp::StructSchema& schema, std::string_view what);

// "request_class" -> "requestClass"; "LinkRefused" -> "linkRefused".
std::string CamelCase(std::string_view name);

// The frame of a struct or union, without slots. `name` empty: any.
Layout FrameOf(const capnp::StructSchema& schema, std::string_view name);

// The schema's field at `position`; checks that there are `count` in all, its name, and that it has
// no default.
capnp::StructSchema::Field FieldAt(const capnp::StructSchema& schema, size_t position, size_t count,
                                   std::string_view camel_case);

// Offset and bound of a field that is no union. Checks that its type is `which`; `width` is its
// size in bytes, 0 for a bool and for pointers.
Slot SlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
            const char* name, capnp::schema::Type::Which which, size_t width);

// Slot of a string: Text or Data.
Slot TextSlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
                const char* name);

// Slot of a list: checks that it is bounded and that its elements are `element`.
Slot ListSlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
                const char* name, capnp::schema::Type::Which element);

}  // namespace muster::schemas::codec
