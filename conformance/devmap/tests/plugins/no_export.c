/* Exports nothing of the interface. */
int aoti_nothing(void);
int aoti_nothing(void) { return 0; }
