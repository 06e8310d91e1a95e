package mcp

import "github.com/google/jsonschema-go/jsonschema"

// schemaOf returns the schema of a type, of which nothing may be null: what is not known
// is left out, and lists are empty. Clients that know one type a value only read it, too.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // the type is ours
	}
	definite(s)
	return s
}

// definite makes every type of a schema one.
func definite(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, property := range s.Properties {
		definite(property)
	}
	if s.Items != nil {
		definite(s.Items)
	}
}
