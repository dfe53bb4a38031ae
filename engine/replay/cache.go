package replay

import (
	"math"
	"strings"
	"time"

	"ctxledger.dev/tokens"
)

// Rules are how a provider caches the beginnings of requests.
type Rules struct {
	// Least is how many tokens a beginning has to have.
	Least int64
	// Back is how many blocks, from a mark backwards, are looked at for a beginning that is in the cache; 0: all.
	Back int
	// Step rounds down what is read: to a multiple of it, and Offset more; 0: nothing is rounded.
	Step, Offset int64
	// Free says that writing costs what other input costs.
	Free bool
}

// Anthropic returns the rules of a model of Anthropic: what is cached ends at a mark (cache_control), and is found from a
// mark at most 20 blocks later.
func Anthropic(model string) Rules {
	r := Rules{Least: 1024, Back: 20}
	for name, least := range map[string]int64{"opus-4-5": 4096, "opus-4-6": 4096, "opus-4-7": 2048, "haiku-4-5": 4096,
		"sonnet-4-6": 2048, "haiku-3": 2048} {
		if strings.Contains(model, name) {
			r.Least = least
		}
	}
	return r
}

// OpenAI returns the rules of a model of OpenAI: every beginning of 1,024 tokens and more is cached without a mark, with the
// answer, and read in steps. The documentation says that they are of 128 tokens; all recorded reads of gpt-5.5 are
// 512 n - 128.
func OpenAI(model string) Rules {
	if strings.HasPrefix(model, "gpt-5.5") {
		return Rules{Least: 1024, Step: 512, Offset: 384, Free: true}
	}
	return Rules{Least: 1024, Step: 128, Free: true}
}

// Block is a part of a request, as the cache sees it.
type Block struct {
	ID     string  // the same content has the same one
	Tokens float64 // estimates are fractions
	// Life marks the end of the block: the beginning of the request up to here is cached for so long. 0: it is not marked.
	Life time.Duration
}

// Cache is a provider's prompt cache, as far as one user's requests for one model fill it. The zero value is empty and
// caches everything that is marked; not safe for concurrent use.
type Cache struct {
	Rules
	root node
}

// node is a beginning of requests: that of its parent and one block more.
type node struct {
	next  map[string]*node
	until time.Time     // cached until then; zero: it never was
	life  time.Duration // for which a use prolongs it
}

// Use answers a request at a time, later than those before: how much of its input is read from the cache, written to it,
// or neither. What it marks is cached from now on, and what is read, with all that it begins with, stays as long anew.
func (c *Cache) Use(at time.Time, blocks []Block) tokens.Used {
	path, sizes := c.path(blocks)
	hit := c.hit(at, blocks, path, sizes)
	for _, n := range path[:hit] {
		if !n.until.Before(at) {
			n.until = at.Add(n.life)
		}
	}
	read := sizes[hit]
	if c.Step > 0 {
		read = max(0, math.Floor((read-float64(c.Offset))/float64(c.Step))*float64(c.Step)+float64(c.Offset))
	}
	end, long := read, read // of what is written, and of what is written for longer
	for i, b := range blocks {
		if b.Life == 0 || sizes[i+1] < float64(c.Least) {
			continue
		}
		if until := at.Add(b.Life); until.After(path[i].until) {
			path[i].life, path[i].until = b.Life, until
		}
		if end = max(end, sizes[i+1]); b.Life >= cacheLifeLong {
			long = end
		}
	}
	all, got := whole(sizes[len(blocks)]), whole(read)
	if c.Free {
		return tokens.Used{CacheRead: got, Input: all - got}
	}
	return tokens.Used{CacheRead: got, CacheWriteLong: whole(long) - got, CacheWrite: whole(end) - whole(long),
		Input: all - whole(end)}
}

// path returns the beginnings of a request, one for each block, and how large they are, from none on.
func (c *Cache) path(blocks []Block) (path []*node, sizes []float64) {
	at, size := &c.root, 0.0
	path, sizes = make([]*node, len(blocks)), make([]float64, len(blocks)+1)
	for i, b := range blocks {
		next := at.next[b.ID]
		if next == nil {
			if at.next == nil {
				at.next = map[string]*node{}
			}
			next = &node{}
			at.next[b.ID] = next
		}
		at, size = next, size+b.Tokens
		path[i], sizes[i+1] = at, size
	}
	return path, sizes
}

// hit returns how many blocks the longest beginning has that is cached and near enough before a mark.
func (c *Cache) hit(at time.Time, blocks []Block, path []*node, sizes []float64) int {
	near := 0 // blocks from here backwards that are looked at
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].Life > 0 {
			if near = c.Back; near == 0 {
				near = i + 1
			}
		}
		if near <= 0 {
			continue
		}
		near--
		if !path[i].until.Before(at) && sizes[i+1] >= float64(c.Least) {
			return i + 1
		}
	}
	return 0
}

func whole(n float64) int64 { return int64(math.Round(n)) }
