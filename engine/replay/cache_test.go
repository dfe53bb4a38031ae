package replay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine/replay"
	"ctxledger.dev/tokens"
)

// start is when the requests of these tests begin.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	short = 5 * time.Minute
	long  = time.Hour
)

// blocks makes a request of blocks of a thousand tokens: "a b! c*" marks b for five minutes and c for an hour.
func blocks(request string) (out []replay.Block) {
	for name := range strings.FieldsSeq(request) {
		b := replay.Block{ID: strings.TrimRight(name, "!*"), Tokens: 1000}
		switch name[len(name)-1] {
		case '!':
			b.Life = short
		case '*':
			b.Life = long
		}
		out = append(out, b)
	}
	return out
}

func TestWhatIsCached(t *testing.T) {
	many := strings.Repeat("x ", 17) // with these, b is found from a mark, and a is one too far
	type ask struct {
		after   time.Duration // the one before
		request string
		want    tokens.Used // in thousands
	}
	used := func(read, write, long, input int64) tokens.Used {
		return tokens.Used{CacheRead: read, CacheWrite: write, CacheWriteLong: long, Input: input}
	}
	for name, asks := range map[string][]ask{
		"grows": {{0, "s! a!", used(0, 2, 0, 0)}, {short, "s! a b!", used(2, 1, 0, 0)}},
		"expires": {{0, "s! a!", used(0, 2, 0, 0)}, {short, "s! a b!", used(2, 1, 0, 0)},
			{short + 1, "s! a b c!", used(0, 4, 0, 0)}},
		"an hour":    {{0, "s* a*", used(0, 0, 2, 0)}, {long, "s* a b*", used(2, 0, 1, 0)}},
		"both lives": {{0, "s* a!", used(0, 1, 1, 0)}, {short + 1, "s* a b!", used(1, 2, 0, 0)}},
		"a change is behind what is kept": {{0, "s! a b!", used(0, 3, 0, 0)},
			{1, "s! x b!", used(1, 2, 0, 0)}},
		"only what was marked": {{0, "s a b!", used(0, 3, 0, 0)}, {1, "s a! x!", used(0, 3, 0, 0)}},
		"an earlier end": {{0, "s a!", used(0, 2, 0, 0)}, {1, "s a b!", used(2, 1, 0, 0)},
			{1, "s a x!", used(2, 1, 0, 0)}},
		"behind the last mark": {{0, "s! a", used(0, 1, 0, 1)}},
		"near enough":          {{0, "a b!", used(0, 2, 0, 0)}, {1, "a b " + many + "y z!", used(2, 19, 0, 0)}},
		"too far":              {{0, "a b!", used(0, 2, 0, 0)}, {1, "a b " + many + "x y z!", used(0, 22, 0, 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			c := replay.Cache{Rules: replay.Rules{Back: 20, Least: 1000}}
			at := start
			for _, a := range asks {
				at = at.Add(a.after)
				got := c.Use(at, blocks(a.request))
				got = used(got.CacheRead/1000, got.CacheWrite/1000, got.CacheWriteLong/1000, got.Input/1000)
				if got != a.want {
					t.Errorf("%s: %+v, want %+v", a.request, got, a.want)
				}
			}
		})
	}
}

func TestRulesOfProviders(t *testing.T) {
	c := replay.Cache{Rules: replay.OpenAI("gpt-5.5")}
	ask := func(n ...float64) tokens.Used {
		var all []replay.Block
		for i, size := range n {
			all = append(all, replay.Block{ID: fmt.Sprint(i), Tokens: size, Life: short})
		}
		return c.Use(start, all)
	}
	if got := ask(900); got != (tokens.Used{Input: 900}) {
		t.Errorf("%+v", got)
	}
	if got := ask(900, 1100); got != (tokens.Used{Input: 2000}) {
		t.Errorf("below the least: %+v", got)
	}
	if got := ask(900, 1100, 10); got != (tokens.Used{CacheRead: 1920, Input: 90}) {
		t.Errorf("in steps: %+v", got)
	}
	for model, least := range map[string]int64{"claude-sonnet-4-5-20250929": 1024, "claude-opus-4-6": 4096} {
		if got := replay.Anthropic(model).Least; got != least {
			t.Errorf("%s: %d", model, got)
		}
	}
}

// slow is the cache as a list of texts: what each of them begins with is looked for in it.
type slow struct {
	until map[string]time.Time
	life  map[string]time.Duration
}

func (s *slow) use(at time.Time, back int, all []replay.Block) (read float64) {
	hit := 0
	for mark := range all {
		for i := mark; all[mark].Life > 0 && i >= 0 && i > mark-back; i-- {
			if until, known := s.until[textOf(all[:i+1])]; known && !until.Before(at) && i+1 > hit {
				hit = i + 1
			}
		}
	}
	for i := 1; i <= hit; i++ {
		text := textOf(all[:i])
		if until, known := s.until[text]; known && !until.Before(at) {
			s.until[text] = at.Add(s.life[text])
		}
	}
	for i, b := range all {
		text := textOf(all[:i+1])
		if until := at.Add(b.Life); b.Life > 0 && until.After(s.until[text]) {
			s.until[text], s.life[text] = until, b.Life
		}
	}
	for _, b := range all[:hit] {
		read += b.Tokens
	}
	return read
}

func textOf(all []replay.Block) (text string) {
	for _, b := range all {
		text += b.ID + " "
	}
	return text
}

// TestTheCacheIsThatOfASlowOne on random requests: conversations that grow, are changed and are left alone for a while.
func TestTheCacheIsThatOfASlowOne(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		back := 1 + r.IntN(6)
		c := replay.Cache{Rules: replay.Rules{Back: back}}
		ref := slow{map[string]time.Time{}, map[string]time.Duration{}}
		at, talk := start, blocks("s! a!")
		for range 40 {
			at = at.Add(time.Duration(r.IntN(400)) * time.Second)
			for range r.IntN(4) {
				talk = append(talk, replay.Block{ID: fmt.Sprint(r.IntN(5)), Tokens: float64(r.IntN(3000))})
			}
			switch r.IntN(8) {
			case 0:
				talk = talk[:1+r.IntN(len(talk))]
			case 1:
				talk[r.IntN(len(talk))].ID = fmt.Sprint("new", r.IntN(5))
			}
			for i := range talk {
				if talk[i].Life = 0; r.IntN(6) == 0 || i == len(talk)-1 {
					talk[i].Life = []time.Duration{short, long}[r.IntN(2)]
				}
			}
			total := 0.0
			for _, b := range talk {
				total += b.Tokens
			}
			want := int64(ref.use(at, back, talk))
			if got := c.Use(at, talk); got.CacheRead != want || got.In() != int64(total) {
				t.Fatalf("seed %d: %+v, want %d read of %v", seed, got, want, total)
			}
		}
	}
}
