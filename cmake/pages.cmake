# The report page: its style, script and chart specifications are parts of every build; what draws the charts (vega,
# vega-lite, vega-embed) comes from npm, by the lock file report/page/package-lock.json.
set(CREDENCE_BUILD_PAGES AUTO CACHE STRING "Build report pages in, which needs npm: AUTO, ON or OFF")
set_property(CACHE CREDENCE_BUILD_PAGES PROPERTY STRINGS AUTO ON OFF)

set(CREDENCE_PAGE_SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/report/page)
set(CREDENCE_PAGE_FOLDER ${CMAKE_CURRENT_BINARY_DIR}/page)
# In this order: each looks for those before it.
set(CREDENCE_PAGE_PARTS vega vega-lite vega-embed)

# The licences of what the minified files hold, each text once, as a comment of JavaScript.
function(credence_licences result)
  set(text "/*! The charts are drawn by these packages:\n")
  file(GLOB folders ${CREDENCE_PAGE_FOLDER}/node_modules/*)
  foreach(folder ${folders})
    get_filename_component(name ${folder} NAME)
    if(NOT name MATCHES "^(vega.*|d3-.*|topojson-client|delaunator|robust-predicates|internmap|semver|json-stringify.*)$")
      continue()
    endif()
    file(GLOB files ${folder}/LICEN[CS]E*)
    foreach(file ${files})
      file(READ ${file} licence)
      string(MD5 sum "${licence}")
      string(REPLACE "*/" "* /" licence "${licence}")
      if(DEFINED first_${sum})
        set(licence "(the licence of ${first_${sum}})\n")
      else()
        set(first_${sum} ${name})
      endif()
      string(APPEND text "\n${name}\n\n${licence}")
    endforeach()
  endforeach()
  set(${result} "${text}*/" PARENT_SCOPE)
endfunction()

# Says in `reason` why pages cannot be built in, or makes ${CREDENCE_PAGE_FOLDER}/drawing.js and leaves it empty.
function(credence_fetch_drawing reason)
  set(${reason} "" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CREDENCE_PAGE_SOURCE}/package-lock.json)
  file(SHA256 ${CREDENCE_PAGE_SOURCE}/package-lock.json lock)
  file(SHA256 ${CMAKE_CURRENT_FUNCTION_LIST_FILE} script)
  set(wanted "${lock} ${script}")
  set(have "")
  if(EXISTS ${CREDENCE_PAGE_FOLDER}/fetched.txt AND EXISTS ${CREDENCE_PAGE_FOLDER}/drawing.js)
    file(READ ${CREDENCE_PAGE_FOLDER}/fetched.txt have)
  endif()
  if(have STREQUAL wanted)
    return()
  endif()
  find_program(CREDENCE_NPM npm)
  if(NOT CREDENCE_NPM)
    set(${reason} "npm is not installed (Debian's package npm)" PARENT_SCOPE)
    return()
  endif()
  message(STATUS "Fetching what draws the charts of report pages (npm ci)")
  file(MAKE_DIRECTORY ${CREDENCE_PAGE_FOLDER})
  file(COPY ${CREDENCE_PAGE_SOURCE}/package.json ${CREDENCE_PAGE_SOURCE}/package-lock.json
       DESTINATION ${CREDENCE_PAGE_FOLDER})
  execute_process(
    COMMAND ${CREDENCE_NPM} ci --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error
            --fetch-retries=1 --fetch-retry-maxtimeout=10000
    WORKING_DIRECTORY ${CREDENCE_PAGE_FOLDER} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said TIMEOUT 300)
  if(failed)
    string(STRIP "${said}" said)
    string(REGEX REPLACE "\n.*" "" said "${said}")
    set(${reason} "npm ci failed: ${said}" PARENT_SCOPE)
    return()
  endif()
  set(drawing "")
  foreach(part ${CREDENCE_PAGE_PARTS})
    set(folder ${CREDENCE_PAGE_FOLDER}/node_modules/${part})
    file(READ ${folder}/build/${part}.min.js code)
    string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" code "${code}")
    string(APPEND drawing "\n${code}\n")
  endforeach()
  credence_licences(licences)
  string(PREPEND drawing "${licences}")
  file(WRITE ${CREDENCE_PAGE_FOLDER}/drawing.js "${drawing}")
  file(WRITE ${CREDENCE_PAGE_FOLDER}/fetched.txt "${wanted}")
