// What a schema means: following references, naming types, making examples.

const kDepthMax = 8; // a type may contain itself

let components = {};

export function use(document_) {
  components = document_.components?.schemas ?? {};
}

/** The schema behind a reference, with what stands beside the reference on top of it. */
export function resolve(schema) {
  if (!schema || typeof schema !== "object") return {};
  const name = name_of(schema);
  if (name === null) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...components[name], ...beside };
}

export function name_of(schema) {
  const prefix = "#/components/schemas/";
  const ref = schema?.$ref;
  if (typeof ref !== "string" || !ref.startsWith(prefix)) return null;
  const name = ref.slice(prefix.length);
  return Object.hasOwn(components, name) ? name : null;
}

export function is_file(schema) {
  return schema.type === "string" && typeof schema.contentMediaType === "string";
}

/** "string", "Limits", "Mount[]", "map of string", "string | string[]" */
export function label(schema) {
  const name = name_of(schema);
  if (name !== null) return name;
  if (Array.isArray(schema.oneOf)) return schema.oneOf.map(label).join(" | ");
  if (is_file(schema)) return schema.contentMediaType;
  if (schema.type === "array") return label(schema.items ?? {}) + "[]";
  if (schema.type === "object" && schema.additionalProperties instanceof Object)
    return "map of " + label(schema.additionalProperties);
  if (schema["x-atoll-duration"]) return "duration";
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  return schema.type ?? "any";
}

/** The schema whose fields are worth showing below this one, or null. */
export function inner(schema) {
  const own = resolve(schema);
  if (own.properties) return own;
  if (own.type === "array" && own.items) return inner(own.items);
  if (own.additionalProperties instanceof Object) return inner(own.additionalProperties);
  if (Array.isArray(own.oneOf)) return own.oneOf.map(inner).find(Boolean) ?? null;
  return null;
}

export function example(schema, depth = 0) {
  const own = resolve(schema);
  if (Array.isArray(own.examples) && own.examples.length > 0) return own.examples[0];
  if ("default" in own) return own.default;
  if (Array.isArray(own.enum)) return own.enum[0];
  if (depth > kDepthMax) return null;
  if (Array.isArray(own.oneOf)) return example(own.oneOf[0], depth + 1);
  const type = Array.isArray(own.type) ? own.type[0] : own.type;
  switch (type) {
    case "object": return example_object(own, depth);
    case "array": return (own.minItems ?? 0) > 0 ? [example(own.items, depth + 1)] : [];
    case "integer":
    case "number": return Math.max(own.minimum ?? 0, 0);
    case "boolean": return false;
    case "string": return "";
    default: return null;
  }
}

// What must be there, and what somebody took the trouble to give an example of.
function example_object(own, depth) {
  const required = new Set(own.required ?? []);
  const entries = Object.entries(own.properties ?? {}).filter(([name, property]) => {
    return required.has(name) || resolve(property).examples || has_example(property, depth + 1);
  });
  return Object.fromEntries(entries.map(([name, p]) => [name, example(p, depth + 1)]));
}

function has_example(schema, depth) {
  const own = resolve(schema);
  if (depth > kDepthMax || !own.properties) return false;
  return Object.values(own.properties).some(
    (property) => resolve(property).examples || has_example(property, depth + 1));
}
