# Third-party libraries, all from Debian's packages (names in packages.txt); least versions are
# checked here.
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(CapnProto 0.9 REQUIRED)
find_package(RocksDB 7.8 REQUIRED)
find_package(cppzmq 4.9 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(GTest 1.12 REQUIRED)
find_package(benchmark REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium>=1.0.18)
find_package(ZLIB REQUIRED)
# How daemons, simulation and benches allocate: most of what they do is many small objects. Nothing
# refers to it, so the linker must be told to keep it; sanitizers bring their own.
pkg_check_modules(TCMALLOC REQUIRED IMPORTED_TARGET libtcmalloc_minimal>=2.10)
add_library(tcmalloc INTERFACE IMPORTED)
if(NOT MUSTER_SANITIZE)
  target_link_libraries(tcmalloc INTERFACE -Wl,--no-as-needed PkgConfig::TCMALLOC)
endif()

# Programs of a release carry these libraries: a call of the command costs less than loading them.
set(MUSTER_STATIC OFF CACHE BOOL "link absl, Cap'n Proto, libsodium and libzmq from archives")
if(MUSTER_STATIC)
  include(StaticLibraries)
  muster_prefer_archives("^(absl|CapnProto)::|^libzmq$|^PkgConfig::SODIUM$")
  # What libzmq.a needs; GSSAPI is refused (base/io/zmq/no_gssapi.c).
  target_link_libraries(libzmq INTERFACE base_io_zmq_no_gssapi PkgConfig::SODIUM)
  foreach(name pgm norm protokit bsd md)
    find_library(MUSTER_LIB_${name} NAMES lib${name}.a REQUIRED)
    target_link_libraries(libzmq INTERFACE ${MUSTER_LIB_${name}})
  endforeach()
  target_link_libraries(libzmq INTERFACE Threads::Threads)
endif()
