# Text files as string data in the program.
#
#   cml_embed(<library> EXTENSION .md HEADER <header> NAMESPACE <namespace> TYPE <struct>
#             FUNCTION <function> [PREFIX <of names>] [FILES <file>...])
#
# makes a static library that defines `std::span<const TYPE> FUNCTION()` of HEADER: the name and the text
# of each file below the current folder, or of these, sorted by name; TYPE is a struct of two string views.
# A file's name is its path without the extension, dots for slashes, behind the prefix.
set(CML_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed.cmake")

function(cml_embed library)
  cmake_parse_arguments(PARSE_ARGV 1 embed "" "EXTENSION;PREFIX;HEADER;NAMESPACE;TYPE;FUNCTION" "FILES")
  set(root "${CMAKE_CURRENT_SOURCE_DIR}")
  if(embed_FILES)
    set(files ${embed_FILES})
  else()
    file(GLOB_RECURSE files RELATIVE "${root}" CONFIGURE_DEPENDS "*${embed_EXTENSION}")
  endif()
  list(JOIN files "|" joined)
  list(TRANSFORM files PREPEND "${root}/" OUTPUT_VARIABLE paths)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${library}.cpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${root}" "-DFILES=${joined}" "-DOUTPUT=${output}"
            "-DEXTENSION=${embed_EXTENSION}" "-DPREFIX=${embed_PREFIX}" "-DHEADER=${embed_HEADER}"
            "-DNAMESPACE=${embed_NAMESPACE}" "-DTYPE=${embed_TYPE}" "-DFUNCTION=${embed_FUNCTION}"
            -P "${CML_EMBED_SCRIPT}"
    DEPENDS ${paths} "${CML_EMBED_SCRIPT}"
    COMMENT "Embedding ${library}"
    VERBATIM)
  add_library(${library} STATIC "${output}")
  target_include_directories(${library} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${library} PRIVATE cml_flags)
endfunction()
