#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/bytes.hpp"
#include "riemflow/io/data_sets.hpp"
#include "riemflow/io/duplicates.hpp"

namespace riemflow::app {
namespace {

struct DataOptions {
  std::string name, data_dir, output;
  bool json = false, force = false;
};

/// "embedded", "found", "changed", "unreadable" or "absent", and the path of a file that is there.
struct Presence {
  std::string state, path;
};

Presence presence_of(const KnownData& known, const std::string& data_dir) {
  const auto found = look_for_data_set(known.name, data_dir);
  if (!found) return {"absent", ""};
  if (known.embedded) return {"embedded", ""};
  try {
    return {found->other_hash() ? "changed" : "found", found->path};
  } catch (const Error&) {
    return {"unreadable", found->path};
  }
}

nlohmann::ordered_json as_json(const KnownData& known, const Presence& presence) {
  return {{"name", known.name},
          {"what", known.what},
          {"manifold", known.manifold},
          {"rows", known.rows},
          {"distinct", known.distinct},
          {"state", presence.state},
          {"path", presence.path.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(presence.path)},
          {"file", known.file},
          {"sha256", known.sha256},
          {"columns", known.columns},
          {"source", known.source}};
}

void list(const DataOptions& options) {
  auto out = nlohmann::ordered_json::array();
  if (!options.json)
    fmt::print("{:<12} {:<9} {:>6} {:>9}  {:<9} {}\n", "name", "manifold", "rows", "distinct", "state",
               "what");
  for (const KnownData& known : known_data_sets()) {
    const Presence presence = presence_of(known, options.data_dir);
    if (options.json)
      out.push_back(as_json(known, presence));
    else
      fmt::print("{:<12} {:<9} {:>6} {:>9}  {:<9} {}\n", known.name, known.manifold, known.rows,
                 known.distinct, presence.state, known.what);
    if (presence.state == "changed")
      say("{} is not the {} set that is known: its SHA-256 differs.", presence.path, known.name);
  }
  if (options.json) return print_json(out);
  if (data_folder(options.data_dir).empty())
    say("Sets that are absent are read from the folder that --data-dir or RIEMFLOW_DATA names.");
}

void show(const DataOptions& options) {
  const FoundData found = find_data_set(options.name, options.data_dir);
  const KnownData& known = *found.known;
  const Presence presence = presence_of(known, options.data_dir);
  const ReadPoints data = read_all(*open_data(std::string(known.name), {}, options.data_dir));
  const std::size_t rows = data.points.size(), distinct = rows - count_duplicates(data);
  if (const auto hash = found.other_hash())
    say("Warning: {} is not the {} set that is known: its SHA-256 is {}, not {}.", found.path, known.name,
        *hash, known.sha256);
  if (options.json) {
    nlohmann::ordered_json out = as_json(known, presence);
    out["rows"] = rows;
    out["distinct"] = distinct;
    return print_json(out);
  }
  fmt::print("{}: {}\n", known.name, known.what);
  fmt::print("rows      {}, {} of them distinct\n", rows, distinct);
  fmt::print("manifold  {}\n", known.manifold);
  answer("file      {}\n", found.path.empty() ? "part of riemflow" : found.path);
  for (const std::string& sentence : data.assumptions.sentences()) answer("          {}\n", sentence);
  fmt::print("from      {}\n", known.source);
  fmt::print("SHA-256   {}{}\n", known.sha256,
             presence.state == "changed" ? ", which this file has not" : "");
}

void export_set(const DataOptions& options) {
  const FoundData found = find_data_set(options.name, options.data_dir);
  require_safe({{"NAME", found.path}}, {output_named(options.output)}, options.force);
  const bool to_stdout = options.output.empty() || options.output == "-";
  if (const auto hash = found.other_hash())
    say("Warning: {} is not the {} set that is known: its SHA-256 is {}.", found.path, found.known->name,
        *hash);
  write_file_atomically(to_stdout ? "/dev/stdout" : options.output, [&](Sink& sink) {
    const auto source = found.path.empty() ? io::memory_bytes(found.bytes) : io::open_bytes(found.path);
    std::string piece(std::size_t{1} << 16, '\0');
    while (const std::size_t n = source->read(piece.data(), piece.size()))
      sink.write(std::string_view(piece).substr(0, n));
  });
}

}  // namespace

void add_data_command(CLI::App& app) {
  auto* all = app.add_subcommand("data", "List, describe and export the data sets that are known by name");
  all->require_subcommand(1);
  all->footer("Example:\n  riemflow data list");
  const auto add_name = [](CLI::App& command, std::string& name) {
    std::vector<std::string> names;
    for (const KnownData& known : known_data_sets()) names.emplace_back(known.name);
    add_text(command, "NAME", name, fmt::format("{}", fmt::join(names, "|")), "Name of the set")->required();
  };
  {
    auto [command, options] =
        add_command<DataOptions>(*all, "list", "List the sets, and say which are found here", list);
    add_data_dir(command, options.data_dir);
    add_json(command, options.json);
    command.footer(
        "State: embedded (part of riemflow), found (the file has the known SHA-256), changed (it has "
        "another),\n"
        "absent.\n\nExample:\n  riemflow data list --data-dir ~/rcnf-data");
  }
  {
    auto [command, options] = add_command<DataOptions>(
        *all, "show", "Say what a set is, how many rows it has, and where it is from", show);
    add_name(command, options.name);
    add_data_dir(command, options.data_dir);
    add_json(command, options.json);
    command.footer("Example:\n  riemflow data show earthquakes");
  }
  auto [command, options] =
      add_command<DataOptions>(*all, "export", "Write the file of a set, byte for byte", export_set);
  add_name(command, options.name);
  add_text(command, "-o,--output", options.output, "FILE", "Where it goes; standard output unless given");
  add_force(command, options.force);
  add_data_dir(command, options.data_dir);
  command.footer("Example:\n  riemflow data export torsions -o torsions.csv");
}

}  // namespace riemflow::app
