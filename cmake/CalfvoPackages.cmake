# SPDX-License-Identifier: Apache-2.0
# Debian packages, one per install component: `cpack` in the build folder writes them. `make deb` builds and checks them.
set(debian "${CMAKE_CURRENT_LIST_DIR}/debian")
set(made "${PROJECT_BINARY_DIR}/debian")
set(calfvo_packages program library development python)
set(package_program calfvo)
set(package_library libcalfvo0)
set(package_development libcalfvo-dev)
set(package_python python3-calfvo)

# A manual page for the program and for each subcommand, from their --help.
find_program(HELP2MAN help2man REQUIRED)
find_program(GZIP gzip REQUIRED)
set(subcommands run view export eval suite synth bench convert attention info)
add_custom_target(manual_pages ALL DEPENDS calfvo_program
  COMMAND ${CMAKE_COMMAND} -E make_directory "${made}/man"
  COMMENT "Writing the manual pages" VERBATIM)
foreach(command "" ${subcommands})
  string(JOIN "-" page calfvo ${command})
  add_custom_command(TARGET manual_pages POST_BUILD VERBATIM
    COMMAND "${debian}/manual-page" $<TARGET_FILE:calfvo_program> "${PROJECT_VERSION}" "${made}/man/${page}.1.gz" ${command})
endforeach()
install(DIRECTORY "${made}/man/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)

# The packager: $DEBFULLNAME and $DEBEMAIL, as for Debian's own tools.
set(packager "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if(packager STREQUAL " <>")
  set(packager "The calfvo authors <packages@calfvo.invalid>")
endif()

# Dependents accept this minor version only, since each has a soname of its own (docs/cpp.md).
math(EXPR next_minor "${PROJECT_VERSION_MINOR} + 1")
set(soname_version "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(soname_range "libcalfvo0 (>= ${soname_version}), libcalfvo0 (<< ${PROJECT_VERSION_MAJOR}.${next_minor}~)")
file(WRITE "${made}/triggers" "activate-noawait ldconfig\n")
file(WRITE "${made}/shlibs" "libcalfvo ${soname_version} ${soname_range}\n")

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # or SOURCE_DATE_EPOCH
file(WRITE "${made}/changelog" "calfvo (${PROJECT_VERSION}) bookworm; urgency=medium

  * Release ${PROJECT_VERSION}: CHANGELOG.md in the sources.

 -- ${packager}  ${now}
")
execute_process(COMMAND "${GZIP}" -9nkf "${made}/changelog" COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS calfvo_packages)
  set(folder ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package_${component}})
  install(FILES "${debian}/copyright" "${made}/changelog.gz" DESTINATION ${folder} COMPONENT ${component})
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/calfvo COMPONENT program)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libcalfvo-dev
        COMPONENT development FILES_MATCHING PATTERN "0*.cc")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME calfvo)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package's description begins with its own
set(CPACK_PACKAGE_CONTACT "${packager}")
set(CPACK_OUTPUT_FILE_PREFIX "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${calfvo_packages})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "https://vladimiryugay.github.io/calfvo")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/src")
set(same "(= ${PROJECT_VERSION})")
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
math(EXPR next_python "${Python_VERSION_MINOR} + 1")

set(about "calfvo turns any monocular video into a metric camera trajectory with a
covariance for every pose, without calibration and without a GPU.")
foreach(component IN LISTS calfvo_packages)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_${component}})
endforeach()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libcalfvo0 ${same}")  # for the model
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "monocular visual odometry without calibration
${about}
This package has the program, which reads video files, folders of images,
cameras and recordings of robots, and writes trajectories, pages for a
browser and the formats of other tools.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${made}/shlibs;${made}/triggers")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "monocular visual odometry without calibration - library
${about}
This package has the shared library and the model calfvo-s.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libcalfvo0 ${same}, libeigen3-dev (>= 3.4)")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "monocular visual odometry without calibration - headers
${about}
This package has the headers, examples, and files for CMake and pkg-config.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "${soname_range}, calfvo ${same}, python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_python}), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${debian}/postinst;${debian}/prerm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "monocular visual odometry without calibration - Python module
${about}
This package has the Python module.")
include(CPack)
