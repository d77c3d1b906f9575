# What a user asks for: parts made of chunks, a duration, where and when it may run, what to run.
#
# A request travels from client to meta in `Submit` and `Ask` (client.capnp), and the meta keeps it
# in `RequestRecord`. Sites get only what concerns them: its demands in a proposal, and its demands
# and payload in a hold. Its digest covers the canonical form of RequestSpec and decides whether a
# repeated client key means the same request.

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
  interactive @1;  # its user gets a notice before an earlier start (`startNotice`)
}

struct Chunk {
  # `count` equal sets of resources, each wholly on one node that has the properties.
  count @0 :UInt32 $Common.atMost(Common.chunkCount);
  resources @1 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # per set; none negative
  properties @2 :List(Common.Pair) $Common.atMost(Common.namesPerSet);   # arch -> x86_64
  least @3 :UInt32 $Common.atMost(Common.chunkCount);
  # Malleable chunk: while running, the part may have from `least` to `most` sets of it. Both 0:
  # rigid.
  most @4 :UInt32 $Common.atMost(Common.chunkCount);
}

struct Payload {
  # The command that runs once in every part, on its first node.
  script @0 :Data $Common.atMost(Common.scriptBytes);  # empty: argv is the command
  argv @1 :List(Text) $Common.atMost(Common.arguments);
  # The command with its arguments; with a script, only its arguments.
  environment @2 :List(Common.Pair) $Common.atMost(Common.arguments);
  submitDir @3 :Text;  # working directory of `submit`, absolute
}

struct PartSpec {
  # The share of a request that one site gets. Parts are counted from 1 in the order of the request.
  chunks @0 :List(Chunk) $Common.atMost(Common.chunksPerPart);
  place @1 :Place;
  exclusive @2 :Bool;  # whole nodes
  sites @3 :List(Text) $Common.atMost(Common.rowsPerPage);     # sites it may run on; empty: any
  notSites @4 :List(Text) $Common.atMost(Common.rowsPerPage);  # sites it may not run on
  offset @5 :Int64;  # span from the request's start to the part's
  jobwide @6 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  # Resources of the whole site, not of a node: licences, disk.
  set @7 :Text $Common.atMost(Common.nameBytes);
  # The node set that the nodes must be: "speed~10%:oneof"; "switch" is "switch:oneof"; "": any.
}

struct Notice {
  # A notice to the running job before its time ends: a signal, a command, or both.
  before @0 :Int64;  # span
  signal @1 :Text $Common.atMost(Common.nameBytes);          # "USR1"; "": none
  argv @2 :List(Text) $Common.atMost(Common.arguments);      # run beside the job; empty: none
}

enum RecallWay {
  requeue @0;     # it ends, and begins anew at the start that it was promised
  checkpoint @1;  # the same; if it exits with status 85 within its grace, with what is left to do
  suspend @2;     # it is paused until its cores are idle; ends if others need more than these
}

struct Contract {
  # What a user agrees to who lets a site take back room that was lent before the promised start.
  way @0 :RecallWay;
  grace @1 :Int64;        # span from the word to end until the processes are killed
  minRun @2 :Int64;       # span; not killed before it has had room for this long
  maxRecalls @3 :UInt32;  # recalled so often, it is lent nothing more
}

struct ReservationSpec {
  # Makes a request a reservation. It runs nothing; the jobs of permitted users run inside what it
  # books.
  allow @0 :List(Text) $Common.atMost(Common.groupsPerUser);  # users, "@group"
  confirmWithin @1 :Common.BoxedInt64;
  # Span. Set for a provisional reservation: it is given back unless confirmed within this time.
  # null: it is confirmed.
  every @2 :Recurrence;
  # Set for a standing reservation, which books nothing itself: one occurrence begins at each of
  # these times. null: the reservation takes place once.
  of @3 :Common.BoxedUInt64;
  # The standing reservation that this occurrence belongs to; null from a client.
}

struct Recurrence {
  # Times at which something recurs, in the federation's time zone. Each field is a bit mask; all
  # fields must match.
  minutes @0 :UInt64;   # bits 0-59
  hours @1 :UInt64;     # bits 0-23
  days @2 :UInt64;      # bits 1-31
  months @3 :UInt64;    # bits 1-12
  weekdays @4 :UInt64;  # bits 0-6 from Sunday
}

struct ArraySpec {
  # Equal elements, each a request of its own, with indexes first, first + step, ... up to last.
  first @0 :UInt64;
  last @1 :UInt64;    # >= first; at most 10,000 elements
  step @2 :UInt64;    # > 0
  atOnce @3 :UInt64;  # most elements that may run at the same time; 0: no limit
}

enum DependencyKind {
  ok @0;    # ended successfully
  any @1;   # ended in any way
  fail @2;  # ended unsuccessfully
}

struct Dependency {
  # A predecessor, and how it must have ended before the request may start. An array has ended when
  # all its elements have; it was successful if all of them were.
  kind @0 :DependencyKind;
  request @1 :UInt64;
}

struct RequestSpec {
  name @0 :Text $Common.atMost(Common.nameBytes);
  requestClass @1 :RequestClass;
  duration @2 :Int64;  # span, of every part; 0 from a client: the default of the site where it runs
  parts @3 :List(PartSpec) $Common.atMost(Common.partsPerRequest);
  apart @4 :Bool;  # each part on a different site
  # The window. Instants; null: no such condition.
  at @5 :Common.BoxedInt64;        # exact start
  from @6 :Common.BoxedInt64;      # earliest start
  startBy @7 :Common.BoxedInt64;   # latest start
  deadline @8 :Common.BoxedInt64;  # latest end
  queue @9 :Text $Common.atMost(Common.nameBytes);
  rerunnable @10 :Bool;
  # May run again if its outcome is unknown. Otherwise a permitted attempt is placed again only when
  # every member has reported that it closed, or a person says so: "never twice" is the default.
  keepGoing @11 :Bool;  # if one part fails, the others go on
  payload @12 :Payload;
  array @13 :ArraySpec;  # null: no array, or an element of one
  after @14 :List(Dependency) $Common.atMost(Common.dependencies);  # all must hold
  firm @15 :Bool;                  # promised at submission, behind all earlier promises
  inside @16 :Common.BoxedUInt64;  # request of the reservation that this one runs in; null: none
  reserves @17 :ReservationSpec;   # null: it is no reservation
  notice @18 :Notice;              # null: none
  slots @19 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);
  # The job must run wholly inside one of these; empty: any time.
  startNotice @20 :Common.BoxedInt64;
  # Span: no move may put the start nearer than now + this; null: the default of its class.
  account @21 :Text $Common.atMost(Common.nameBytes);
  # For which the work is. Empty from a client: the user's first account, if any.
  qos @22 :Text $Common.atMost(Common.nameBytes);
  # Quality of service. Empty from a client: the user's usual one, if any.
  contract @23 :Contract;
  # Under which sites may lend it room before its start; null: they lend it none. From a client only
  # the way counts, and null is that of the QoS.
}
