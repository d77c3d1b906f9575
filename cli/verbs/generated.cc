// Verbs that print generated text: schema, completion.
#include "cli/completion.h"
#include "cli/schema.h"
#include "cli/verbs/look.h"

namespace muster::cli {
namespace {

Options SchemaOptions() {
  Options options("schema [NAME]", "Prints the JSON Schema of a document; alone, their names.",
                  Words::kAnywhere);
  options.Choices(SchemaNames()).Globals().Note("NAME: muster.job/1, or job\n");
  return options;
}

Result RunSchema(Given given) {
  const std::vector<std::string> names = SchemaNames();
  if (given.words.size() > 1) return NoWords("schema", given.words[1]);
  if (given.words.empty()) {
    if (given.Has("--json")) {
      PrintJson(Json{{"schema", "muster.schemas/1"}, {"names", names}}, false);
      return kExitDone;
    }
    for (const std::string& name : names) Print(name + '\n');
    return kExitDone;
  }
  const std::string& name = given.words.front();
  const auto schema = SchemaNamed(name);
  if (!schema) {
    std::string help = DidYouMean("muster." + name + "/1", names);
    if (help.empty()) help = "'muster schema' lists them";
    return Fail("not-found", "there is no document '" + name + "'", help);
  }
  PrintJson(*schema, false);
  return kExitDone;
}

Options CompletionOptions() {
  Options options("completion bash|fish|zsh", "Prints completion for a shell.", Words::kAnywhere);
  options.Choices(Shells()).Globals().Note(
      "bash    source <(muster completion bash)   in ~/.bashrc\n"
      "zsh     source <(muster completion zsh)    in ~/.zshrc, after compinit\n"
      "fish    muster completion fish | source    in ~/.config/fish/config.fish\n");
  return options;
}

Result RunCompletion(Given given) {
  if (given.words.size() != 1) {
    return UsageError("for which shell?", "muster completion bash, fish or zsh");
  }
  const std::string& shell = given.words.front();
  for (const std::string& known : Shells()) {
    if (known != shell) continue;
    Print(CompletionFor(shell));
    return kExitDone;
  }
  return UsageError("no completion for '" + shell + "'", "bash, fish and zsh are known");
}

}  // namespace

const Verb kSchemaVerb = {"schema", "Plumbing", "print a JSON schema", SchemaOptions, RunSchema};
const Verb kCompletionVerb = {"completion", "Plumbing", "for bash, zsh, fish", CompletionOptions,
                              RunCompletion};

}  // namespace muster::cli
