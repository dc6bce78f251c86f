// The mutants' baseline: a mutant without a fault, in both modes. What fails here is no mutant's
// doing.
#include "program/mutants/mutant.h"

AOTI_PARSER_MUTANT(Fault, PortableLoaded)
