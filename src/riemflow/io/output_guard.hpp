#pragma once
// What a command may write over. The rule, for every command:
//   1. An output is no file that the command reads, and no two outputs are one file, under whatever names.
//   2. A file that is there is replaced by one of its own kind (a model by a model, a table by a table, a
//      picture by a picture of that format), or if it is empty; by anything else only with --force.

#include <string>
#include <string_view>
#include <vector>

namespace riemflow {

/// By content where there is a file, by the ending of its name where it is to be written.
enum class FileKind { model, table, json, page, png, pdf, npy, netcdf, unknown };

/// Of bytes that a file begins with: a model is one of riemflow; `table` is any text but JSON, HTML and SVG.
FileKind kind_of_bytes(std::string_view beginning);
/// .csv, .tsv, .txt and .md are text; .svg and .html are pages; unknown for others, a model's name among
/// them.
FileKind kind_of_name(std::string_view path);

struct InputFile {
  std::string role;  ///< as messages call it: "DATA", "MODEL", "‹log›"
  std::string path;  ///< "-" is standard input
};
struct OutputFile {
  std::string role, path;  ///< "-" is standard output
  FileKind kind;           ///< unknown: replaces anything but a model
};

/// Throws Error(Fault::usage) where the first rule is broken, by device and inode, and
/// Error(Fault::cannot_write) where the second is, unless `force`. Files without a path are passed over, as
/// are pipes and devices.
void require_safe(const std::vector<InputFile>& inputs, const std::vector<OutputFile>& outputs, bool force);

}  // namespace riemflow
