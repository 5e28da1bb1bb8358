# weft_generate: kernels of .weft files as C sources of a target. Comes with find_package(Weft), of
# which it wants the program `weft` alone: find_package(Weft COMPONENTS command) looks for no library.
# It depends on nothing else of the package, so that a project may also carry this file and include() it.
#
#     weft_generate(TARGET FILE.weft... [BUNDLE NAME] [ENTRIES dense...] [ISA LEVEL...] [OPENMP]
#                   [CUDA [ARCH sm_90...]])
#
# For each kernel TARGET, of the same directory, gets a source and can include "KERNEL.h"; and once for
# all of them weft_support.c, which they share. They are made
# again when the .weft file or `weft` changes; a mistake in the file stops the build with Weft's message.
#
#   BUNDLE    one source for all kernels of a single file, and "NAME.h"; with it alone nothing is run
#             while CMake configures
#   ENTRIES   the functions of a kernel, of dense strided batch shape; default: all
#   ISA       loops for these instruction sets too, as in x86-64-v3 x86-64-v4; the best that the
#             processor has runs
#   OPENMP    large work takes several threads
#   CUDA      kernels for NVIDIA's GPUs, "KERNEL_cuda.h", with machine code for each ARCH; where the host's
#             are wanted beside them, that is another call for the same target
#
# WEFT_EXECUTABLE names the program to use. Without it, it is the one of the package, and in a cross
# build, where that may be for another machine, one from PATH.
cmake_policy(PUSH)
cmake_policy(VERSION 3.13)
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)
endif()

function(_weft_find_program result)
  if(NOT WEFT_EXECUTABLE AND TARGET Weft::command AND NOT CMAKE_CROSSCOMPILING)
    get_target_property(program Weft::command IMPORTED_LOCATION)
  else()
    find_program(WEFT_EXECUTABLE weft NO_CMAKE_FIND_ROOT_PATH
      DOC "The program weft, of the machine that builds")
    set(program "${WEFT_EXECUTABLE}")
  endif()
  if(NOT program)
    message(FATAL_ERROR
      "weft_generate: the program weft is missing; set WEFT_EXECUTABLE to its path")
  endif()
  set(${result} "${program}" PARENT_SCOPE)
endfunction()

function(_weft_check_target target)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    message(FATAL_ERROR
      "weft_generate makes C sources, and C is not enabled; say project(... LANGUAGES C CXX)")
  elseif(NOT TARGET ${target})
    message(FATAL_ERROR "weft_generate: there is no target '${target}' yet")
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR
      "weft_generate: '${target}' was made in ${directory}; call weft_generate there")
  endif()
endfunction()

# The paths that ARGN (weft build ...) will write, from its --list, now and whenever the file changes.
function(_weft_list result file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  execute_process(COMMAND ${ARGN} --list --quiet OUTPUT_VARIABLE listed RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "weft_generate: nothing can be made of ${file} (${status})")
  endif()
  string(REGEX REPLACE "\n$" "" listed "${listed}")
  string(REPLACE "\n" ";" listed "${listed}")
  set(${result} "${listed}" PARENT_SCOPE)
endfunction()

# Compiles the sources as parts of the target. They define static functions of the same names.
function(_weft_add target openmp cuda)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(libraries m)
  if(cuda)
    find_package(Threads REQUIRED)
    list(APPEND libraries Threads::Threads ${CMAKE_DL_LIBS})
  endif()
  if(openmp)
    find_package(OpenMP COMPONENTS C)
    if(OpenMP_C_FOUND)
      separate_arguments(flags UNIX_COMMAND "${OpenMP_C_FLAGS}")
      set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags}")
      list(APPEND libraries ${OpenMP_C_LIBRARIES})
    else()
      message(WARNING
        "weft_generate: the C compiler has no OpenMP; kernels of ${target} run on one thread")
    endif()
  endif()
  target_sources(${target} PRIVATE ${ARGN})
  # What target_link_libraries(PRIVATE) does, in a project that calls it with keywords or without.
  foreach(library IN LISTS libraries)
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES "${library}")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES "$<LINK_ONLY:${library}>")
  endforeach()
endfunction()

