package project

import (
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/producer"
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
	if m, ok := s.raw.(map[string]any); ok && len(m) == 0 && len(rest) == 1 {
		return compiler{name: rest[0], setting: s}, nil // what it lacks may come from another layer
	}
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
		texts, ok := textsOf(s.raw)
		if !ok {
			return c, fmt.Errorf("must be a dotted name or a list of them")
		}
		c.decorators = texts
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

// maxProducers bounds the producers of a project's own: each name of a file is held
// against all of them.
const maxProducers = 100

// producers makes the table of producers, and chooses the project's own.
func (l *loader) producers(env func(string) (string, bool)) {
	var rows []*producer.Producer
	if n := len(l.compilers); n > maxProducers {
		l.fault(l.compilers[maxProducers].setting, producersKey, "%s names %d compilers, which are more than %d; remove those that are not needed", producersKey, n, maxProducers)
		l.compilers = l.compilers[:maxProducers]
	}
	for _, c := range l.compilers {
		row, err := producer.Custom(c.name, c.files, c.decorators)
		if err != nil && c.files == "" && slices.ContainsFunc(l.config.Faults, func(f Fault) bool {
			return strings.HasPrefix(f.Message, producersKey+"."+c.name+".")
		}) {
			continue // what it lacks could not be read
		}
		if err != nil {
			l.fault(c.setting, producersKey, "%s.%s %v", producersKey, c.name, err)
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
			Message: fmt.Sprintf("%s is %q, must be one of %s", producerKey, c.producer, strings.Join(names, ", "))})
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
	text, origin := c.Producer.Dumps, Origin{}
	if path, ok := env(c.Producer.DumpsEnv); ok && path != "" && c.Producer.DumpsEnv != "" {
		text, origin = path, Origin{Layer: Environment, Name: c.Producer.DumpsEnv}
	}
	if text == "" {
		return // it has no place of its own
	}
	c.Faults = slices.DeleteFunc(c.Faults, func(f Fault) bool { // of the default producer's
		return f.Key == dumpsKey && (f.Layer == Default || f.Layer == Environment)
	})
	delete(c.Origins, dumpsKey)
	path, err := l.resolve(text)
	if err != nil {
		l.fault(setting{origin: origin}, dumpsKey, "%s %v", dumpsKey, err)
		return
	}
	if c.Dumps = path; origin.Layer != Default {
		c.Origins[dumpsKey] = origin
	}
}
