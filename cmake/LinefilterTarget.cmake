# What every target of ours gets, as properties of the target, never as global flags. Warnings are for our own builds: an
# embedder's compiler may know more of them.
function(linefilter_own target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON  # plugins and bindings are shared libraries
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  if(LINEFILTER_WERROR)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Werror)
  endif()
  if(LINEFILTER_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${LINEFILTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${LINEFILTER_SANITIZE})
  endif()
endfunction()
