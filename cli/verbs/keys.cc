// `keys`: makes keys locally; lists, rotates and revokes them at the daemon that accepts them.
#include "base/io/zmq/keys.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/status.h"
#include "cli/verbs/act.h"
#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

Result MakeKey(const Given& given) {
  if (given.words.size() > 2) return NoWords("keys", given.words[2]);
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  std::string path = ConfigFolder() + "/" + LoginName() + ".key";
  if (given.words.size() == 2) {
    path = given.words[1];
  } else {
    std::error_code error;
    std::filesystem::create_directories(ConfigFolder(), error);
    if (error) return Fail("internal", "cannot make " + ConfigFolder() + ": " + error.message());
  }
  const io::KeyPair pair = io::SystemEntropy()->NewKeyPair();
  if (const auto written = io::WriteKeyFile(path, pair); !written.ok()) {
    const bool exists = absl::IsAlreadyExists(written);
    return Fail(exists ? "exists" : "internal", std::string(Text(written)),
                exists ? "name another file" : "", "no key was made");
  }
  if (context->json) {
    PrintJson(ToDocument(KeyDocument{path, pair.public_key, ""}), false);
  } else if (context->quiet) {
    Print(pair.public_key + '\n');
  } else {
    Print("public  " + pair.public_key + "\nfile    " + HomeShown(path) +
          "\nSend the public half to an operator; name the file as 'key' in config.toml.\n");
  }
  return kExitDone;
}

Result ListKeys(Given given) {
  if (given.words.size() > 1) return NoWords("keys", given.words[1]);
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  auto rows = session->client.Rows(schemas::Get{.kind = schemas::GetKind::kKeys});
  if (!rows.ok()) return rows.failure();
  if (session->context.quiet) {
    for (const schemas::KeyRow& row : rows->keys) Print(row.name + '\n');
    return kExitDone;
  }
  Show(session->context, ToDocument(KeysDocument{rows->as_of, std::move(rows->keys)}),
       views::KeysView);
  return kExitDone;
}

Result RevokeKey(Given given) {
  if (given.words.size() != 2) {
    return UsageError("whose key?", "as in muster keys revoke kim, or site:lakes");
  }
  std::string name = given.words[1];
  if (name.find(':') == std::string::npos) name.insert(0, "user:");
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  auto accepted = SendAct(session.value(), {.verb = schemas::ActVerb::kRevokeKey, .name = name});
  if (!accepted.ok()) return accepted.failure();
  ActDocument document{.as_of = WallNow(), .verb = "revoke"};
  const std::string note = accepted->notes.empty() ? "" : accepted->notes.front();
  document.targets.push_back({name, note.empty() ? "key revoked, heard no more" : note});
  ShowAct(session->context, document);
  return kExitDone;
}

// The new key pair of a rotation. An interrupted rotation continues with the key that it made, so
// repeating is safe.
Expect<io::KeyPair> FreshPair(const std::string& path) {
  auto kept = io::ReadKeyFile(path);
  if (kept.ok()) return *std::move(kept);
  if (!absl::IsNotFound(kept.status())) return Fail("config", std::string(Text(kept.status())));
  const io::KeyPair pair = io::SystemEntropy()->NewKeyPair();
  if (const auto written = io::WriteKeyFile(path, pair); !written.ok()) {
    return Fail("internal", std::string(Text(written)), "", "the key is as it was");
  }
  return pair;
}

// Replaces the key file `path` by `fresh` atomically, so that there is always a key. Keeps the
// previous file as `old`.
std::optional<Failure> Replace(const std::string& path, const std::string& fresh,
                               const std::string& old) {
  const std::string spare = old + ".new";
  unlink(spare.c_str());
  if (link(path.c_str(), spare.c_str()) != 0) return SystemFailure("cannot link " + spare);
  if (rename(spare.c_str(), old.c_str()) != 0) return SystemFailure("cannot write " + old);
  if (rename(fresh.c_str(), path.c_str()) != 0) return SystemFailure("cannot write " + path);
  return std::nullopt;
}

// True if the daemon already accepts the new key: an earlier rotation succeeded, but its answer was
// lost.
bool HeardAlready(const Session& session, const io::KeyPair& pair) {
  Federation federation = session.client.federation();
  federation.keys = pair;
  auto client = MetaClient::Open(std::move(federation), session.context);
  return client.ok() && client->Rows(schemas::Get{.kind = schemas::GetKind::kSites}).ok();
}

Result RotateKey(Given given) {
  if (given.words.size() > 1) return NoWords("keys", given.words[1]);
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  const std::string path = session->client.federation().address.key_path;
  const std::string fresh = path + ".new";
  const std::string old = path + ".old";
  auto pair = FreshPair(fresh);
  if (!pair.ok()) return pair.failure();
  auto accepted = SendAct(session.value(),
                          {.verb = schemas::ActVerb::kRotateKey, .public_key = pair->public_key});
  if (!accepted.ok()) {
    Failure failure = accepted.failure();
    const std::string& code = failure.diagnostic.code;
    const bool unknown = code == "timeout" || code == "unreachable" || code == "wrong-key";
    const bool heard = code == "wrong-key" && HeardAlready(session.value(), pair.value());
    if (!heard) {
      if (!unknown) unlink(fresh.c_str());
      failure.changed = unknown ? "the key file is as it was; 'muster keys rotate' goes on with " +
                                      HomeShown(fresh)
                                : "the key is as it was";
      return failure;
    }
  }
  if (auto failure = Replace(path, fresh, old)) {
    failure->diagnostic.help.push_back("the new key is heard from now on; it is in " +
                                       HomeShown(fresh));
    return *failure;
  }
  if (session->context.json) {
    PrintJson(ToDocument(KeyDocument{path, pair->public_key, old}), false);
  } else if (session->context.quiet) {
    Print(pair->public_key + '\n');
  } else {
    Print("public  " + pair->public_key + "\nfile    " + HomeShown(path) + "\nold     " +
          HomeShown(old) + "\n" + session->client.federation().asked() +
          " hears the new key from now on, and the old one no more.\nSend the public half to an "
          "operator: the configuration still names the old one.\n");
  }
  return kExitDone;
}

Options KeysOptions() {
  Options options("keys new [FILE] | list | rotate | revoke NAME",
                  "Makes a key; lists, changes and takes away those that are heard.",
                  Words::kAnywhere);
  YesOption(options)
      .Choices({"new", "list", "rotate", "revoke"})
      .Globals()
      .Note(
          "new     FILE: else ~/.config/muster/LOGIN.key. An existing file is never\n"
          "        touched. Its public half goes to an operator, the file stays with you.\n"
          "list    who is heard, and when last\n"
          "rotate  your key is replaced by a new one, the old file is kept as FILE.old\n"
          "revoke  NAME: kim, or site:lakes; that key is heard no more. For operators.\n");
  return options;
}

Result RunKeys(Given given) {
  const std::string word = given.words.empty() ? "" : given.words.front();
  if (word == "new") return MakeKey(given);
  if (word == "list") return ListKeys(std::move(given));
  if (word == "rotate") return RotateKey(std::move(given));
  if (word == "revoke") return RevokeKey(std::move(given));
  const std::vector<std::string> known = {"new", "list", "rotate", "revoke"};
  std::string help = DidYouMean(word, known);
  if (help.empty()) help = "muster keys new, list, rotate or revoke";
  return UsageError(word.empty() ? "what about keys?" : "unknown word '" + word + "' after 'keys'",
                    help);
}

}  // namespace

const Verb kKeysVerb = {"keys", "Operate", "make, list, rotate, revoke", KeysOptions, RunKeys};

}  // namespace muster::cli
