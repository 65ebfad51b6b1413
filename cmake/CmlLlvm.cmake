# cml_llvm: the static archives of LLVM 19 that jit/ needs, for this machine's processor. The shared
# library would cost 12 ms at every start. LLVM's own CMake files define hundreds of targets and ask for
# libraries that nothing here uses; llvm-config tells the same in no time.
find_program(LLVM_CONFIG NAMES llvm-config-19 PATHS /usr/lib/llvm-19/bin REQUIRED)
if(NOT CML_LLVM_INCLUDE)
  execute_process(COMMAND "${LLVM_CONFIG}" --includedir
    OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${LLVM_CONFIG}" --link-static --libfiles core orcjit nativecodegen instcombine scalaropts
    OUTPUT_VARIABLE llvm_files OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(llvm_files UNIX_COMMAND "${llvm_files}")
  set(CML_LLVM_INCLUDE "${llvm_include}" CACHE INTERNAL "LLVM's headers")
  set(CML_LLVM_FILES "${llvm_files}" CACHE INTERNAL "LLVM's archives")
endif()
find_library(ZLIB_ARCHIVE NAMES libz.a z REQUIRED)
find_library(ZSTD_ARCHIVE NAMES libzstd.a zstd REQUIRED)

add_library(cml_llvm INTERFACE)
target_include_directories(cml_llvm SYSTEM INTERFACE "${CML_LLVM_INCLUDE}")
target_link_libraries(cml_llvm INTERFACE ${CML_LLVM_FILES} "${ZLIB_ARCHIVE}" "${ZSTD_ARCHIVE}"
  Threads::Threads ${CMAKE_DL_LIBS})
