# archive_objects(ARCHIVE PREFIX RESULT): unpacks the members of an archive when CMake
# is configured, and puts their paths into RESULT. They are renamed to PREFIX_<name>.o,
# because CMake knows objects by that ending only and names mustn't collide with ours.

function(archive_objects archive prefix result)
  set(directory ${PROJECT_BINARY_DIR}/${prefix}-objects)
  file(REMOVE_RECURSE ${directory}/new)
  file(MAKE_DIRECTORY ${directory}/new)
  execute_process(COMMAND ${CMAKE_AR} x ${archive} WORKING_DIRECTORY ${directory}/new
                  COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB members ${directory}/new/*)
  set(objects "")
  foreach(member ${members})
    get_filename_component(name ${member} NAME_WE)
    set(object ${directory}/${prefix}_${name}.o)
    # Copied only if it changed, or every configuration would link everything again.
    execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${member} ${object}
                    COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND objects ${object})
  endforeach()
  file(REMOVE_RECURSE ${directory}/new)
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
