// Misbehaves in nothing: what every other candidate is measured against.
#include "candidate.h"
