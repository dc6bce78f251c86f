/* A library that loads and is no model. */
__attribute__((visibility("default"))) int no_model(void);

int no_model(void) { return 0; }
