package project

import (
	"fmt"
	"strings"

	"isadiff/engine/producer"
)

const (
	producerKey  = "producer"
	producersKey = "producers"
)

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

// producers makes the table of producers, and chooses the project's own.
func (l *loader) producers(env func(string) (string, bool)) {
	var rows []*producer.Producer
	for _, c := range l.compilers {
		row, err := producer.Custom(c.name, c.files, c.decorators)
		if err != nil {
			l.fault(c.setting, producersKey, "%s.%s %v; it is ignored", producersKey, c.name, err)
			continue
		}
		rows = append(rows, row)
	}
	c := l.config
	c.Producers = c.Producers.With(rows...)
	c.Producer = c.Producers.Default()
	if c.producer == "" || c.producer == c.Producer.Name {
		return
	}
	chosen := c.Producers.Named(c.producer)
	if chosen == nil {
		var names []string
		for _, p := range c.Producers.Rows() {
			names = append(names, p.Name)
		}
		c.Faults = append(c.Faults, Fault{Origin: c.Origins[producerKey], Key: producerKey,
			Message: fmt.Sprintf("%s is %q, must be one of %s; it is ignored", producerKey, c.producer, strings.Join(names, ", "))})
		return
	}
	c.Producer = chosen
	l.dumps(env)
}

// dumps finds the dumps of a producer that is not the default, where nothing but
// the default or its variable named them.
func (l *loader) dumps(env func(string) (string, bool)) {
	c := l.config
	if layer := c.Origins["dumps"].Layer; layer != Default && layer != Environment {
		return
	}
	if path, ok := env(c.Producer.DumpsEnv); ok && path != "" && c.Producer.DumpsEnv != "" {
		if path, err := l.resolve(path); err == nil {
			c.Dumps, c.Origins["dumps"] = path, Origin{Layer: Environment, Name: c.Producer.DumpsEnv}
			return
		}
	}
	if path, err := l.resolve(c.Producer.Dumps); err == nil {
		c.Dumps = path
		delete(c.Origins, "dumps")
	}
}
