package project

import (
	"fmt"
	"strings"

	"isadiff/engine/resource"
	"isadiff/engine/tolerance"
)

// Schema returns the JSON schema of the configuration, for editors that check
// isadiff.toml, [tool.isadiff] or their own settings. Keys that only an editor
// may set are in it if editor is set.
func Schema(editor bool) map[string]any {
	properties := map[string]any{}
	for i := range Keys {
		k := &Keys[i]
		if k.Scope == Editor && !editor {
			continue
		}
		at := properties
		names := strings.Split(k.Name, ".")
		for _, table := range names[:len(names)-1] {
			if at[table] == nil {
				at[table] = object(map[string]any{})
			}
			at = at[table].(map[string]any)["properties"].(map[string]any)
		}
		at[names[len(names)-1]] = k.schema()
	}
	schema := object(properties)
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "isadiff"
	return schema
}

func object(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

// schema returns the schema of one key.
func (k *Key) schema() map[string]any {
	text := map[string]any{"type": "string"}
	list := map[string]any{"type": "array", "items": text, "minItems": 1}
	s := map[string]any{}
	switch k.Type {
	case Bool:
		s["type"], s["default"] = "boolean", k.Default == "true"
	case Paths, CommandLine:
		s["anyOf"] = []any{text, list}
	case Budgets:
		s["type"], s["additionalProperties"] = "object", map[string]any{"anyOf": []any{text, list}}
	case Tolerances:
		metrics := map[string]any{}
		for _, m := range resource.Metrics {
			if m.Trigger {
				metrics[m.Key] = map[string]any{"type": "integer", "minimum": 0}
			}
		}
		waves := map[string]any{"type": "string", "enum": []any{tolerance.Waves}}
		s["type"], s["additionalProperties"] = "object", map[string]any{"anyOf": []any{waves, object(metrics)}}
	case Producers:
		row := object(map[string]any{"files": text, "decorators": map[string]any{"anyOf": []any{text, list}}})
		row["required"] = []string{"files"}
		s["type"], s["additionalProperties"] = "object", row
	case Pairs, PathMap:
		s["type"], s["additionalProperties"] = "object", text
	case Level:
		s["type"], s["enum"] = "string", []any{"error", "warning", "information", "hint", "off"}
	default:
		s["type"] = "string"
	}
	if k.Default != "" && k.Type != Bool {
		s["default"] = k.Default
	}
	s["description"] = k.Description
	return s
}

// Reference returns the table of all keys as Markdown, for the documentation.
func Reference() string {
	var b strings.Builder
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for i := range Keys {
		k := &Keys[i]
		def, more := "", ""
		if k.Default != "" {
			def = "`" + k.Default + "`"
		}
		if k.Env != "" {
			def = "`$" + k.Env + "`, else " + def
		}
		if k.Scope == Editor {
			more = " Only in an editor's settings."
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s%s |\n", k.Name, k.Type, def, strings.ReplaceAll(k.Description, "|", `\|`), more)
	}
	return b.String()
}
