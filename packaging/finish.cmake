# Before cpack makes the package: what Debian's policy wants of it besides what `cmake --install` installs.
set(root "${CPACK_TEMPORARY_DIRECTORY}/usr")
set(docs "${root}/share/doc/cml")
file(COPY "${CPACK_CML_SOURCE_DIR}/packaging/copyright" DESTINATION "${docs}"
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
configure_file("${CPACK_CML_SOURCE_DIR}/packaging/changelog" "${docs}/changelog" COPYONLY)
file(COPY "${CPACK_CML_SOURCE_DIR}/packaging/lintian-overrides" DESTINATION "${root}/share/lintian/overrides")
file(RENAME "${root}/share/lintian/overrides/lintian-overrides" "${root}/share/lintian/overrides/cml")
# Whoever gives a program away says whose libraries are in it.
foreach(package libantlr4-runtime-dev libcli11-dev libfmt-dev libutf8proc-dev libxxhash-dev llvm-19-dev nlohmann-json3-dev
    zlib1g-dev libzstd-dev libstdc++-12-dev)
  configure_file("/usr/share/doc/${package}/copyright" "${docs}/linked/${package}" COPYONLY)
endforeach()
file(GLOB pages "${root}/share/man/man1/*.1")
execute_process(COMMAND gzip -9nf ${pages} "${docs}/changelog" COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files LIST_DIRECTORIES true "${root}/share/*")
foreach(file IN LISTS files)
  if(IS_DIRECTORY "${file}")
    execute_process(COMMAND chmod 755 "${file}")
  else()
    execute_process(COMMAND chmod 644 "${file}")
  endif()
endforeach()
