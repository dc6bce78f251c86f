/* A library to load: counts its calls, so that two copies of it show that they are two. */
int blob_count(void);

int blob_count(void) {
  static int count = 0;
  return ++count;
}
