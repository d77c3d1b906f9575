// The specification and the plain structs are the same: every struct and enum of the schemas is
// carried, every plain struct has its schema, enumerators agree by name, and any Cap'n Proto reader
// finds by name what the codec wrote.
#include <capnp/dynamic.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "schemas/codec/filler_test.h"
#include "schemas/codec/kinds_test.h"
#include "schemas/codec/source.h"

namespace muster::schemas {
namespace {

using codec::IsScalar;
using codec::IsShape;
using codec::IsShapeList;
using codec::kIsBytes32;
using codec::kIsOptional;
using codec::kIsText;
using codec::kIsVariant;
using codec::kIsVector;
using codec::Shape;

std::string Name(capnp::Text::Reader text) { return {text.begin(), text.size()}; }
std::string ShortName(capnp::Schema schema) {
  const auto node = schema.getProto();
  return Name(node.getDisplayName()).substr(node.getDisplayNamePrefixLength());
}

// "kNodeLost" of CauseCode::kNodeLost, "" of a number that is no enumerator.
template <auto kValue>
constexpr std::string_view EnumeratorName() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__;
  constexpr size_t kEnd = kFunction.find_first_of(";]");
  constexpr std::string_view kText = kFunction.substr(0, kEnd);
  constexpr size_t kColon = kText.rfind(':');
  constexpr bool kNamed = kText.find(")", kText.find("kValue = ")) == std::string_view::npos;
  return kNamed ? kText.substr(kColon + 1) : std::string_view();
}
template <class E, size_t... kIndex>
std::vector<std::string> EnumeratorNames(std::index_sequence<kIndex...>) {
  std::vector<std::string> names;
  for (const std::string_view name : {EnumeratorName<static_cast<E>(kIndex)>()...}) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

// Meets every type below a root, with its schema.
class Walk {
 public:
  std::set<std::string> structs;
  std::set<std::string> enums;

  template <class T>
  void Root(capnp::StructSchema schema) {
    if constexpr (kIsVariant<T>) {
      structs.insert(ShortName(schema));
      Alternatives<T>(schema, std::make_index_sequence<std::variant_size_v<T>>());
    } else {
      Fields<T>(schema);
    }
  }

 private:
  template <class T>
  void Fields(capnp::StructSchema schema) {
    if (!structs.insert(ShortName(schema)).second) return;
    T probe{};
    unsigned index = 0;
    Shape<T>::Each(probe, [&](const char*, const auto& member) {
      Type<std::remove_cvref_t<decltype(member)>>(schema.getFields()[index++].getType());
    });
  }
  template <class V, size_t... kIndex>
  void Alternatives(capnp::StructSchema schema, std::index_sequence<kIndex...>) {
    (Type<std::variant_alternative_t<kIndex, V>>(schema.getFields()[kIndex].getType()), ...);
  }
  template <class E>
  void Enum(capnp::EnumSchema schema) {
    enums.insert(ShortName(schema));
    EXPECT_EQ(ShortName(schema), codec::TypeName<E>());
    std::vector<std::string> there;
    for (const auto enumerant : schema.getEnumerants())
      there.push_back(Name(enumerant.getProto().getName()));
    std::vector<std::string> here;
    for (const std::string& name : EnumeratorNames<E>(std::make_index_sequence<48>())) {
      here.push_back(codec::CamelCase(name.substr(1)));
    }
    EXPECT_EQ(here, there) << ShortName(schema);
  }
  template <class T>
  void Type(capnp::Type type) {
    if constexpr (std::is_enum_v<T>) {
      Enum<T>(type.asEnum());
    } else if constexpr (IsShapeList<T>) {
      Fields<typename codec::ListOf<T>::Element>(type.asList().getStructElementType());
    } else if constexpr (IsShape<T>) {
      Fields<T>(type.asStruct());
    } else if constexpr (kIsOptional<T>) {
      using E = typename T::value_type;
      if constexpr (IsScalar<E>) {
        Fields<codec::Box<E>>(type.asStruct());
      } else {
        Type<E>(type);
      }
    } else if constexpr (kIsVector<T>) {
      Type<typename T::value_type>(type.asList().getElementType());
    } else if constexpr (kIsVariant<T>) {
      Alternatives<T>(type.asStruct(), std::make_index_sequence<std::variant_size_v<T>>());
    }
  }
};

Walk WalkAll() {
  Walk walk;
  walk.Root<ToMeta>(codec::ToMetaSchema());
  walk.Root<ToSite>(codec::ToSiteSchema());
  walk.Root<ClientMessage>(codec::ClientMessageSchema());
  walk.Root<ToClient>(codec::ToClientSchema());
  walk.Root<SiteRecord>(codec::SiteRecordSchema());
  walk.Root<MetaRecord>(codec::MetaRecordSchema());
  return walk;
}

// The words that follow `keyword` at the beginning of a line that ends in '{' or opens and closes
// there.
std::set<std::string> Declared(const std::vector<std::string>& paths, const std::string& keyword) {
  const char* root = std::getenv("MUSTER_SOURCE_DIR");
  std::set<std::string> found;
  for (const std::string& path : paths) {
    std::ifstream file(std::string(root == nullptr ? "." : root) + "/" + path);
    EXPECT_TRUE(file.good()) << path;
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with(keyword + " ") || line.find('{') == std::string::npos) continue;
      const size_t begin = keyword.size() + 1;
      found.insert(line.substr(begin, line.find_first_of(" :{", begin) - begin));
    }
  }
  return found;
}

