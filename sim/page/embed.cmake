# Makes one C++ string of the page and of all that it needs, so that a program writes pages without
# any file beside it. Run by the build as: cmake -DPAGE=sim/page -DLIBRARY=.../uplot -DOUT=FILE -P.
# A LIBRARY that is empty makes an empty string.
set(text "")
if(LIBRARY)
  file(READ ${PAGE}/page.html text)
  foreach(file ${LIBRARY}/dist/uPlot.min.css ${LIBRARY}/LICENSE ${LIBRARY}/dist/uPlot.iife.min.js
      ${PAGE}/page.css ${PAGE}/page.js)
    file(READ ${file} content)
    get_filename_component(name ${file} NAME)
    string(REPLACE "{{${name}}}" "${content}" text "${text}")
  endforeach()
endif()
file(WRITE ${OUT} "// The page without data, made by sim/page/embed.cmake.
#include \"sim/page/page_template.h\"

namespace muster::sim {
const std::string_view kPageTemplate = R\"page(${text})page\";
}  // namespace muster::sim
")
