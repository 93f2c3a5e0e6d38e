#include "riemflow/io/output_guard.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/bytes.hpp"
#include "riemflow/io/message.hpp"

namespace riemflow {
namespace {

using std::string_view_literals::operator""sv;

/// The metadata of a model, where its format stands, come first in the header.
constexpr std::size_t kBeginning = 1 << 16;

/// A regular file by device and inode, which all its names share; of a file that is not there yet the one
/// name that it will have.
struct FileNode {
  std::optional<std::pair<dev_t, ino_t>> node;
  std::filesystem::path name;

  bool operator==(const FileNode& other) const {
    return node || other.node ? node == other.node : !name.empty() && name == other.name;
  }
};

FileNode node_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) return {};
    return {std::pair(info.st_dev, info.st_ino), {}};
  }
  std::error_code ignored;
  return {std::nullopt,
          std::filesystem::weakly_canonical(std::filesystem::absolute(behind_links(path)), ignored)};
}

std::string named(const std::string& role, const std::string& path) {
  return role.empty() ? path : role + " " + path;
}

std::string_view kind_text(FileKind kind) {
  // In the order of the enumerators.
  constexpr std::string_view kTexts[] = {"a model",      "text",          "JSON",
                                         "HTML or SVG",  "a PNG picture", "a PDF document",
                                         "an NPY array", "NetCDF",        "of a kind that is not known"};
  return kTexts[static_cast<std::size_t>(kind)];
}

/// Of a regular file that is there and not empty. One that cannot be read is of no known kind.
std::optional<FileKind> kind_of_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return std::nullopt;
  try {
    io::Window window(io::open_packed_bytes(path), kBeginning);
    window.fill(kBeginning);
    return kind_of_bytes({window.begin(), window.size()});
  } catch (const Error&) {
    return FileKind::unknown;
  }
}

void require_own_kind(const OutputFile& output, const std::string& path) {
  const std::optional<FileKind> there = kind_of_file(path);
  if (!there || *there == output.kind) return;
  if (output.kind == FileKind::unknown && *there != FileKind::model) return;
  throw Error(
      fmt::format("{} is there already, and is {}{}", named(output.role, output.path), kind_text(*there),
                  output.kind == FileKind::unknown
                      ? ""
                      : fmt::format(", where {} is to be written", kind_text(output.kind))),
      "name another file, or replace it with ‹force›", Fault::cannot_write);
}

}  // namespace

FileKind kind_of_bytes(std::string_view text) {
  if (text.starts_with("\x93NUMPY")) return FileKind::npy;
  if (text.starts_with("\x89PNG")) return FileKind::png;
  if (text.starts_with("%PDF")) return FileKind::pdf;
  if (text.starts_with("\x89HDF") || text.starts_with("CDF"sv)) return FileKind::netcdf;
  if (text.size() > 8 && text[8] == '{' && text.substr(0, 8).find('\0') != text.npos)
    return text.find("\"riemflow-model\"") != text.npos ? FileKind::model : FileKind::unknown;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.find('\0') != text.npos) return FileKind::unknown;
  const std::size_t visible = text.find_first_not_of(" \t\r\n");
  if (visible == text.npos) return FileKind::table;
  if (text[visible] == '<') return FileKind::page;
  return text[visible] == '{' || text[visible] == '[' ? FileKind::json : FileKind::table;
}

FileKind kind_of_name(std::string_view path) {
  constexpr std::pair<std::string_view, FileKind> kEndings[] = {
      {".csv", FileKind::table}, {".tsv", FileKind::table}, {".txt", FileKind::table},
      {".md", FileKind::table},  {".json", FileKind::json}, {".jsonl", FileKind::json},
      {".svg", FileKind::page},  {".html", FileKind::page}, {".htm", FileKind::page},
      {".png", FileKind::png},   {".pdf", FileKind::pdf},   {".npy", FileKind::npy},
      {".nc", FileKind::netcdf},
  };
  const std::string name = io::lower(path);
  for (const auto& [ending, kind] : kEndings)
    if (name.ends_with(ending)) return kind;
  return FileKind::unknown;
}

void require_safe(const std::vector<InputFile>& inputs, const std::vector<OutputFile>& outputs, bool force) {
  const auto real = [](const std::string& path, const char* standard) {
    return path == "-" ? standard : path;
  };
  std::vector<FileNode> read, written;
  for (const InputFile& input : inputs)
    read.push_back(input.path.empty() ? FileNode{} : node_of(real(input.path, "/dev/stdin")));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputFile& output = outputs[i];
    if (output.path.empty()) {
      written.emplace_back();
      continue;
    }
    const std::string path = real(output.path, "/dev/stdout");
    const FileNode place = node_of(path);
    const auto refuse = [&](const std::string& role, const std::string& other, const char* loss) {
      throw Error(fmt::format("{} and {} are the same file, {}", named(output.role, output.path),
                              named(role, other), loss),
                  "name another file to write", Fault::usage);
    };
    for (std::size_t j = 0; j < inputs.size(); ++j)
      if (place == read[j]) refuse(inputs[j].role, inputs[j].path, "and what is in it would be lost");
    for (std::size_t j = 0; j < i; ++j)
      if (place == written[j]) refuse(outputs[j].role, outputs[j].path, "which cannot hold both");
    written.push_back(place);
    if (!force && !path.starts_with("/dev/")) require_own_kind(output, path);
  }
}

}  // namespace riemflow