const std::vector<std::string> kSchemas = {
    "schemas/codec/common.capnp",    "schemas/codec/request.capnp",   "schemas/codec/hold.capnp",
    "schemas/codec/site_rows.capnp", "schemas/codec/site_link.capnp", "schemas/codec/client.capnp",
    "schemas/codec/records.capnp"};
const std::vector<std::string> kHeaders = {
    "schemas/request.h", "schemas/reasons.h",      "schemas/hold.h",         "schemas/site_link.h",
    "schemas/views.h",   "schemas/site_records.h", "schemas/meta_records.h", "schemas/client.h",
    "schemas/inspect.h", "schemas/proposal.h",     "schemas/site_rows.h",    "schemas/steer.h"};

TEST(Schema, EveryStructAndEnumIsCarried) {
  const Walk walk = WalkAll();
  EXPECT_EQ(walk.structs, Declared(kSchemas, "struct"));
  EXPECT_EQ(walk.enums, Declared(kSchemas, "enum"));
}

TEST(Schema, EveryPlainStructAndEnumIsInIt) {
  const Walk walk = WalkAll();
  for (const std::string& name : Declared(kHeaders, "struct")) {
    EXPECT_TRUE(walk.structs.contains(name)) << name;
  }
  for (const std::string& name : Declared(kHeaders, "enum class")) {
    EXPECT_TRUE(walk.enums.contains(name)) << name;
  }
}

// Compares a message, read by name, with the plain struct it was written from.
class Comparison {
 public:
  template <class T>
  static void Root(capnp::DynamicStruct::Reader reader, const T& value) {
    if constexpr (kIsVariant<T>) {
      Union(reader, value);
    } else {
      Fields(reader, value);
    }
  }

