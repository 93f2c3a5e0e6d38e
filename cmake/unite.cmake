# riemflow_unite(TARGET SOURCES…): each folder of a target is compiled as one file where RIEMFLOW_UNITE is on, so that what
# its files share is compiled once: a quarter of the time for the tool, half of it for the library. Names in anonymous
# namespaces must differ within a folder for it.
function(riemflow_unite target)
  if(RIEMFLOW_UNITE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # The files are included in one, and GCC then takes their anonymous namespaces for those of headers.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
    list(FILTER ARGN EXCLUDE REGEX "^\\$<")  # objects of another target
    foreach(source ${ARGN})
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME folder)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
    endforeach()
  endif()
endfunction()