# What cmake_parse_arguments found, as options of `weft build`.
function(_weft_options result)
  set(options)
  if(arg_OPENMP)
    list(APPEND options --openmp)
  endif()
  if(arg_CUDA)
    list(APPEND options --target cuda)
  endif()
  if(NOT arg_CUDA)
    list(APPEND options --support none)
  endif()
  if(arg_ENTRIES)
    string(REPLACE ";" "," entries "${arg_ENTRIES}")
    list(APPEND options --entries ${entries})
  endif()
  if(arg_ISA)
    string(REPLACE ";" "," levels "${arg_ISA}")
    list(APPEND options --isa ${levels})
  endif()
  foreach(arch IN LISTS arg_ARCH)
    list(APPEND options --arch ${arch})
  endforeach()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

# Remembers what a target has, and stops where two files would make the same.
function(_weft_remember target file)
  get_target_property(all ${target} WEFT_GENERATED)
  foreach(path IN LISTS ARGN)
    if(path IN_LIST all)
      message(FATAL_ERROR
        "weft_generate(${target}): ${file} makes ${path}, and so does another file or call")
    endif()
  endforeach()
  set_property(TARGET ${target} APPEND PROPERTY WEFT_GENERATED ${ARGN})
endfunction()

# The rule that makes `made` of the file by ARGN (weft build ...).
function(_weft_rule file made)
  list(GET made 0 first)
  set(depfile)
  if(NOT CMAKE_VERSION VERSION_LESS 3.20)
    set(depfile DEPFILE "${first}.d")
    list(APPEND ARGN --depfile "${first}.d")
  endif()
  get_filename_component(base "${file}" NAME)
  list(GET ARGN 0 program)
  add_custom_command(OUTPUT ${made} COMMAND ${ARGN} DEPENDS "${file}" "${program}" ${depfile}
    COMMENT "Generating kernels of ${base}" VERBATIM)
endfunction()

# What kernels in C share, once for each target.
function(_weft_support target program directory openmp)
  set(made "${directory}/weft_support.h" "${directory}/weft_support.c")
  get_target_property(all ${target} WEFT_GENERATED)
  if(NOT "${directory}/weft_support.c" IN_LIST all)
    set_property(TARGET ${target} APPEND PROPERTY WEFT_GENERATED ${made})
    add_custom_command(OUTPUT ${made} COMMAND "${program}" build --support only -o "${directory}"
      DEPENDS "${program}" COMMENT "Generating what kernels share" VERBATIM)
    target_sources(${target} PRIVATE "${directory}/weft_support.h")
    _weft_add(${target} "${openmp}" "" "${directory}/weft_support.c")
  elseif(openmp)
    find_package(OpenMP COMPONENTS C)
    if(OpenMP_C_FOUND)
      separate_arguments(flags UNIX_COMMAND "${OpenMP_C_FLAGS}")
      set_source_files_properties("${directory}/weft_support.c" PROPERTIES COMPILE_OPTIONS "${flags}")
    endif()
  endif()
endfunction()

function(weft_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPENMP;CUDA" "BUNDLE" "ISA;ARCH;ENTRIES")
  _weft_check_target(${target})
  _weft_find_program(program)
  _weft_options(options)
  list(LENGTH arg_UNPARSED_ARGUMENTS count)
  if(count EQUAL 0 OR (arg_BUNDLE AND count GREATER 1))
    message(FATAL_ERROR
      "weft_generate(${target}): there are ${count} .weft files; it takes one or more, one with BUNDLE")
  endif()
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${target}_weft")
  file(MAKE_DIRECTORY "${directory}")
  target_include_directories(${target} PRIVATE "${directory}")

  if(NOT arg_CUDA)
    _weft_support(${target} "${program}" "${directory}" "${arg_OPENMP}")
  endif()

  foreach(name IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(file "${name}" ABSOLUTE)
    set(command "${program}" build "${file}" -o "${directory}" ${options})
    if(arg_BUNDLE)
      list(APPEND command --bundle ${arg_BUNDLE})
      set(made "${directory}/${arg_BUNDLE}.h" "${directory}/${arg_BUNDLE}.c")
    else()
      _weft_list(made "${file}" ${command})
    endif()
    _weft_remember(${target} "${file}" ${made})
    _weft_rule("${file}" "${made}" ${command})
    list(FILTER made INCLUDE REGEX "\\.c$")
    _weft_add(${target} "${arg_OPENMP}" "${arg_CUDA}" ${made})
  endforeach()
endfunction()
cmake_policy(POP)
