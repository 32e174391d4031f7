# cmake -DREADELF=… -DLIBRARY=… -P check_guest.cmake
# The guest library must load into any CPython of any container. So it may need libc's own libraries
# and no other; the build fails here, and not years later on somebody's image.
execute_process(COMMAND "${READELF}" --dynamic --wide "${LIBRARY}"
                OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" needed "${dynamic}")
foreach(line IN LISTS needed)
  if(NOT line MATCHES "\\[(libc\\.so|libm\\.so|libpthread\\.so|libdl\\.so|librt\\.so|ld-linux)")
    message(FATAL_ERROR "${LIBRARY} must need nothing but libc, yet: ${line}")
  endif()
endforeach()
