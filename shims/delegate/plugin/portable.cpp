// The reference delegate in portable mode, as a plug-in.
#include "delegate/portable.h"

#include "delegate/plugin/plugin.h"

AOTI_DELEGATE(aoti_cts::delegate::PortableTensors, aoti_cts::delegate::Steps,
              "aoti-cts reference delegate, portable")
