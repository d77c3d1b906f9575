# Rows in which a site shows its plan to people: bookings, nodes, free windows. Node names are for
# display only.

@0xb0e6a9d2c8f1743d;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";

enum BookingKind {
  job @0;
  reserved @1;
  drained @2;  # the node is out of use over the span; no job
  local @3;    # a job on the site's machine that is not muster's
}

struct BookingRow {
  # One booking on one node, for charts.
  node @0 :Text;
  job @1 :Text;     # "42.1", or "lakes/17"
  begin @2 :Int64;  # instant
  end @3 :Int64;    # instant, without turnover and tail
  running @4 :Bool;
  coAllocation @5 :Bool;
  resources @6 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  kind @7 :BookingKind;
}

enum NodeState {
  up @0;
  draining @1;  # drained, but jobs still run or are booked there
  drained @2;
  down @3;  # out of use without an operator's order
}

struct NodeRow {
  name @0 :Text;  # without the site
  state @1 :NodeState;
  reason @2 :Text;  # why it is drained or down; may be empty
  total @3 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  used @4 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  # By bookings at this moment, running or not.
  jobs @5 :List(Text) $Common.atMost(Common.rowsPerPage);           # on the node now
  freeAt @6 :Common.BoxedInt64;     # instant from which the whole node is free; null: never
  freeUntil @7 :Common.BoxedInt64;  # instant of the next booking after freeAt; null: open end
  lost @8 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  # What the node once had and lacks now, without what an operator gave up.
  speed @9 :Common.BoxedInt64;  # thousandths of the reference; null: the reference
}

struct SlotRow {
  # A free window that a request fits: it may start at any second from startFrom to startUntil.
  site @0 :Text $Common.atMost(Common.nameBytes);
  startFrom @1 :Int64;               # instant
  startUntil @2 :Common.BoxedInt64;  # instant; null: open end
  nodes @3 :List(Text) $Common.atMost(Common.nodesPerPart);  # nodes of a start at startFrom
  endedBy @4 :Common.Reason;  # what ends the window; null: open end
}

struct LimitRow {
  # A limit and its present usage for a user or group; texts for people.
  site @0 :Text $Common.atMost(Common.nameBytes);  # "*": a limit of the federation
  who @1 :Text $Common.atMost(Common.nameBytes);
  what @2 :Text $Common.atMost(Common.nameBytes);  # resource, or "jobs"
  used @3 :Int64;
  limit @4 :Text;
  when @5 :Text;
  ifExceeded @6 :Text;
}

struct MoveRow {
  # A promise that a change would move.
  job @0 :Text $Common.atMost(Common.nameBytes);
  before @1 :Int64;             # instant
  after @2 :Common.BoxedInt64;  # instant; null: no start would remain at the site
  because @3 :Text;
}
