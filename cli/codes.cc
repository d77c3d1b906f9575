// One table, so that every code has both a status and a meaning.
#include "cli/codes.h"

#include <algorithm>
#include <array>

#include "cli/failure.h"

namespace muster::cli {
namespace {

struct Code {
  std::string_view name;
  int exit;
  std::string_view meaning;
};
constexpr std::array<Code, 25> kCodes = {{
    {"busy", kExitUnreachable,
     "Too much is outstanding already: questions, jobs, followers of one user, or the\n"
     "federation as a whole. Nothing was taken in; try again in a while."},
    {"chunk", kExitUsage,
     "The text after -l is no list of chunks. As in 2:ncpus=4:mem=2gb+1:ngpus=1."},
    {"condition", kExitUsage,
     "A condition in site.toml (only, open_to) is malformed or names what is not there:\n"
     "comparisons, in, and, or, brackets; as in ngpus >= 1 or duration <= 12h."},
    {"config", kExitUsage,
     "A configuration or key file is malformed, or does not name what was asked for;\n"
     "'muster check FILE' tests one."},
    {"conflict", kExitConflict,
     "It would break a promise (see what would move; --yes goes ahead), the state\n"
     "changed meanwhile, or --once names another job. Nothing was changed."},
    {"denied", kExitDenied,
     "Yours is not the role, or the job is another's. Operators may act on all; each\n"
     "site decides for itself who may use it."},
    {"disk-full", kExitUnreachable,
     "The disk of the meta or of a site is nearly full: new work is refused, what was\n"
     "accepted is safe. It is taken again once there is room."},
    {"exists", kExitConflict, "A file that would be written is already there; it is untouched."},
    {"expired", kExitTimeout,
     "The question came too late to be answered, or the key of a submission is too\n"
     "old to be told from one that ran already: are the clocks right?"},
    {"federation", kExitUsage,
     "The daemon at this address belongs to another federation than the one named."},
    {"incarnation", kExitInternal,
     "A daemon of a site heard that a newer one of the same site is at work; it ends."},
    {"internal", kExitInternal, "A bug, or this machine refused something; the message says what."},
    {"limit", kExitConflict,
     "A limit of what one user or one request may take would be passed; the message\n"
     "names it. Nothing was submitted."},
    {"never", kExitNever,
     "No site has, or will ever have, what was asked for: not even on its empty,\n"
     "whole machine. Nothing was submitted; 'help:' names the largest that fits."},
    {"no-federation", kExitUsage,
     "No configuration names a federation, and 'muster up' has started none."},
    {"not-found", kExitNotFound,
     "There is no such job, element, part, node, site or key; or its record is older\n"
     "than what is kept (90 days after the end)."},
    {"quarantined", kExitUnreachable,
     "The site said what cannot be; nothing is asked of it until it has been looked\n"
     "at. Jobs that only it could run wait."},
    {"timeout", kExitTimeout,
     "No answer came in time: whether it was done is unknown. Repeating is safe for\n"
     "everything but a submission without --once."},
    {"unreachable", kExitUnreachable,
     "The federation or a site does not answer. What it was told before stands:\n"
     "'muster queue' and 'muster wait last' find your jobs once it is back, and\n"
     "'muster --via SITE' asks a site itself."},
    {"usage", kExitUsage,
     "The command line, a script's #MUSTER line or a value in them is malformed."},
    {"validity", kExitUsage,
     "When something is valid was not understood: always, until DATE, from DATE to\n"
     "DATE, or cron MINUTE HOUR DAY MONTH WEEKDAY for DURATION."},
    {"version", kExitUsage,
     "This command and the federation speak different versions of the protocol."},
    {"window", kExitNever,
     "Nothing begins within the time that was asked for; later it may: --within."},
    {"wrong-key", kExitDenied,
     "The connection was taken and its handshake was not. Either your key is not on\n"
     "the federation's list (any more), or the meta_key in your configuration is not\n"
     "its key."},
    {"wrong-site", kExitUsage, "The key at this address is that of another site than it says."},
}};

const Code* FindCode(std::string_view name) {
  const auto* const code =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const Code& one) { return one.name == name; });
  return code == kCodes.end() ? nullptr : code;
}

}  // namespace

int ExitOf(std::string_view code) {
  const Code* const known = FindCode(code);
  return known == nullptr ? kExitInternal : known->exit;
}

std::string_view MeaningOf(std::string_view code) {
  const Code* const known = FindCode(code);
  return known == nullptr ? std::string_view() : known->meaning;
}

std::vector<std::string> ErrorCodes() {
  std::vector<std::string> names;
  for (const Code& code : kCodes) names.emplace_back(code.name);
  return names;
}

}  // namespace muster::cli
