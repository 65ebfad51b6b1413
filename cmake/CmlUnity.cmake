# The files of a folder are compiled several at a time: most of what a small file costs is reading the headers
# and instantiating the templates that its neighbours need, too.
#
# Files of a folder must not define the same name, then, in anonymous namespaces, either; and each must include
# what it needs, which clang-tidy notices, and whoever compiles it by itself (CONTRIBUTING.md, "Build and test").
#
# CMake's own UNITY_BUILD writes absolute paths into what it makes, so that the compiler cache would miss in
# every other work tree, and keeps the files themselves out of compile_commands.json, which clang-tidy and
# editors ask. Hence this one.
set(CML_UNITY 8 CACHE STRING "How many source files are compiled at a time; 1: each by itself")

# cml_sources(<target> <sources>...): gives the target its source files, or what stands for them.
function(cml_sources target)
  if(CML_UNITY LESS_EQUAL 1)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(folders "")
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
    cmake_path(GET relative PARENT_PATH folder)
    list(APPEND "in_${folder}" "${relative}")
    list(APPEND folders "${folder}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    # Groups of even sizes.
    list(LENGTH "in_${folder}" files)
    math(EXPR groups "(${files} + ${CML_UNITY} - 1) / ${CML_UNITY}")
    set(i 0)
    foreach(source IN LISTS "in_${folder}")
      math(EXPR group "${i} * ${groups} / ${files} + 1")
      string(APPEND "text_${group}" "#include \"${source}\"\n")
      math(EXPR i "${i} + 1")
    endforeach()
    foreach(group RANGE 1 ${groups})
      set(unit "${PROJECT_BINARY_DIR}/unity/${folder}_${group}.cpp")
      file(CONFIGURE OUTPUT "${unit}" CONTENT "${text_${group}}" @ONLY)
      unset("text_${group}")
      target_sources(${target} PRIVATE "${unit}")
    endforeach()
  endforeach()
  # The files themselves, for compile_commands.json; nothing builds this target.
  add_library(${target}_files OBJECT EXCLUDE_FROM_ALL ${ARGN})
  foreach(property COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES LINK_LIBRARIES)
    set_target_properties(${target}_files PROPERTIES ${property} "$<TARGET_PROPERTY:${target},${property}>")
  endforeach()
endfunction()
