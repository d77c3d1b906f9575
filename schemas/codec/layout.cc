// Reads the compiled-in schemas. Any difference from the plain structs stops the program at the
// first use of the type. schema_test.cc uses all types.
#include "schemas/codec/layout.h"

#include <cctype>

#include "base/check.h"
namespace muster::schemas::codec {
namespace {

// Id of `atMost` of common.capnp; the schema compiler generates no name for it.
constexpr uint64_t kAtMost = 0xb533abf7c2c244e0;

std::string_view View(capnp::Text::Reader text) { return {text.begin(), text.size()}; }

uint64_t BoundOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field) {
  uint64_t bound = std::numeric_limits<uint64_t>::max();
  for (const auto annotation : field.getProto().getAnnotations()) {
    if (annotation.getId() != kAtMost) Mismatch(schema, "an unknown annotation");
    bound = annotation.getValue().getUint64();
  }
  return bound;
}

}  // namespace

void Mismatch(const capnp::StructSchema& schema, std::string_view what) {
  const std::string text = std::string(View(schema.getProto().getDisplayName())) +
                           " and its plain struct differ: " + std::string(what);
  CheckFailed(__FILE__, __LINE__, text.c_str());
}

std::string CamelCase(std::string_view name) {
  std::string out;
  bool upper = false;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    const auto letter = static_cast<unsigned char>(c);
    out += static_cast<char>(out.empty() ? std::tolower(letter)
                             : upper     ? std::toupper(letter)
                                         : letter);
    upper = false;
  }
  return out;
}

Layout FrameOf(const capnp::StructSchema& schema, std::string_view name) {
  const auto node = schema.getProto();
  const auto frame = node.getStruct();
  Layout out;
  out.name = View(node.getDisplayName()).substr(node.getDisplayNamePrefixLength());
  if (!name.empty() && out.name != name)
    Mismatch(schema, "the plain struct is " + std::string(name));
  out.schema = node.getId();
  out.data_words = frame.getDataWordCount();
  out.pointers = frame.getPointerCount();
  out.discriminant = frame.getDiscriminantOffset() * 2;
  return out;
}

capnp::StructSchema::Field FieldAt(const capnp::StructSchema& schema, size_t position, size_t count,
                                   std::string_view camel_case) {
  const auto fields = schema.getFields();
  if (fields.size() != count)
    Mismatch(schema, "the plain struct has " + std::to_string(count) + " fields");
  const auto field = fields[static_cast<unsigned>(position)];
  if (View(field.getProto().getName()) != camel_case) {
    Mismatch(schema, "field " + std::to_string(position) + " is " +
                         std::string(View(field.getProto().getName())) + " there and " +
                         std::string(camel_case) + " here");
  }
  if (field.getProto().isSlot() && field.getProto().getSlot().getHadExplicitDefault()) {
    Mismatch(schema, std::string(camel_case) + " has a default");
  }
  return field;
}

Slot SlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
            const char* name, capnp::schema::Type::Which which, size_t width) {
  if (!field.getProto().isSlot() || field.getType().which() != which) {
    Mismatch(schema, std::string(name) + " has another type");
  }
  Slot out;
  out.name = name;
  out.offset =
      field.getProto().getSlot().getOffset() * static_cast<uint32_t>(width == 0 ? 1 : width);
  out.at_most = BoundOf(schema, field);
  if (which == capnp::schema::Type::ENUM) {
    out.enumerants = static_cast<uint16_t>(field.getType().asEnum().getEnumerants().size());
  }
  return out;
}

Slot TextSlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
                const char* name) {
  const bool data = field.getType().isData();
  Slot out =
      SlotOf(schema, field, name, data ? capnp::schema::Type::DATA : capnp::schema::Type::TEXT, 0);
  out.data = data;
  return out;
}

Slot ListSlotOf(const capnp::StructSchema& schema, const capnp::StructSchema::Field& field,
                const char* name, capnp::schema::Type::Which element) {
  Slot out = SlotOf(schema, field, name, capnp::schema::Type::LIST, 0);
  const auto type = field.getType().asList().getElementType();
  if (type.which() != element)
    Mismatch(schema, std::string(name) + " has elements of another type");
  if (out.at_most > std::numeric_limits<uint32_t>::max())
    Mismatch(schema, std::string(name) + " has no $atMost");
  if (element == capnp::schema::Type::ENUM) {
    out.enumerants = static_cast<uint16_t>(type.asEnum().getEnumerants().size());
  }
  return out;
}

}  // namespace muster::schemas::codec
