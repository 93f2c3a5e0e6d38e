#include "riemflow/io/data_file.hpp"

#include <filesystem>

#include "riemflow/io/data_sets.hpp"

namespace riemflow {

std::unique_ptr<PointSource> DataFile::open(const std::string& manifold) const {
  ReadOptions options = reading;
  options.manifold = manifold;
  return held ? open_points_in(*held, path == "-" ? "<stdin>" : path, options)
              : open_data(path, options, data_dir);
}

DataFile DataFile::by(int threads) const {
  DataFile copy = *this;
  copy.reading.threads = threads;
  return copy;
}

DataFile DataFile::reopenable() const {
  std::error_code ignored;
  if (held || is_regular(path) || (path != "-" && !std::filesystem::exists(path, ignored))) return *this;
  const auto source = io::open_bytes(path);
  std::string all, piece(std::size_t{1} << 16, '\0');
  while (const std::size_t n = source->read(piece.data(), piece.size())) all.append(piece, 0, n);
  DataFile copy = *this;
  copy.held = std::make_shared<const std::string>(std::move(all));
  return copy;
}

std::string DataFile::name() const {
  if (path == "-") return "standard input";
  std::error_code ignored;
  if (held || std::filesystem::exists(path, ignored)) return std::filesystem::path(path).filename().string();
  const FoundData set = find_data_set(path, data_dir);
  return std::filesystem::path(set.path.empty() ? set.known->file : set.path).filename().string();
}

std::string DataFile::sha256() const {
  auto bytes = held ? io::memory_bytes(*held) : open_data_bytes(path, data_dir);
  return io::HashedBytes(std::move(bytes)).sha256();
}

bool is_regular(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

}  // namespace riemflow
