# What a site shows of its plan, row by row: bookings, nodes, free windows. For people; node names
# are text for display.

@0xb0e6a9d2c8f1743d;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";

enum BookingKind {
  job @0;
  reserved @1;
  drained @2;  # the node is out of use over that span; no job
}

struct BookingRow {
  # One booking on one node, for drawing.
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
  draining @1;  # drained, and something still runs there
  drained @2;
  down @3;      # the site lost it
}

struct NodeRow {
  name @0 :Text;  # without its site
  state @1 :NodeState;
  reason @2 :Text;  # of a drain, or why it is down; may be empty
  total @3 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  used @4 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # now
  jobs @5 :List(Text) $Common.atMost(Common.rowsPerPage);           # there now
  freeAt @6 :Common.BoxedInt64;     # instant from which it is whole and free; null: not known
  freeUntil @7 :Common.BoxedInt64;  # instant of its next booking; null: open end
  lost @8 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # of what it had
}

struct SlotRow {
  # A free window that a request fits: it may start at any second from startFrom to startUntil.
  site @0 :Text $Common.atMost(Common.nameBytes);
  startFrom @1 :Int64;               # instant
  startUntil @2 :Common.BoxedInt64;  # instant; null: open end
  nodes @3 :List(Text) $Common.atMost(Common.nodesPerPart);  # of a start at startFrom
  endedBy @4 :Common.Reason;         # null: open end
}

struct LimitRow {
  # A limit as it stands for somebody; texts for people.
  site @0 :Text $Common.atMost(Common.nameBytes);  # "*": the federation's own
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
  before @1 :Int64;               # instant
  after @2 :Common.BoxedInt64;    # instant; null: no start would be left at the site
  because @3 :Text;
}
