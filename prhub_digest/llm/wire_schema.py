"""The JSON schema that is sent with a request, derived from the class that validates its reply.

Only what every server understands goes out: bounds, titles and defaults stay with the class, which checks them again
whatever the server promised.
"""

from typing import Any

from prhub_digest.models.base import Record


def wire_schema(reply: type[Record]) -> dict[str, Any]:
    """The portable schema of `reply`: every object is closed and requires all its fields, in the class's order.

    Raises TypeError when the class holds what the portable form cannot say: mappings, unions other than with None,
    fixed-length tuples.
    """
    schema = reply.model_json_schema()
    portable = _portable(schema)
    if "$defs" in schema:
        portable["$defs"] = {name: _portable(schema["$defs"][name]) for name in sorted(schema["$defs"])}
    return portable


def _portable(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}  # strict servers accept no keys beside it
    if "anyOf" in schema:
        return _described(schema, {"anyOf": _optional(schema["anyOf"])})
    if "const" in schema:
        schema = {**schema, "enum": [schema["const"]]}
    match schema.get("type"):
        case "object":
            return _described(schema, _object(schema))
        case "array" if "items" in schema and "prefixItems" not in schema:
            return _described(schema, {"type": "array", "items": _portable(schema["items"])})
        case "string" | "integer" | "number" | "boolean" | "null" as kind:
            allowed = {"enum": schema["enum"]} if "enum" in schema else {}
            return _described(schema, {"type": kind, **allowed})
    raise TypeError(f"not portable as a wire schema: {schema}")


def _object(schema: dict[str, Any]) -> dict[str, Any]:
    if isinstance(schema.get("additionalProperties"), dict) or "properties" not in schema:
        raise TypeError(f"a mapping is not portable as a wire schema: {schema}")
    properties = {name: _portable(field) for name, field in schema["properties"].items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _optional(options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(options) != 2 or {"type": "null"} not in options:
        raise TypeError(f"a union is portable with None only: {options}")
    return [_portable(option) for option in options]


def _described(schema: dict[str, Any], portable: dict[str, Any]) -> dict[str, Any]:
    if "description" in schema:
        return {"description": schema["description"], **portable}
    return portable
