# Writes a test program from the examples with which public headers begin, and from that of README.md: each must compile,
# run, and print what its comments say.  cmake -DROOT= -DHEADERS= -DOUTPUT= -P extract.cmake
# An example is a block between "/// ```cpp" and "/// ```"; a comment "// prints TEXT" states one line of its output.
set(statement "// prints ")
string(LENGTH "${statement}" statement_length)

# Sets `found` to the text of a variable from `start` to `closing`, and `rest` to all from `start` on.
function(cut variable start closing)
  string(SUBSTRING "${${variable}}" ${start} -1 rest)
  string(FIND "${rest}" "${closing}" end)
  string(SUBSTRING "${rest}" 0 ${end} found)
  set(rest "${rest}" PARENT_SCOPE)
  set(found "${found}" PARENT_SCOPE)
endfunction()

foreach(file ${HEADERS})
  file(READ ${file} text)
  file(RELATIVE_PATH header ${ROOT} ${file})
  string(REGEX REPLACE "^include/" "" header "${header}")
  set(margin "/// ")
  if(header STREQUAL "README.md")
    set(margin "")
  endif()
  set(opening "\n${margin}```cpp\n")
  string(LENGTH "${opening}" opening_length)
  string(FIND "${text}" "${opening}" place)
  if(place EQUAL -1)
    continue()
  endif()
  math(EXPR start "${place} + ${opening_length}")
  cut(text ${start} "${margin}```\n")
  string(REGEX REPLACE "(^|\n)/// ?" "\\1" example "${found}")

  string(SUBSTRING "${text}" 0 ${start} before)
  string(REGEX REPLACE "[^\n]" "" before "${before}")
  string(LENGTH "${before}-" line)

  set(printed "")
  set(rest "${example}")
  string(FIND "${rest}" "${statement}" place)
  while(place GREATER -1)
    math(EXPR start "${place} + ${statement_length}")
    cut(rest ${start} "\n")
    string(APPEND printed "${found}\n")
    string(FIND "${rest}" "${statement}" place)
  endwhile()
  if(printed STREQUAL "")
    message(FATAL_ERROR "the example of ${header} states nothing that it prints")
  endif()

  string(REGEX REPLACE "[/.]" "_" name "${header}")
  if(NOT header STREQUAL "README.md")
    string(APPEND includes "#include \"${header}\"\n")
  endif()
  string(APPEND tests "
TEST(header_example, ${name}) {
  testing::internal::CaptureStdout();
  [] {
#line ${line} \"${file}\"
${example}  }();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), R\"(${printed})\");
}
")
endforeach()
file(WRITE ${OUTPUT} "#include <gtest/gtest.h>\n#include <cmath>\n#include <iostream>\n${includes}${tests}")
