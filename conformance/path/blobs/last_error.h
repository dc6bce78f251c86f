/* A model whose container cannot be made, and which says why: LAST_ERROR is the body of
 * AOTInductorGetLastError(const char** text), in the form that torch 2.15.0 has it. */
#define CREATE_CODE 1
#include "entry_points.h"

ENTRY int32_t AOTInductorGetLastError(const char** text);

int32_t AOTInductorGetLastError(const char** text) { LAST_ERROR }
