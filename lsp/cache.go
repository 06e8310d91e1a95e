package lsp

import (
	"slices"
	"sync"
)

// A cache keeps the values that were put into it last, at most so many.
type cache[K comparable, V any] struct {
	most int

	mu    sync.Mutex
	kept  map[K]V
	order []K // the oldest first
}

func newCache[K comparable, V any](most int) *cache[K, V] {
	return &cache[K, V]{most: most, kept: map[K]V{}}
}

// get returns the value of a key, and whether it is kept.
func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.kept[key]
	return v, ok
}

// put keeps a value, in the place of the oldest one if there are too many.
func (c *cache[K, V]) put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kept[key]; !ok {
		c.order = append(c.order, key)
	}
	c.kept[key] = v
	if len(c.order) > c.most {
		delete(c.kept, c.order[0])
		c.order = slices.Delete(c.order, 0, 1)
	}
}