 private:
  template <class T>
  static void Fields(capnp::DynamicStruct::Reader reader, const T& value) {
    Shape<T>::Each(value, [&](const char* name, const auto& member) {
      const auto field = reader.getSchema().getFieldByName(codec::CamelCase(name));
      if constexpr (kIsOptional<std::remove_cvref_t<decltype(member)>>) {
        ASSERT_EQ(reader.has(field), member.has_value()) << name;
        if (member) Present(reader.get(field), *member);
      } else {
        Value(reader.get(field), member);
      }
    });
  }
  template <class E>
  static void Present(capnp::DynamicValue::Reader reader, const E& value) {
    if constexpr (IsScalar<E>) {
      Value(reader.as<capnp::DynamicStruct>().get("value"), value);
    } else {
      Value(reader, value);
    }
  }
  template <class V>
  static void Union(capnp::DynamicStruct::Reader reader, const V& value) {
    const auto field = KJ_ASSERT_NONNULL(reader.which());
    std::visit(
        [&](const auto& alternative) {
          const auto name = Shape<std::remove_cvref_t<decltype(alternative)>>::kName;
          EXPECT_EQ(Name(field.getProto().getName()), codec::CamelCase(name));
          Value(reader.get(field), alternative);
        },
        value);
  }
  template <class Elements>
  static void List(capnp::DynamicList::Reader reader, const Elements& elements) {
    ASSERT_EQ(reader.size(), elements.size());
    unsigned index = 0;
    for (const auto& element : elements) {
      if constexpr (IsShape<std::remove_cvref_t<decltype(element)>>) {
        Fields(reader[index++].template as<capnp::DynamicStruct>(), element);
      } else {
        Value(reader[index++], element);
      }
    }
  }
  template <class T>
  static void Value(capnp::DynamicValue::Reader reader, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      EXPECT_EQ(reader.as<capnp::DynamicEnum>().getRaw(), static_cast<uint16_t>(value));
    } else if constexpr (IsScalar<T>) {
      EXPECT_EQ(reader.as<typename codec::Scalar<T>::Raw>(), codec::Scalar<T>::ToRaw(value));
    } else if constexpr (kIsText<T>) {
      const bool data = reader.getType() == capnp::DynamicValue::DATA;
      EXPECT_EQ(data ? Bytes(reader.as<capnp::Data>()) : Name(reader.as<capnp::Text>()), value);
    } else if constexpr (kIsBytes32<T>) {
      EXPECT_EQ(Bytes(reader.as<capnp::Data>()), Bytes({value.bytes.data(), value.bytes.size()}));
    } else if constexpr (IsShapeList<T>) {
      List(reader.as<capnp::DynamicList>(), codec::ListOf<T>::Elements(value));
    } else if constexpr (IsShape<T>) {
      Fields(reader.as<capnp::DynamicStruct>(), value);
    } else if constexpr (kIsVector<T>) {
      List(reader.as<capnp::DynamicList>(), value);
    } else {
      Union(reader.as<capnp::DynamicStruct>(), value);
    }
  }
  static std::string Bytes(capnp::Data::Reader data) {
    return {reinterpret_cast<const char*>(data.begin()), data.size()};
  }
};

template <class T>
class Written : public testing::Test {};
TYPED_TEST_SUITE(Written, Kinds);

TYPED_TEST(Written, IsFoundByNameInTheSchema) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    TypeParam value;
    codec::Filler(seed, 3).FillRoot(value, Kind<TypeParam>::Layout());
    const std::string bytes = Kind<TypeParam>::Bytes(value);
    const size_t mark = kIsVariant<TypeParam> ? 8 : 0;
    codec::AlignedMessage message(std::string_view(bytes).substr(mark));
    Comparison::Root(message.Root().template as<capnp::DynamicStruct>(Kind<TypeParam>::Schema()),
                     value);
    ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
  }
}

struct Renamed {
  uint64_t epoch = 0;
  uint64_t count = 0;
  static constexpr auto Fields() {
    return FieldList(Field("epoch", &Renamed::epoch), Field("count", &Renamed::count));
  }
};
struct StartsBy {  // the schema's is {instant, bool, bool}
  Instant at;
  Instant firm;
  bool verified = false;
  static constexpr auto Fields() {
    return FieldList(Field("at", &StartsBy::at), Field("firm", &StartsBy::firm),
                     Field("verified", &StartsBy::verified));
  }
};
struct ClientKey {  // the schema's has one more
  std::string text;
  static constexpr auto Fields() { return FieldList(Field("text", &ClientKey::text)); }
};

capnp::StructSchema Below(capnp::StructSchema schema, std::initializer_list<const char*> path) {
  for (const char* name : path) {
    const auto type = schema.getFieldByName(name).getType();
    schema = type.isList() ? type.asList().getStructElementType() : type.asStruct();
  }
  return schema;
}

TEST(SchemaDeathTest, ADifferenceStopsTheProgram) {
  const auto jobs = Below(codec::ToClientSchema(), {"body", "rows", "jobs", "figures", "startsBy"});
  EXPECT_DEATH(codec::LayoutOf<StartsBy>(jobs), "firm has another type");
  const auto key = Below(codec::ClientMessageSchema(), {"body", "submit", "key"});
  EXPECT_DEATH(codec::LayoutOf<ClientKey>(key), "the plain struct has 1 fields");
  const auto fence = Below(codec::ToSiteSchema(), {"floor"});
  EXPECT_DEATH(codec::LayoutOf<Renamed>(fence), "the plain struct is Renamed");
  EXPECT_DEATH(codec::LayoutOf<codec::Box<uint64_t>>(fence), "the plain struct has 1 fields");
}

}  // namespace
}  // namespace muster::schemas
