// The library that candidate lacks_dependency needs and nobody finds.
extern "C" __attribute__((visibility("default"))) int absent_function() { return 0; }
