# Run by cpack for what is to be packed, as Debian's policy demands it: each package gets its copyright and changelog, and
# no library a path of its own to look for others.
if(NOT CPACK_COMPONENTS_ALL)
  message(FATAL_ERROR "cpack names no component (CPACK_COMPONENTS_ALL): there is nothing to pack")
endif()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(folder ${CPACK_TEMPORARY_DIRECTORY}/${component})
  if(NOT IS_DIRECTORY ${folder})
    message(FATAL_ERROR "cpack has put nothing of the component ${component} into ${folder}: is it a generator of one package "
      "for each component (-G DEB)?")
  endif()
  string(TOUPPER ${component} upper)
  set(doc ${folder}/usr/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(MAKE_DIRECTORY ${doc})
  string(TIMESTAMP year "%Y" UTC)
  file(WRITE ${doc}/copyright "linefilter\nCopyright (C) ${year} the linefilter authors\nLicence: Apache-2.0, "
    "the full text of which is in /usr/share/common-licenses/Apache-2.0\n")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${doc}/changelog.Debian "linefilter (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; "
    "urgency=medium\n\n  * Made by cpack; see CHANGELOG.md of the source.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9n ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE libraries ${folder}/*.so.${CPACK_PACKAGE_VERSION})
  foreach(library IN LISTS libraries)
    file(RPATH_REMOVE FILE ${library})
  endforeach()
  if(EXISTS ${folder}/usr/share/zsh/site-functions)  # where Debian's zsh does not look, but below /usr/local
    file(RENAME ${folder}/usr/share/zsh/site-functions ${folder}/usr/share/zsh/vendor-completions)
  endif()
  file(GLOB pages ${folder}/usr/share/man/man1/*.1)
  foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
