// Documents about this machine: errors, local federations, configuration files. cli.md section 4.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cli/failure.h"
#include "cli/json.h"

namespace muster::cli {

using schemas::Field;

// A position in a file; an unknown line or column is null.
struct ErrorPlace {
  std::string file;
  std::optional<uint32_t> line;
  std::optional<uint32_t> column;
  static constexpr auto Fields() {
    using E = ErrorPlace;
    return schemas::FieldList(Field("file", &E::file), Field("line", &E::line),
                              Field("column", &E::column));
  }
};
struct ErrorDocument {
  static constexpr char kSchema[] = "muster.error/1";
  std::string code;
  std::string message;
  int32_t exit = 0;
  std::optional<ErrorPlace> where;
  std::vector<std::string> notes;
  std::string help;
  std::string changed;
  static constexpr auto Fields() {
    using E = ErrorDocument;
    return schemas::FieldList(Field("code", &E::code), Field("message", &E::message),
                              Field("exit", &E::exit), Field("where", &E::where),
                              Field("notes", &E::notes), Field("help", &E::help),
                              Field("changed", &E::changed));
  }
};
ErrorDocument ErrorOf(const Failure& failure);

struct UpSite {
  std::string name;
  std::string address;  // for --via
  std::string driver;   // process, slurm
  uint32_t nodes = 0;
  ResourceSet total;
  static constexpr auto Fields() {
    using U = UpSite;
    return schemas::FieldList(Field("name", &U::name), Field("address", &U::address),
                              Field("driver", &U::driver), Field("nodes", &U::nodes),
                              Field("total", &U::total));
  }
};
struct UpDocument {
  static constexpr char kSchema[] = "muster.up/1";
  Moment as_of;
  std::string name;
  bool was_running = false;
  double elapsed_s = 0;
  std::string state_dir;
  std::string meta;
  std::vector<UpSite> sites;
  static constexpr auto Fields() {
    using U = UpDocument;
    return schemas::FieldList(Field("as_of", &U::as_of), Field("name", &U::name),
                              Field("was_running", &U::was_running),
                              Field("elapsed_s", &U::elapsed_s), Field("state_dir", &U::state_dir),
                              Field("meta", &U::meta), Field("sites", &U::sites));
  }
};
struct DownDocument {
  static constexpr char kSchema[] = "muster.down/1";
  std::string name;
  bool was_running = false;
  bool purged = false;
  uint64_t unfinished_jobs = 0;
  static constexpr auto Fields() {
    using D = DownDocument;
    return schemas::FieldList(Field("name", &D::name), Field("was_running", &D::was_running),
                              Field("purged", &D::purged),
                              Field("unfinished_jobs", &D::unfinished_jobs));
  }
};
struct CheckDocument {
  static constexpr char kSchema[] = "muster.check/1";
  std::string file;
  std::string kind;  // user
  uint64_t federations = 0;
  static constexpr auto Fields() {
    using C = CheckDocument;
    return schemas::FieldList(Field("file", &C::file), Field("kind", &C::kind),
                              Field("federations", &C::federations));
  }
};

Json ToDocument(const ErrorDocument& document);
Json ToDocument(const UpDocument& document);
Json ToDocument(const DownDocument& document);
Json ToDocument(const CheckDocument& document);

}  // namespace muster::cli
