// The schemas of all messages and records. A separate file, so that only roots.cc compiles the
// generated headers.
#pragma once

#include <capnp/schema.h>

namespace muster::schemas::codec {

capnp::StructSchema ToMetaSchema();
capnp::StructSchema ToSiteSchema();
capnp::StructSchema ClientMessageSchema();
capnp::StructSchema ToClientSchema();
capnp::StructSchema RequestSpecSchema();
capnp::StructSchema SiteRecordSchema();
capnp::StructSchema MetaRecordSchema();

}  // namespace muster::schemas::codec
