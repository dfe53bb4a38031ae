package memory_test

import (
	"fmt"
	"testing"

	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/memory"
)

func TestRecallRanksByWordsAndType(t *testing.T) {
	s := storetest.Open(t)
	make := func(name, description, body, kind string) memory.Entry {
		e := entry(name, description, body)
		e.Type = kind
		return e
	}
	saveAll(t, s,
		make("test_runner", "use go test -race", "always", "project"),
		make("deploy", "never on Friday", "run the tests before", "feedback"),
		make("editor", "prefers vim", "", "user"),
		make("links", "where the docs are", "https://example.dev/tests", "reference"),
		make("datenbank", "数据库连接", "", "simulator"),
		make("café", "öffnet um acht", "die Ｔür der Straße ist \ufb01nster", "Preference"),
		make("naïve", "composed", "ΟΔΥΣΣΕΥΣ", "fact"),
	)
	cases := []struct {
		name, query, want string
		limit             int
	}{
		{"title beats body, type decides", "test", "deploy,test_runner,links", 0},
		{"each word counts once", "test test runner race", "test_runner,deploy,links", 0},
		{"limit", "test", "deploy", 1},
		{"no word fits", "kubernetes", "", 0},
		{"words that say nothing do not count", "what is the kubernetes", "", 0},
		{"only such words", "on the", "deploy,links", 0},
		{"short words are whole words", "vi go", "test_runner", 0},
		{"case", "VIM", "editor", 0},
		{"part of an identifier", "runner", "test_runner", 0},
		{"composed", "caf\u00e9", "café", 0},
		{"decomposed", "cafe\u0301", "café", 0},
		{"decomposed in the query", "o\u0308ffnet", "café", 0},
		{"full width", "ｔüｒ", "café", 0},
		{"full-width letters in the text", "TÜR", "café", 0},
		{"ligature", "finster", "café", 0},
		{"a ligature in the query", "\ufb01nster", "café", 0},
		{"sharp s", "STRASSE", "café", 0},
		{"final sigma", "οδυσσευς", "naïve", 0},
		{"accents count", "cafe", "", 0},
		{"chinese", "数据库", "datenbank", 0},
		{"no query: all by type", " ", "deploy,naïve,test_runner,café,editor,links,datenbank", 0},
		{"only punctuation fits nothing", "?!", "", 0},
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		for _, c := range cases {
			got, err := memory.Recall(tx, memory.Project, c.query, c.limit)
			if err != nil {
				return err
			}
			if names(got) != c.want {
				t.Errorf("%s: got %s, want %s", c.name, names(got), c.want)
			}
		}
		return nil
	})
}

func TestRecallAmongTenThousand(t *testing.T) {
	s := storetest.Open(t)
	var all []memory.Entry
	for i := range 10_000 {
		all = append(all, entry(fmt.Sprintf("fact_%05d", i), "something that was learned", "and its body"))
	}
	all[7777].Body = "the needle"
	saveAll(t, s, all...)
	storetest.View(t, s, func(tx kv.Tx) error {
		got, err := memory.Recall(tx, memory.Project, "needle", 5)
		if names(got) != "fact_07777" {
			t.Errorf("got %s", names(got))
		}
		return err
	})
}

func BenchmarkRank(b *testing.B) {
	var all []memory.Entry
	for i := range 10_000 {
		all = append(all, entry(fmt.Sprintf("fact_%05d", i), "something that was learned about the project",
			"and its body, which says more"))
	}
	for b.Loop() {
		memory.Rank(all, "which project was learned", 5)
	}
}
