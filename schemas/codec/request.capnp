# What a user asks for: parts made of chunks, a duration, where and when it may run, what to run.
#
# A request travels from client to meta in `Submit` and `Ask` (client.capnp), is kept by the meta in
# `RequestRecord`, and goes to sites in pieces: as demands in a proposal, whole in a hold. Its
# digest is made over the canonical form of RequestSpec and decides whether a repeated client key
# means the same request.

@0xc49daed25f311e5a;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";

enum Place {
  free @0;     # chunk sets anywhere, several may share a node
  pack @1;     # all on one node
  scatter @2;  # each on its own node
}

enum RequestClass {
  batch @0;
  interactive @1;  # is not moved earlier than its user expects (`notice`)
}

struct Chunk {
  # `count` equal sets of resources, each wholly on one node that has the properties.
  count @0 :UInt32 $Common.atMost(Common.chunkCount);
  resources @1 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # of one set, none negative
  properties @2 :List(Common.Pair) $Common.atMost(Common.namesPerSet);   # arch -> x86_64
  least @3 :UInt32 $Common.atMost(Common.chunkCount);
  # Malleable: while it runs the part may have `least` to `most` sets; both 0: rigid.
  most @4 :UInt32 $Common.atMost(Common.chunkCount);
}

struct Payload {
  # What runs once in every part, on its first node.
  script @0 :Data $Common.atMost(Common.scriptBytes);  # empty: argv is the command
  argv @1 :List(Text) $Common.atMost(Common.arguments);
  # The command and its arguments; with a script, its arguments only.
  environment @2 :List(Common.Pair) $Common.atMost(Common.arguments);
  submitDir @3 :Text;  # absolute; where submit was called
}

struct PartSpec {
  # What one site gets of a request. Parts are counted from 1 in the order of the request.
  chunks @0 :List(Chunk) $Common.atMost(Common.chunksPerPart);
  place @1 :Place;
  exclusive @2 :Bool;  # whole nodes
  sites @3 :List(Text) $Common.atMost(Common.rowsPerPage);     # may run on; empty: any
  notSites @4 :List(Text) $Common.atMost(Common.rowsPerPage);  # may not run on
  offset @5 :Int64;    # span after the request's start
  jobwide @6 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  # Of the site, not of a node: licences, disk.
  group @7 :Text $Common.atMost(Common.nameBytes);
  # "switch": all chunks below one switch; "": anywhere.
}

struct Notice {
  # Word to the running job before its time ends: a signal, a command, or both.
  before @0 :Int64;  # span
  signal @1 :Text $Common.atMost(Common.nameBytes);          # "USR1"; "": none
  argv @2 :List(Text) $Common.atMost(Common.arguments);      # run beside the job; empty: none
}

struct ReservationSpec {
  # The request runs nothing: what it books is a system of its own for the jobs of those allowed.
  allow @0 :List(Text) $Common.atMost(Common.groupsPerUser);  # users, "@group"
  confirmWithin @1 :Common.BoxedInt64;
  # Span; provisional: given back unless confirmed in that time. null: confirmed.
  every @2 :Recurrence;
  # Standing: it books nothing itself, and at each of these times begins one of its own. null: once.
  of @3 :Common.BoxedUInt64;  # the standing one that it is of; null from a client
}

struct Recurrence {
  # Civil times of the federation's time zone at which something begins, each field as bits; all
  # fields must hold.
  minutes @0 :UInt64;   # bits 0-59
  hours @1 :UInt64;     # bits 0-23
  days @2 :UInt64;      # bits 1-31
  months @3 :UInt64;    # bits 1-12
  weekdays @4 :UInt64;  # bits 0-6 from Sunday
}

struct ArraySpec {
  # Equal elements, each a request of its own: indexes first, first + step, ... up to last.
  first @0 :UInt64;
  last @1 :UInt64;    # >= first; at most 10,000 elements
  step @2 :UInt64;    # > 0
  atOnce @3 :UInt64;  # so many at most run at the same time; 0: any number
}

enum DependencyKind {
  ok @0;    # ended well
  any @1;   # ended
  fail @2;  # ended, and not well
}

struct Dependency {
  # What must have ended, and how, before the request starts. An array has ended when all of its
  # elements have, and well if all of them have.
  kind @0 :DependencyKind;
  request @1 :UInt64;
}

struct RequestSpec {
  name @0 :Text $Common.atMost(Common.nameBytes);
  requestClass @1 :RequestClass;
  duration @2 :Int64;  # span, of every part; 0 from a client: the default where it may run
  parts @3 :List(PartSpec) $Common.atMost(Common.partsPerRequest);
  apart @4 :Bool;      # each part on its own site
  # The window. Instants; null: no such bound.
  at @5 :Common.BoxedInt64;        # exactly then
  from @6 :Common.BoxedInt64;      # not before
  startBy @7 :Common.BoxedInt64;   # latest start
  deadline @8 :Common.BoxedInt64;  # ended by
  queue @9 :Text $Common.atMost(Common.nameBytes);
  rerunnable @10 :Bool;
  # May start again after an unknown outcome. Without it a permitted attempt is placed again only
  # when every member reported that it closed, or a person says so: "never twice" is the default.
  keepGoing @11 :Bool;  # one part's failure ends no other
  payload @12 :Payload;
  array @13 :ArraySpec;  # null: none, or an element of one
  after @14 :List(Dependency) $Common.atMost(Common.dependencies);  # all must hold
  firm @15 :Bool;  # promised at submission, behind all that was promised before
  inside @16 :Common.BoxedUInt64;    # of this reservation's request; null: of none
  reserves @17 :ReservationSpec;     # null: it is no reservation
  notice @18 :Notice;                # null: none
  slots @19 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);
  # Slot-aware: runs wholly inside one of these; empty: any time.
  startNotice @20 :Common.BoxedInt64;
  # Span: no move puts a start nearer than now + it; null: what its class has.
}
