# Compiler settings every target shares: warnings are errors, assertions stay on in release, ccache
# where present.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths below the checkout are hashed as relative ones, so that build folders and clones share
  # results.
  set(launcher ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

# g++ 12 reports -Wrestrict falsely in C++20 (GCC bug 105329).
add_compile_options(-Wall -Wextra -Wpedantic -Wno-restrict -Wno-dangling-else
  -Wno-missing-field-initializers -fno-omit-frame-pointer)
# With a sanitizer g++ takes values for uninitialised that are not: there warnings are only shown.
if(NOT MUSTER_SANITIZE)
  add_compile_options(-Werror)
endif()
# How many sources of a library or a test are compiled at a time. Eight halve the time of a first
# build, and of one after a change of a header that many include; 24 save another quarter where
# sources are seldom changed, and take up to 1.6 GB of memory. Batches hide a missing #include,
# which `./dev tidy` finds: its preset compiles each source alone.
set(MUSTER_BATCH 1 CACHE STRING "sources of a library or a test that are compiled at a time")
if(MUSTER_BATCH GREATER 1)
  # To g++ a source inside another one is a header, whose anonymous namespaces it warns of.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
add_link_options(-Wl,--as-needed)

# Sanitizers by preset: "address" (with UBSan) or "thread".
set(MUSTER_SANITIZE "" CACHE STRING "address or thread, else empty")
if(MUSTER_SANITIZE STREQUAL "address")
  # Without checks of pointers that double the time to compile: ASan ends the program at a null or
  # wild pointer, too.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-sanitize=null,alignment,object-size,vptr)
  add_link_options(-fsanitize=address,undefined)
elseif(MUSTER_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(NOT MUSTER_SANITIZE STREQUAL "")
  message(FATAL_ERROR
    "MUSTER_SANITIZE is '${MUSTER_SANITIZE}'; it takes address, thread or nothing")
endif()
