// See roots.h.
#include "schemas/codec/roots.h"

#include "schemas/codec/client.capnp.h"
#include "schemas/codec/records.capnp.h"
#include "schemas/codec/request.capnp.h"
#include "schemas/codec/site_link.capnp.h"

namespace muster::schemas::codec {

capnp::StructSchema ToMetaSchema() { return capnp::Schema::from<wire::ToMeta>(); }
capnp::StructSchema ToSiteSchema() { return capnp::Schema::from<wire::ToSite>(); }
capnp::StructSchema ClientMessageSchema() { return capnp::Schema::from<wire::ClientMessage>(); }
capnp::StructSchema ToClientSchema() { return capnp::Schema::from<wire::ToClient>(); }
capnp::StructSchema RequestSpecSchema() { return capnp::Schema::from<wire::RequestSpec>(); }
capnp::StructSchema SiteRecordSchema() { return capnp::Schema::from<wire::SiteRecord>(); }
capnp::StructSchema MetaRecordSchema() { return capnp::Schema::from<wire::MetaRecord>(); }

}  // namespace muster::schemas::codec
