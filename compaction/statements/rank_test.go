package statements

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// told are messages of one agent, a turn each, the last of a turn closing.
func told(texts ...string) []Message {
	var out []Message
	for i, text := range texts {
		out = append(out, Message{Text: text, At: float64(i+1) / float64(len(texts))})
	}
	return out
}

// first returns the place in the order of the statement that contains a text, or -1.
func first(order []Statement, text string) int {
	return slices.IndexFunc(order, func(s Statement) bool { return strings.Contains(s.Text, text) })
}

// TestRankPrefers: to add a case, add a row: what is worth more than what.
func TestRankPrefers(t *testing.T) {
	for _, c := range []struct {
		name         string
		messages     []Message
		user         []string
		better, than string
	}{
		{"a cause to a remark", told("The importer is a part of the server.\n\nIt fails because the cache is empty."), nil,
			"because the cache", "part of the server"},
		{"a rejected option to a remark", told("There is a library for that job.\n\nIt doesn't work: the API would change."),
			nil, "doesn't work", "a library"},
		{"what names things to what names none", told("The thing is somewhat slow here.\n\nparse.go calls Cart.Reload here."),
			nil, "Cart.Reload", "somewhat slow"},
		{"what the user asked about", told("The file load.go has a cache there.\n\nThe file save.go has a cache there."),
			[]string{"look at save.go"}, "save.go", "load.go"},
		{"the newer of two alike", told("The file load.go has a cache there.", "The file save.go has a cache there."), nil,
			"save.go", "load.go"},
		{"a closing message to one in between", []Message{
			{Text: "The file load.go has a cache there.", At: 0.5, Closing: true},
			{Text: "The file save.go has a cache there.", At: 0.5}}, nil, "load.go", "save.go"},
		{"what says something new", told("parse.go fails because cache.go is empty.\n\n" +
			"parse.go fails since cache.go is empty.\n\nwrite.go fails because lock.go is held."), nil,
			"lock.go", "fails because cache.go"},
		{"German: a cause", told("Der Import ist ein Teil des Servers.\n\nEr scheitert, weil der Cache leer ist."), nil,
			"weil der Cache", "Teil des Servers"},
		{"Chinese: a cause", told("导入程序是服务器的一个部分而已。\n\n导入很慢，因为缓存每次都被清空。"), nil, "因为缓存", "一个部分"},
	} {
		t.Run(c.name, func(t *testing.T) {
			order := Rank(c.messages, c.user, 10_000)
			better, than := first(order, c.better), first(order, c.than)
			if better < 0 || than >= 0 && than < better {
				t.Errorf("%q comes at %d, %q at %d in %+v", c.better, better, c.than, than, order)
			}
		})
	}
}

func TestRankLeavesOut(t *testing.T) {
	order := Rank(told("Let me look at parse.go:\n\nOk.\n\n# Findings\n\nThe cache of parse.go is cleared too early.",
		"The cache of parse.go is cleared too early.\n\n"+strings.Repeat("word ", 300)), nil, 10_000)
	if len(order) != 1 || order[0].Message != 0 || order[0].Text != "The cache of parse.go is cleared too early." {
		t.Errorf("announcements, fragments, empty headings, repetitions and walls of text: %+v", order)
	}
}

func TestAStatementBringsTheOneThatItNeeds(t *testing.T) {
	order := Rank(told("The cache belongs to the reader.\nThis fails because two readers share it in pool.go.\n\n"+
		"Reasons against a copy:\n- it doesn't work with 2 GB files\n- it would break reader.go"), nil, 10_000)
	for _, pair := range [][2]string{{"belongs to the reader", "This fails"}, {"Reasons against", "- it doesn't work"}} {
		lead, needs := first(order, pair[0]), first(order, pair[1])
		if lead < 0 || needs < 0 || lead > needs {
			t.Errorf("%q comes at %d, %q at %d", pair[0], lead, pair[1], needs)
			continue
		}
		if s := order[needs]; s.Lead != order[lead].Place || s.Message != order[lead].Message {
			t.Errorf("%q does not name what it needs: %+v", pair[1], s)
		}
	}
}

// TestRankStopsAtItsLimit: it returns about as many bytes as asked for, the best of them first.
func TestRankStopsAtItsLimit(t *testing.T) {
	messages := chatter(200)
	all := Rank(messages, nil, 1<<30)
	for _, most := range []int{0, 100, 1_000, 5_000} {
		some := Rank(messages, nil, most)
		if size := bytesOf(some); size > most+3*maxPiece || size < most && len(some) < len(all) {
			t.Errorf("asked for %d bytes, got %d", most, size)
		}
		if !reflect.DeepEqual(some, all[:len(some)]) && most > 0 {
			t.Errorf("the order of %d bytes differs from that of all", most)
		}
	}
}

func bytesOf(order []Statement) int {
	n := 0
	for _, s := range order {
		n += len(s.Text) + 1
	}
	return n
}

// chatter are messages that say different things.
func chatter(n int) []Message {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	var texts []string
	for i := range n {
		texts = append(
			texts,
			fmt.Sprintf("Let me look at file%d.go:\n\nThe test of file%d.go fails because Name%d is empty. "+
				"This leaks.\n\n- step%d remains\n- and another", i, r.IntN(n), r.IntN(n), i),
		)
	}
	return told(texts...)
}

// TestRankTakesLinearWork counts how often the worth of a statement is computed, by the size of what is allocated:
// time is no measure on a machine that does other things.
func TestRankTakesLinearWork(t *testing.T) {
	work := func(n int) float64 {
		messages := chatter(n)
		return testing.AllocsPerRun(1, func() { Rank(messages, nil, 1<<30) }) / float64(n)
	}
	if small, large := work(400), work(3_200); large > 1.3*small {
		t.Errorf("%.1f allocations a message with 400 of them, %.1f with 3,200", small, large)
	}
}

// FuzzRank: the same order each time; statements are verbatim, none comes twice, and what one needs comes before it.
func FuzzRank(f *testing.F) {
	f.Add("The cause is x.go. This fails.\n---\nTwo:\n- a long item\n- b", "x.go", 500)
	f.Add("# A\n| h | i |\n|-|-|\n| one | two |\n---\nsame sentence here\n---\nsame sentence here", "", 10)
	f.Add("因为缓存。所以慢。\n---\n\xff\xfe code_x```\ny", "问题", 100_000)
	f.Fuzz(func(t *testing.T, said, user string, most int) {
		messages := told(strings.Split(said[:min(len(said), 20_000)], "\n---\n")...)
		order := Rank(messages, []string{user}, most)
		if !reflect.DeepEqual(order, Rank(messages, []string{user}, most)) {
			t.Fatal("two orders differ")
		}
		seen := map[[2]int]bool{}
		for _, s := range order {
			key := [2]int{s.Message, s.Place}
			if seen[key] {
				t.Fatalf("%q comes twice", s.Text)
			}
			seen[key] = true
			if s.Lead >= 0 && !seen[[2]int{s.Message, s.Lead}] {
				t.Fatalf("%q comes before what it needs", s.Text)
			}
			if !strings.Contains(joined(messages[s.Message].Text), joined(s.Text)) {
				t.Fatalf("%q was not said", s.Text)
			}
		}
	})
}
