/* A parser plug-in that breaks the interface in the one way that AOTI_CTS_ROGUE names; without it,
 * every program has one tensor on the CPU. Its table is right but where the fault is in the table.
 */
#include <aoti_cts/parser.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is(const char* fault) {
  const char* name = getenv("AOTI_CTS_ROGUE");
  return name != NULL && strcmp(name, fault) == 0;
}

/* More than the tests allow, and then time to be seen. */
static void eat(void) {
  const size_t bytes = (size_t)200 << 20;
  static void* volatile kept; /* or the compiler leaves the memory out */
  kept = malloc(bytes);
  if (kept != NULL) memset(kept, 1, bytes);
  sleep(20);
}

static int32_t parse(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  if (is("crash")) abort();
  if (is("exit")) _exit(0);
  if (is("exit_with_handlers")) exit(3);
  if (is("eats_memory")) eat();
  if (is("child_eats_memory")) {
    const pid_t child = fork();
    if (child == 0) eat();
    waitpid(child, NULL, 0);
  }
  while (is("hang")) pause();
  if (is("print")) {
    puts("{\"not\": \"the report\"}");
    fflush(stdout);
  }
  if (is("slow")) usleep(5000);
  if (is("code_in_error")) {
    error->code = 0x23;
    return 1;
  }
  if (is("code_returned")) return 0x23;
  if (is("no_program")) return 0;
  if (is("reads_behind")) {
    const volatile char* byte = (const char*)input->data + (input->size + 15) / 16 * 16;
    error->code = *byte;
  }
  if (is("minds_1_behind")) {
    const char behind = ((const volatile char*)input->data)[input->size];
    return error->code = behind == '2' ? 0x23 : 0x10;
  }
  if (is("reads_1_behind")) error->code = ((const volatile char*)input->data)[input->size];
  if (is("writes_file")) *(volatile char*)(uintptr_t)input->data = 0;
  if (is("touches_device")) {
    *(volatile char*)input->allocate(input->context, 0, 1, 64, 1, 0) = 0;
  }
  if (is("message_without_end")) {
    memset(error->message, 'x', sizeof(error->message));
    return error->code = 0x23;
  }
  *program = (void*)&parse;
  return 0;
}

static size_t tensors(void* program) {
  (void)program;
  return is("many_tensors") ? SIZE_MAX : 1;
}

static int32_t tensor(void* program, size_t index, AotiCtsParserTensor* out) {
  static const int64_t dims[1] = {1};
  (void)program;
  (void)index;
  if (is("no_tensor")) return 5;
  out->rank = is("huge_rank") ? UINT32_MAX : 1;
  out->sizes = is("wild_sizes") ? (const int64_t*)8 : dims;
  out->strides = is("no_strides") ? NULL : dims;
  return 0;
}

static int32_t set_data(void* program, size_t index, void* data, size_t bytes) {
  (void)program;
  (void)index;
  (void)data;
  (void)bytes;
  return 0;
}

static void free_program(void* program) {
  (void)program;
  if (is("crash_in_free")) abort();
}

const AotiCtsParser* aoti_cts_parser(void) {
  static AotiCtsParser table = {sizeof(AotiCtsParser),
                                AOTI_CTS_PARSER_VERSION,
                                1u,
                                "rogue",
                                parse,
                                tensors,
                                tensor,
                                set_data,
                                free_program,
                                0};
  if (is("null_table")) return NULL;
  if (is("version_2")) table.version = 2;
  if (is("short_table")) table.struct_size = 8;
  if (is("longer_table")) table.struct_size += 64;
  /* As a plug-in that was built before the table had an alignment. */
  if (is("older_table")) table.struct_size = offsetof(AotiCtsParser, alignment);
  if (is("reads_1_behind")) table.alignment = 1;
  if (is("alignment_3")) table.alignment = 3;
  if (is("alignment_32")) table.alignment = 32;
  if (is("no_mode")) table.modes = 0;
  if (is("no_parse")) table.parse = NULL;
  if (is("no_free")) table.free = NULL;
  return &table;
}
