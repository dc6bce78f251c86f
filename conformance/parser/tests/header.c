/* The plug-in header as C11 reads it: a plug-in that has no program, written as a C candidate would
 * write one. */
#include <aoti_cts/parser.h>

static int32_t parse(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  (void)input;
  (void)program;
  error->code = 0x23;
  error->message[0] = '\0';
  return error->code;
}

static size_t tensors(void* program) {
  (void)program;
  return 0;
}

static int32_t tensor(void* program, size_t index, AotiCtsParserTensor* out) {
  (void)program;
  (void)index;
  (void)out;
  return 1;
}

static int32_t set_data(void* program, size_t index, void* data, size_t bytes) {
  (void)program;
  (void)index;
  (void)data;
  (void)bytes;
  return 1;
}

static void free_program(void* program) { (void)program; }

const AotiCtsParser* aoti_cts_parser(void) {
  static const AotiCtsParser table = {sizeof(AotiCtsParser),
                                      AOTI_CTS_PARSER_VERSION,
                                      1u,
                                      "empty",
                                      parse,
                                      tensors,
                                      tensor,
                                      set_data,
                                      free_program,
                                      1};
  return &table;
}
