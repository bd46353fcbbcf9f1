# cmake -DSOURCE=tree -DGIT=git -DFILE=commit.cc -P commit.cmake: writes the commit of the tree as C++, if it changed.
#
# The commit is the last one that changed what the benchmark is made of: committing its results or a document makes no
# other program. "-dirty" says that it differs from that commit, new files included. "unknown": no git, or the tree is not
# the top of a repository (a copy inside another project's).
set(commit "unknown")
set(code include lib bench tools/measure cmake CMakeLists.txt
  :!bench/results :!bench/report :!*.py :!*.md)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  if(top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --abbrev=7 --format=%h -- ${code}
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
