/* A model that needs a function that nobody has: the dynamic linker refuses it. */
extern int aoti_cts_nobody_has_this(void);

#define CREATE_CODE aoti_cts_nobody_has_this()
#include "entry_points.h"
