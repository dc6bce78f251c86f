/* The table header has to compile as C11 and as C++, without a warning. */
#include <aoti_shim/table.h>

int header_table_rows(const AotiShimTable* table);
int header_table_rows(const AotiShimTable* table) {
  return table->aoti_torch_clone != 0 && aoti_shim_rows[0].slot < sizeof *table
             ? aoti_shim_row_count
             : 0;
}
