#include "apps/riemflow/fit/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow::app {

std::string partial_path(const std::string& path) { return path + ".partial"; }

void save_finished(const std::string& path, const Model& model) {
  save_model(path, model);
  std::error_code ignored;
  std::filesystem::remove(partial_path(path), ignored);
}

void require_place(const std::string& path) {
  for (const std::string& file : {path, partial_path(path)}) require_writable_file(file);
}

void require_writable(const std::string& path) {
  struct Tried {};
  try {
    write_file_atomically(path, [](Sink& sink) {
      sink.write("riemflow");
      sink.flush();
      throw Tried{};
    });
  } catch (const Tried&) {
  }
}

void require_writable_file(const std::string& path) {
  std::error_code code;
  const auto kind = std::filesystem::status(path, code).type();
  using std::filesystem::file_type;
  if (kind == file_type::directory)
    throw Error(fmt::format("cannot write {}: it is a directory", path), "name a file, as in -o my.model",
                Fault::cannot_write);
  if (kind != file_type::regular && kind != file_type::not_found && kind != file_type::none)
    throw Error(fmt::format("cannot write {}: it is not a regular file", path),
                "name a file, as in -o my.model", Fault::cannot_write);
  require_writable(path);
}

}  // namespace riemflow::app
