# Installs a build into a fresh folder, then configures, builds and runs the consumer project against it.
# cmake -DBUILD= -DSOURCE= -DWORK= -DDATA= -DGENERATOR= -DCXX= -DCXXFLAGS= -DTYPE= -P consume.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXXFLAGS} -DCMAKE_BUILD_TYPE=${TYPE})
run(${CMAKE_COMMAND} --build ${WORK}/build)
execute_process(COMMAND ${WORK}/build/choose ${DATA} WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
message("${output}")
if(NOT output MATCHES "cross-validation error 0\\.0[0-9]*, the average of [0-9]+ models" OR NOT EXISTS ${WORK}/chosen.credence)
  message(FATAL_ERROR "unexpected output of the consumer")
endif()

# The same without CMake.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${WORK}/prefix/*credence.pc)
  cmake_path(GET pc PARENT_PATH folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs credence
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  file(WRITE ${WORK}/two.cpp "#include <credence/credence.hpp>\n"
       "int main(int, char** argv) { return credence::select(credence::read(argv[1])).honest->error < 0.1 ? 0 : 1; }\n")
  run(${CXX} ${CXXFLAGS} ${WORK}/two.cpp -o ${WORK}/two ${flags})
  run(${WORK}/two ${DATA})
endif()
