# The Debian package: `cpack` in the build folder (packaging/try does it, and tries what comes out).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cml)
set(CPACK_PACKAGE_VENDOR "The CML authors")
set(CPACK_PACKAGE_CONTACT "The CML authors <cml@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "graphviz, spin")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "model checker for concurrent programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION [[
CML is a small language for describing how threads share things, with the
synchronisation of a real programming language: monitors, mutexes and
conditions, reader-writer locks, semaphores, channels, atomics, processes.

The program explores every schedule of such a model and either says that
nothing bad can happen or shows how it does: deadlocks, failed assertions,
shared data that no lock protects, threads that starve. It has a language
server for editors and a tool server for agents.]])
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/finish.cmake")
set(CPACK_CML_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
