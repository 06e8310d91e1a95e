package project

import (
	"fmt"

	"isadiff/engine/producer"
)

const producersKey = "producers"

// A compiler is what the configuration says of one producer of the project's own.
type compiler struct {
	name       string
	files      string
	decorators []string
	setting    setting // the last one, for what is wrong with it
}

// compilerOf reads one field of a producer.
func compilerOf(rest []string, s setting) (c compiler, err error) {
	if len(rest) != 2 {
		return c, fmt.Errorf("must be a table of producers, such as mine = { files = \"*.s\", decorators = [\"package.kernel\"] }")
	}
	c.name, c.setting = rest[0], s
	switch rest[1] {
	case "files":
		text, ok := s.raw.(string)
		if !ok {
			return c, mismatch(Text, s.raw)
		}
		c.files = text
	case "decorators":
		list, ok := s.raw.([]any)
		if !ok {
			list = []any{s.raw}
		}
		for _, item := range list {
			text, ok := item.(string)
			if !ok {
				return c, fmt.Errorf("must be a dotted name or a list of them")
			}
			c.decorators = append(c.decorators, text)
		}
	default:
		return c, fmt.Errorf("is none of files and decorators")
	}
	return c, nil
}

// compiler takes in a field of a producer; a later layer outranks an earlier one.
func (l *loader) compiler(c compiler) {
	for i := range l.compilers {
		known := &l.compilers[i]
		if known.name != c.name {
			continue
		}
		if c.files != "" {
			known.files = c.files
		}
		if c.decorators != nil {
			known.decorators = c.decorators
		}
		known.setting = c.setting
		return
	}
	l.compilers = append(l.compilers, c)
}

// producers makes the table of producers.
func (l *loader) producers() {
	var rows []*producer.Producer
	for _, c := range l.compilers {
		row, err := producer.Custom(c.name, c.files, c.decorators)
		if err != nil {
			l.fault(c.setting, producersKey, "%s.%s %v; it is ignored", producersKey, c.name, err)
			continue
		}
		rows = append(rows, row)
	}
	l.config.Producers = l.config.Producers.With(rows...)
}
