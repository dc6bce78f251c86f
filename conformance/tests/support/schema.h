// Checks a document against a JSON schema, as far as this project's schemas go.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace aoti_cts::tests {

/// Empty where the document fits; else what does not, with its place. Knows type, const, enum,
/// minimum, properties, required, additionalProperties, items, minItems, maxItems, oneOf, $ref into
/// $defs and the annotations; a schema that says anything else is an error too, so that nothing
/// goes unchecked.
std::string violation(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace aoti_cts::tests
