# The types shared by all messages and records of muster, and the rules that hold for all of them.
#
# These files are the specification of what leaves a process of muster, on the wire or on disk:
#
#   common.capnp     this file: rules, bounds, times, amounts, reasons and causes
#   request.capnp    what a user asks for
#   hold.capnp       what a site commits itself to, and its states
#   site_rows.capnp  what a site shows of its plan
#   site_link.capnp  meta and sites: envelopes, messages
#   client.capnp     clients and the meta: envelopes, messages, what people are shown
#   records.capnp    what the daemons keep
#
# Form. A message is one plain Cap'n Proto stream message (segment table, segments), never packed,
# at most 4 MiB (`messageBytes`), carried in one ZeroMQ frame. A durable record is the same behind
# eight bytes that say what it is (records.capnp).
#
# One list of fields. Each struct here has a plain struct in schemas/*.h with the same name and the
# same fields in the same order, camelCase here and snake_case there. The canonical form, which
# digests cover, has the same order. Digests never cover wire bytes, because equal values may be
# encoded differently. The codec compares both lists at its first use of a type and stops the
# program if they differ.
#
# Absent values. A pointer may be null only where a comment says so ("null: ..."), and for an empty
# text, data or list. An absent value of any other type travels in a `Boxed...` struct. No field has
# a default other than zero, so an unset field equals zero; where zero must differ from "none", the
# field is boxed.
#
# Text is the sender's bytes. Nobody checks that it is UTF-8 or free of control characters, so
# programs that display it make it printable. Data is for bytes that are not text (scripts, output,
# digests).
#
# Growth. Fields are appended, never removed, renumbered or given another meaning; a field appended
# after the first release is boxed, or its zero means "as before". An enumerant or a union member is
# appended only together with a higher `version`, because a receiver refuses those it does not know.
#
# Refusals. The codec refuses the following from any sender, before a core sees the message; the
# refusal names the field:
#   - more than `messageBytes`, a size that is no multiple of 8, bytes after the last segment;
#   - pointers that leave the message, nesting deeper than 16, more than four times the message read
#     in all (pointers that share a target);
#   - an enumerant or a union member that is not listed here;
#   - a list, text or number beyond its $atMost;
#   - a null pointer to a struct where null has no meaning;
#   - plan times and spans beyond 2^40 s, other times and spans beyond 2^40 s in milliseconds, in
#     either direction: far enough for every horizon, near enough that no sum overflows;
#   - floats that are not finite;
#   - a digest or secret that has not 32 bytes;
#   - sets that are not in their unique form: resource names ascending and unique, amounts not zero
#     and not beyond 2^53; intervals ascending, non-empty, neither overlapping nor touching; names
#     of properties and variables ascending and unique;
#   - a negative amount in a chunk or in a place of one;
#   - a hold that was dropped or moved without a cause: a protocol error, counted against the site.
# A daemon's own records are checked for their form only, so that it can read whatever it wrote.
# The cores check everything else: whether the peer may send this now, and whether it makes sense.

@0xfae78f8b8162b072;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");

annotation atMost @0xb533abf7c2c244e0 (field) :UInt64;
# The bound of a field: elements of a list, bytes of a text or data, value of a number. Every list
# has one. A text or data without one is bounded by the message.

# The bounds by name. They equal those in schemas/limits.h, which gives the reasons.
const messageBytes :UInt64 = 4194304;
const scriptBytes :UInt64 = 1048576;
const outputPieceBytes :UInt64 = 262144;
const proposalEntries :UInt64 = 1000;
const ordersPerMessage :UInt64 = 1000;
const reportChanges :UInt64 = 1000;
const listingHolds :UInt64 = 1000;
const startIntervals :UInt64 = 16;
const searchIntervals :UInt64 = 256;
const allowedIntervals :UInt64 = 1024;
const profileSteps :UInt64 = 64;
const nodeClasses :UInt64 = 8;
const outsideRuns :UInt64 = 256;
const defaultDurations :UInt64 = 256;
const actTargets :UInt64 = 10000;
const rowsPerPage :UInt64 = 1000;
const partsPerRequest :UInt64 = 64;
const chunksPerPart :UInt64 = 64;
const chunkCount :UInt64 = 100000;
const namesPerSet :UInt64 = 64;
const nameBytes :UInt64 = 255;
const arguments :UInt64 = 10000;
const groupsPerUser :UInt64 = 1000;
const nodesPerSite :UInt64 = 100000;
const nodesPerPart :UInt64 = 100000;
const bookingRows :UInt64 = 100000;
const historyRows :UInt64 = 1000;
const dependencies :UInt64 = 64;
const failuresShown :UInt64 = 16;
const slotRows :UInt64 = 1000;
const blockers :UInt64 = 16;
const verdictRows :UInt64 = 256;
const standingRows :UInt64 = 2000;
const triedChanges :UInt64 = 1000;

# ---- ids -----------------------------------------------------------------------------------------
#
# Requests, epochs, incarnations, revisions, plan revisions, proposals and message numbers are
# UInt64; 0 is "none yet". A request's number is its job's, below 2^40; an element of an array has
# its index + 1 above that.