endfunction()

# Adds the bytes of files to the program, in a source that is made here: credence_embed(TARGET NAME FILE ...), and the
# header report/page/html.hpp reads them by name.
function(credence_embed target)
  set(source ${CREDENCE_PAGE_FOLDER}/embedded.cpp)
  set(text "#include \"report/page/html.hpp\"\n\n#include <array>\n#include <cstdint>\n\n")
  set(table "")
  set(files "")
  # The section of constants, and what names of C begin with, in each system's object files.
  set(prefix "")
  if(WIN32)
    set(begin ".section .rdata,\\\"dr\\\"")
    set(end ".text")
  elseif(APPLE)
    set(begin ".section __TEXT,__const")
    set(end ".text")
    set(prefix "_")
  else()
    set(begin ".pushsection .rodata")
    set(end ".popsection")
  endif()
  math(EXPR last "${ARGC} - 1")
  set(number 0)
  foreach(at RANGE 1 ${last} 2)
    math(EXPR next "${at} + 1")
    set(name ${ARGV${at}})
    set(file ${ARGV${next}})
    list(APPEND files ${file})
    string(APPEND text
      "__asm__(\"${begin}\\n\"\n"
      "        \".balign 8\\n\"\n"
      "        \"${prefix}credence_embedded_${number}_size: .quad 2f - 1f\\n\"\n"
      "        \"${prefix}credence_embedded_${number}:\\n\"\n"
      "        \"1: .incbin \\\"${file}\\\"\\n\"\n"
      "        \"2:\\n\"\n"
      "        \"${end}\\n\");\n"
      "extern \"C\" __attribute__((visibility(\"hidden\"))) const std::uint64_t credence_embedded_${number}_size;\n"
      "extern \"C\" __attribute__((visibility(\"hidden\"))) const char credence_embedded_${number}[];\n")
    string(APPEND table "    {\"${name}\", credence_embedded_${number}, &credence_embedded_${number}_size},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  string(APPEND text
    "\nnamespace credence::report {\nnamespace {\n\n"
    "struct Embedded {\n  std::string_view name;\n  const char* first;\n  const std::uint64_t* size;\n};\n"
    "const std::array<Embedded, ${number}> embedded_files{{\n${table}}};\n\n}  // namespace\n\n"
    "std::optional<std::string_view> embedded(std::string_view name) {\n"
    "  for (const Embedded& file : embedded_files)\n"
    "    if (file.name == name) return std::string_view(file.first, static_cast<std::size_t>(*file.size));\n"
    "  return std::nullopt;\n}\n\n}  // namespace credence::report\n")
  file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES OBJECT_DEPENDS "${files}"
                              SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# The page's files, by their names: page.css, page.js, chart_config.json, charts/NAME.json, and drawing.js where pages are built in.
function(credence_add_page target)
  set(parts page.css ${CREDENCE_PAGE_SOURCE}/page.css page.js ${CREDENCE_PAGE_SOURCE}/page.js
            chart_config.json ${CREDENCE_PAGE_SOURCE}/chart_config.json)
  file(GLOB specifications CONFIGURE_DEPENDS ${CREDENCE_PAGE_SOURCE}/../charts/*.json)
  foreach(file ${specifications})
    get_filename_component(name ${file} NAME)
    list(APPEND parts charts/${name} ${file})
  endforeach()
  set(reason "CREDENCE_BUILD_PAGES is OFF")
  if(CREDENCE_BUILD_PAGES)
    credence_fetch_drawing(reason)
  endif()
  if(reason AND CREDENCE_BUILD_PAGES AND NOT CREDENCE_BUILD_PAGES STREQUAL AUTO)
    message(FATAL_ERROR "Report pages cannot be built in: ${reason}")
  endif()
  if(reason)
    message(STATUS "Report pages are not built in: ${reason}")
  else()
    list(APPEND parts drawing.js ${CREDENCE_PAGE_FOLDER}/drawing.js)
  endif()
  credence_embed(${target} ${parts})
endfunction()
