#include "riemflow/io/netcdf_file.hpp"

#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_mem.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

void check(int code) {
  require(code == NC_NOERR, fmt::format("a NetCDF file cannot be made: {}", nc_strerror(code)),
          "write CSV or NPY instead, or fewer numbers", Fault::cannot_write);
}

/// A file in memory; abandoned unless taken.
class MemoryFile {
 public:
  // It grows as it is written: of a size given here, what is not written would be bytes of the heap.
  MemoryFile() { check(nc_create_mem("riemflow", NC_64BIT_OFFSET, 1, &id_)); }
  ~MemoryFile() {
    if (id_ >= 0) nc_abort(id_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int id() const { return id_; }
  std::vector<std::byte> take() {
    NC_memio memory{};
    check(nc_close_memio(std::exchange(id_, -1), &memory));
    const std::unique_ptr<void, decltype(&std::free)> owner(memory.memory, &std::free);
    const auto* bytes = static_cast<const std::byte*>(memory.memory);
    return {bytes, bytes + memory.size};
  }

 private:
  int id_ = -1;
};

void put(int file, int variable, const std::vector<NetcdfAttribute>& attributes) {
  for (const NetcdfAttribute& attribute : attributes) {
    if (const auto* text = std::get_if<std::string>(&attribute.value))
      check(nc_put_att_text(file, variable, attribute.name.c_str(), text->size(), text->c_str()));
    else
      check(nc_put_att_double(file, variable, attribute.name.c_str(), NC_DOUBLE, 1,
                              &std::get<double>(attribute.value)));
  }
}

}  // namespace

std::vector<std::byte> netcdf_bytes(const NetcdfContent& content) {
  MemoryFile file;
  int old_fill = 0;
  check(nc_set_fill(file.id(), NC_NOFILL, &old_fill));  // every number is written

  std::vector<int> dimensions;
  for (const NetcdfDimension& dimension : content.dimensions)
    check(nc_def_dim(file.id(), dimension.name.c_str(), dimension.length, &dimensions.emplace_back()));
  std::vector<int> variables;
  for (const NetcdfVariable& variable : content.variables) {
    std::vector<int> ids;
    std::size_t size = 1;
    for (const std::string& name : variable.dimensions) {
      const auto found = std::find_if(content.dimensions.begin(), content.dimensions.end(),
                                      [&](const NetcdfDimension& d) { return d.name == name; });
      require(found != content.dimensions.end(), "a NetCDF variable along an unknown dimension " + name,
              "declare it", Fault::internal);
      ids.push_back(dimensions[static_cast<std::size_t>(found - content.dimensions.begin())]);
      size *= found->length;
    }
    require(size == variable.values.size(),
            fmt::format("the NetCDF variable {} has {} numbers for {}", variable.name, variable.values.size(),
                        size),
            "give one for each place", Fault::internal);
    check(nc_def_var(file.id(), variable.name.c_str(), NC_DOUBLE, static_cast<int>(ids.size()), ids.data(),
                     &variables.emplace_back()));
    put(file.id(), variables.back(), variable.attributes);
  }
  put(file.id(), NC_GLOBAL, content.attributes);
  check(nc_enddef(file.id()));
  for (std::size_t i = 0; i < variables.size(); ++i)
    check(nc_put_var_double(file.id(), variables[i], content.variables[i].values.data()));
  return file.take();
}

}  // namespace riemflow
