# What cmake --install puts into a prefix for other projects: the headers, the library, the law kit for manifolds, and what
# find_package(riemflow) and pkg-config read.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/riemflow)
foreach(library ${libraries})
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
install(TARGETS ${libraries} EXPORT riemflow)
install(EXPORT riemflow DESTINATION ${package_dir} NAMESPACE riemflow:: FILE riemflowTargets.cmake)
install(DIRECTORY src/riemflow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp
        PATTERN flow/cuda EXCLUDE)
install(FILES tests/manifold/laws.hpp tests/manifold/covering_laws.hpp tests/manifold/backward.hpp tests/manifold/field_laws.hpp
              tests/manifold/patch_laws.hpp tests/manifold/tile.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/riemflow/testing)

configure_package_config_file(cmake/riemflowConfig.cmake.in ${PROJECT_BINARY_DIR}/package/riemflowConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/riemflowConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)  # before 1.0
install(FILES ${PROJECT_BINARY_DIR}/package/riemflowConfig.cmake ${PROJECT_BINARY_DIR}/package/riemflowConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config finds the prefix from where its file lies, and names the shared library; the static ones are for --static.
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(needed -lriemflow_figure -lriemflow_io -lriemflow_core -lhwy -lnetcdf -lcairo -lproj -pthread)
foreach(name ${riemflow_packings})
  cmake_path(GET RIEMFLOW_${name} STEM library)
  string(REGEX REPLACE "^lib" "-l" library ${library})
  list(APPEND needed ${library})
endforeach()
if(riemflow_with_cuda)
  list(APPEND needed -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt)  # it has no usual place
endif()
list(JOIN needed " " needed)
set(pkg_libraries "-lriemflow\nLibs.private: ${needed}")
configure_file(cmake/riemflow.pc.in ${PROJECT_BINARY_DIR}/package/riemflow.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/riemflow.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# scripts/package. What only those need who build against the library is suggested.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_VENDOR riemflow)
set(CPACK_PACKAGE_CONTACT "riemflow <riemflow@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "probability densities on spheres, tori, hyperbolic spaces and their products")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "g++, cmake, libfmt-dev, libeigen3-dev, librandom123-dev, libhwy-dev, libnetcdf-dev, libcairo2-dev, libproj-dev, zlib1g-dev, libzstd-dev")
include(CPack)
