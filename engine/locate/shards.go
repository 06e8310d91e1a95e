package locate

import (
	"hash/maphash"
	"maps"
)

// shardCount is a power of two for which a shard of a large project (5,000
// files) and the table of shards cost about the same to copy.
const shardCount = 128

// A shards is a map that is cheap to copy with one key changed: it is split by
// the keys' hash into small maps, of which a change copies one. The zero shards
// is empty.
type shards[V any] struct {
	table *[shardCount]map[string]V
}

// seed makes the hash of a key the same in all maps of this process.
var seed = maphash.MakeSeed()

func shardOf(key string) int { return int(maphash.String(seed, key) % shardCount) }

func (s *shards[V]) get(key string) (v V, ok bool) {
	if s.table == nil {
		return v, false
	}
	v, ok = s.table[shardOf(key)][key]
	return v, ok
}

// set puts a value into s. Copies of s that were made before keep the old one,
// unless s is owned: then it is changed in place.
func (s *shards[V]) set(key string, v V, owned bool) {
	i := shardOf(key)
	switch {
	case s.table == nil:
		s.table = new([shardCount]map[string]V)
	case !owned:
		table := *s.table
		s.table = &table
	}
	switch shard := s.table[i]; {
	case shard == nil:
		s.table[i] = map[string]V{}
	case !owned:
		s.table[i] = maps.Clone(shard)
	}
	s.table[i][key] = v
}

// unset takes a key out of s, with the same care as set.
func (s *shards[V]) unset(key string, owned bool) {
	if _, ok := s.get(key); !ok {
		return
	}
	var zero V
	s.set(key, zero, owned)
	delete(s.table[shardOf(key)], key)
}
