# cmake -DSOURCE=tree -DGIT=git -DFILE=commit.cc -P commit.cmake: writes the commit of the tree as C++, if it changed.
#
# "-dirty" says that what the benchmark is made of differs from that commit, new files included; results and documents
# do not count. "unknown": no git, or the tree is not the top of a repository (a copy inside another project's).
set(commit "unknown")
set(code include lib bench cmake CMakeLists.txt :!bench/results :!*.md)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  if(top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=7 HEAD
      OUTPUT_VARIABLE head RESULT_VARIABLE no_head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain -- ${code}
      OUTPUT_VARIABLE changes RESULT_VARIABLE no_status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(no_head EQUAL 0 AND no_status EQUAL 0)
      set(commit "${head}")
      if(NOT changes STREQUAL "")
        string(APPEND commit "-dirty")
      endif()
    endif()
  endif()
endif()
set(text "extern \"C\" const char* const linefilter_bench_commit;\n")
string(APPEND text "const char* const linefilter_bench_commit = \"${commit}\";\n")
set(old "")
if(EXISTS ${FILE})
  file(READ ${FILE} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${FILE} "${text}")
endif()
