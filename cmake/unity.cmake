# Who builds the project once compiles many sources of a target at once, which takes much less time; who changes
# the sources compiles each by itself. Results are the same to the last bit either way.
option(CREDENCE_UNITY "Compile many sources at once: less time in all, more after each change" OFF)
set(CREDENCE_UNITY_SOURCES 48)  # Fewer repeat the headers more often; more leave a core idle at the end.

# credence_unity(TARGET [SOURCES]), after the properties of its sources are set. Sources with options of their own stay alone.
function(credence_unity target)
  if(CREDENCE_UNITY)
    set(at_once ${CREDENCE_UNITY_SOURCES} ${ARGN})
    list(GET at_once -1 at_once)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${at_once}
                          DISABLE_PRECOMPILE_HEADERS ON)  # which cost more here than they save
    target_compile_options(${target} PRIVATE -w)  # Warnings are for those who compile each source by itself.
  elseif(CREDENCE_BUILD_TESTS AND NOT CREDENCE_SANITIZE)
    # For the test `sources_compile_at_once`: all sources of the target in one unit, which is checked and not translated.
    get_target_property(sources ${target} SOURCES)
    set(text "")
    foreach(source ${sources})
      set(alone FALSE)
      foreach(property SKIP_UNITY_BUILD_INCLUSION COMPILE_OPTIONS COMPILE_DEFINITIONS)
        get_source_file_property(own ${source} TARGET_DIRECTORY ${target} ${property})
        if(own)
          set(alone TRUE)
        endif()
      endforeach()
      if(NOT alone)
        string(APPEND text "#include \"${source}\"\n")
      endif()
    endforeach()
    set(unit ${CMAKE_BINARY_DIR}/at_once/${target}.cpp)
    file(GENERATE OUTPUT ${unit} CONTENT "${text}")
    add_library(${target}_at_once OBJECT EXCLUDE_FROM_ALL ${unit})
    set_target_properties(${target}_at_once PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
    target_include_directories(${target}_at_once PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${target}_at_once PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    target_link_libraries(${target}_at_once PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
    target_compile_options(${target}_at_once PRIVATE -fsyntax-only -w)
    set_property(GLOBAL APPEND PROPERTY CREDENCE_AT_ONCE ${target}_at_once)
  endif()
endfunction()
