#!/usr/bin/python3
"""Checks events, one JSON object a line on standard input, against the schemas in the folder given as argument.

Stricter than a receiver has to be: keys that the schema does not list are errors too, since new keys have to be
written into the schema. Prints the number of events per kind, or the first error and exits with 1.
"""
import json
import pathlib
import sys

import jsonschema

schemas = {}
for path in pathlib.Path(sys.argv[1]).glob("*.schema.json"):
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    schemas[schema["properties"]["kind"]["const"]] = schema


def closed(node):
    """The schema with every object closed to keys that it does not list."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    result = {key: closed(value) for key, value in node.items()}
    if "properties" in node and isinstance(node.get("required"), list):
        result["additionalProperties"] = False
    return result


def no_twice(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key appears twice: {keys}"
    return dict(pairs)


counts = {}
for number, line in enumerate(sys.stdin.buffer, 1):
    try:
        event = json.loads(line.decode("utf-8"), object_pairs_hook=no_twice,
                           parse_constant=lambda name: sys.exit(f"line {number}: {name} is not JSON"))
        jsonschema.Draft7Validator(closed(schemas[event["kind"]])).validate(event)
    except (ValueError, AssertionError, KeyError, jsonschema.ValidationError) as error:
        sys.exit(f"line {number}: {error}")
    counts[event["kind"]] = counts.get(event["kind"], 0) + 1
print(json.dumps(counts, sort_keys=True))
