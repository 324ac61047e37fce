# make install: library, headers, libuv.pc and a CMake package, laid out so that
# a build finds Rondo the way it finds libuv; and the manual pages. The rondo command
# is installed where it is made (tools/rondo/CMakeLists.txt).

install(TARGETS uv uv_a EXPORT libuvTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB man_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.[1-8])
foreach(page ${man_pages})
  string(REGEX MATCH "[1-8]$" section ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/libuv)
install(EXPORT libuvTargets NAMESPACE libuv:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/libuvConfig.cmake.in
  ${PROJECT_BINARY_DIR}/libuvConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/libuvConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/libuvConfig.cmake
              ${PROJECT_BINARY_DIR}/libuvConfigVersion.cmake DESTINATION ${package_dir})

# The prefix is known only when "make install PREFIX=…" runs, so libuv.pc is
# written then, not at configure time.
if(uring_for_static)
  set(uring_private " -luring")
endif()
install(CODE "set(uring_private \"${uring_private}\")
set(version ${PROJECT_VERSION})
set(libdir ${CMAKE_INSTALL_LIBDIR})
set(includedir ${CMAKE_INSTALL_INCLUDEDIR})
set(prefix \"\${CMAKE_INSTALL_PREFIX}\")
configure_file(${PROJECT_SOURCE_DIR}/cmake/libuv.pc.in ${PROJECT_BINARY_DIR}/libuv.pc @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/libuv-static.pc.in ${PROJECT_BINARY_DIR}/libuv-static.pc @ONLY)")
install(FILES ${PROJECT_BINARY_DIR}/libuv.pc ${PROJECT_BINARY_DIR}/libuv-static.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
