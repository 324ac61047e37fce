# A build step: joins page.html, style.css and the scripts into one page.
# usage: cmake -DOUTPUT=trace.html -DSCRIPTS="a.js b.js" -P join.cmake

set(here ${CMAKE_CURRENT_LIST_DIR})
if(DEFINED HERE) # the parts of another page
  set(here ${HERE})
endif()
separate_arguments(scripts UNIX_COMMAND "${SCRIPTS}")
set(script "")
foreach(name ${scripts})
  file(READ ${here}/${name} text)
  string(APPEND script "${text}\n")
endforeach()
file(READ ${here}/style.css style)
file(READ ${here}/page.html page)
# A sixth of the size is indentation and comments that stand alone on their lines.
foreach(text script style)
  set(${text} "\n${${text}}")
  string(REGEX REPLACE "\n +" "\n" ${text} "${${text}}")
  string(REGEX REPLACE "\n/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "\n" ${text} "${${text}}")
  string(REGEX REPLACE "\n//[^\n]*" "" ${text} "${${text}}")
  string(REGEX REPLACE "\n\n+" "\n" ${text} "${${text}}")
endforeach()
string(REPLACE "/*STYLE*/" "${style}" page "${page}")
string(REPLACE "/*SCRIPT*/" "${script}" page "${page}")
# The C text it is embedded in, and any server's idea of an encoding, are safe with ASCII.
if(page MATCHES "[^\t\n -~]")
  message(FATAL_ERROR "trace.html: not ASCII near \"${CMAKE_MATCH_0}\"")
endif()
file(WRITE ${OUTPUT} "${page}")