struct Fence {
  # Identifies one attempt to place a request; site and fence together identify a hold. Ordered by
  # epoch, then number. Local jobs of a site have epoch 0, which no meta has.
  epoch @0 :UInt64;   # the meta's incarnation, durable before its first welcome
  number @1 :UInt64;  # counted in the meta's memory; needs no write, since the epoch is durable
}

# ---- times ---------------------------------------------------------------------------------------
#
# Three kinds, all Int64, told apart by the field's meaning:
#   instant, span      plan time, whole seconds (since 1970-01-01T00:00:00Z); 2^40 is "never"
#   moment             UTC in milliseconds: when something happened, for people and for `expires`
#   boot span          milliseconds on the receiver's CLOCK_BOOTTIME: leases and time-outs travel as
#                      spans and are armed on receipt, so that no clock jump can lengthen one
#   boot instant       a point of that clock; only in records, never in messages

struct Interval {
  # Half-open, [begin, end), begin < end. A set of instants is a list of them in ascending order,
  # neither overlapping nor touching.
  begin @0 :Int64;
  end @1 :Int64;
}

# ---- amounts -------------------------------------------------------------------------------------

struct Amount {
  # One entry of a resource set (reqRS, nRS, jRS ... of OpenCCS, section 4). A set is a list of
  # them, names ascending and unique, no amount zero. Sizes are bytes.
  name @0 :Text $atMost(.nameBytes);
  amount @1 :Int64;  # negative only in differences, never in a chunk
}

struct ResourceSet {
  # A resource set as an element of a list. As a field, a set is the list of amounts itself.
  amounts @0 :List(Amount) $atMost(.namesPerSet);
}

struct Pair {
  # One entry of a mapping from text to text. A mapping is a list with names ascending and unique.
  name @0 :Text;
  value @1 :Text;
}

# ---- values that may be absent -------------------------------------------------------------------
#
# A null pointer to one of these means "absent".

struct BoxedUInt64 { value @0 :UInt64; }
struct BoxedInt64 { value @0 :Int64; }
struct BoxedUInt32 { value @0 :UInt32; }
struct BoxedInt32 { value @0 :Int32; }
struct BoxedFloat64 { value @0 :Float64; }
struct BoxedBool { value @0 :Bool; }

# ---- why not earlier, why a figure moved ---------------------------------------------------------

enum ReasonCode {
  # Why a request does not start earlier. A closed list, so that every answer can be explained and
  # counted.
  job @0;       # another job has the resources
  limit @1;     # a limit of the site
  freepool @2;  # reserved for another pool
  reservation @3;
  property @4;     # no node has the property
  topology @5;     # free, but not in the shape needed
  node @6;         # a node is down or draining
  policy @7;
  dependency @8;
  silent @9;      # the site does not answer
  blocked @10;    # no allowed start in the present plan
  contended @11;  # several attempts wanted the same
  budget @12;     # the planning time of the turn was spent: ask again
  horizon @13;    # beyond what the site plans ahead
  share @14;      # its share of the federation is used up
  credit @15;     # its account cannot pay for it
}

struct Subject {
  # What a reason or cause refers to. Text for people and for grouping; empty where it does not
  # apply. Node names are opaque: the meta decides nothing by them.
  site @0 :Text $atMost(.nameBytes);
  node @1 :Text;
  job @2 :Text;
  packing @3 :Text;
  # For a changed scheduler: the algorithm now in force, "ffdh*", or the settings if only these
  # changed.
}

struct Reason {
  code @0 :ReasonCode;
  subject @1 :Subject;
  resource @2 :Text $atMost(.nameBytes);  # the resource that is short; empty if none
  until @3 :BoxedInt64;  # instant at which this stops being an obstacle; null: unknown
  text @4 :Text;         # one line for people
}

enum CauseCode {
  # Why a promise or a bound moved, or a hold ended. A closed list; every change of a figure names a
  # cause.
  none @0;           # only where no promise moved: a plain release, a normal end
  # A site reports these when a start gets later or a place is lost.
  nodeLost @1;
  operator @2;
  preempted @3;      # a more urgent hold that had lost its nodes took the place
  overrun @4;        # the predecessor did not end in time
  policyChanged @5;
  clock @6;
  forgot @7;         # the site lost the record
  diskFull @8;
  siteDown @9;
  noPermit @10;      # no permit before D, or none before the start (n = 1)
  late @11;          # the last start passed, or the driver was slow (R7)
  # The meta sets these when a start gets later or a place is lost.
  siteSilent @12;
  metaOutage @13;
  partner @14;       # another member of the co-allocation, or a job that this one waits for
  # By the user.
  user @15;
  # Earlier starts.
  backfilled @16;
  joint @17;         # a co-allocation moved as a whole
  # Only for bounds, never for promises.
  overtaken @18;
  packed @19;
  site @20;
  # No later start elsewhere.
  home @21;          # a user whose home the site is wanted the place
  # A site reports this when a start gets later or a place is lost.
  local @22;         # who uses its machine without muster came in the way
}

struct Cause {
  code @0 :CauseCode;
  subject @1 :Subject;
  who @2 :Text;       # "meta", "site:NAME", "user:NAME"
  resource @3 :Text;  # if the subject's node lost only this; empty: the whole node is meant
  because @4 :CauseCode;  # of partner: that partner's own cause; none: unknown
}
