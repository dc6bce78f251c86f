// A delegate with one deliberate fault: the reference in portable mode, but for the step that a
// mutant's file overrides.
#pragma once

#include "delegate/plugin/plugin.h"
#include "delegate/portable.h"
#include "delegate/runtime.h"

using namespace aoti_cts::delegate;

/// Ends a mutant's file: its Steps.
#define AOTI_DELEGATE_MUTANT(S) AOTI_DELEGATE(PortableTensors, S, "mutant")
