// The report as JSON; its form is fixed by result.schema.json beside this file.
#pragma once

#include <string>

#include "report/report.h"

namespace aoti_cts {

/// Version of the JSON form: a reader of version n reads every later one of the same number.
inline constexpr int json_schema_version = 1;

std::string json_text(const Report& report);

}  // namespace aoti_cts
