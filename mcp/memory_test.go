package mcp

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"github.com/mark3labs/mcp-go/client"
)

func TestMemoryIsSavedRecalledListedAndDeleted(t *testing.T) {
	inEachEra(t, func(t *testing.T, f *fixture, c *client.Client) {
		saved, text := do[memoryResult](t, c, "memory", args{
			"action": "save", "name": "Test command", "description": "how to test", "type": "project",
			"body": "make test\n\x1b[31mred", "request_id": "m1",
		})
		contains(t, text, `saved "Test command" in scope project`)
		if e := saved.Entries[0]; e.Source != "agent:tester" || e.Scope != "project" || e.Updated == "" {
			t.Errorf("saved %+v", e)
		}
		do[memoryResult](t, c, "memory", args{
			"action": "save", "name": "Test command", "description": "how to test", "type": "project",
			"body": "make test\n\x1b[31mred", "request_id": "m1",
		})
		got, text := do[memoryResult](t, c, "memory", args{"action": "get", "name": "test COMMAND"})
		if e := got.Entries[0]; e.Body != "make test\n␛[31mred" || e.Name != "Test command" {
			t.Errorf("got %+v", e)
		}
		contains(t, text, "- [project, scope project] Test command: how to test (agent:tester, ", "\n    make test\n")
		found, _ := do[memoryResult](t, c, "memory", args{"action": "recall", "query": "how do I test this?"})
		if len(found.Entries) != 1 || found.Entries[0].Score <= 0 || found.Entries[0].Body == "" {
			t.Errorf("recalled %+v", found.Entries)
		}
		none, text := do[memoryResult](t, c, "memory", args{"action": "recall", "query": "zebra"})
		if len(none.Entries) != 0 || text != "no memory found" {
			t.Errorf("recalled %+v, %q", none.Entries, text)
		}
		other := connect(t, f.Server, "someone else")
		do[memoryResult](t, other, "memory",
			args{"action": "save", "name": "Test command", "body": "make check", "request_id": "m2"})
		_, text = do[memoryResult](t, c, "memory", args{"action": "get", "name": "Test command"})
		contains(t, text, "(agent:tester, changed by agent:someone else, ", "\n    make check")
		_, text = do[memoryResult](t, c, "memory", args{"action": "delete", "name": "Test command"})
		contains(t, text, "action restore brings it back", "make check")
		contains(t, refused(t, c, "memory", args{"action": "get", "name": "Test command"}), "not_found:",
			"was deleted on", "restore")
		contains(t, refused(t, c, "memory", args{"action": "delete", "name": "Test command"}), "not_found:")
		for _, want := range []string{"make check", "make test"} {
			_, text = do[memoryResult](t, c, "memory", args{"action": "restore", "name": "Test command"})
			contains(t, text, "restored", want)
		}
		if _, err := f.local.SaveMemory(t.Context(), ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "mine",
			Body: "x", Source: "user"}}); err != nil {
			t.Fatal(err)
		}
		contains(t, refused(t, c, "memory", args{"action": "save", "name": "mine", "body": "y"}),
			"conflict:", "was written by user", "choose another name")
	})
}

func TestMemoryListAndRecallStayWithinTheirTokens(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	const n = 60
	for i := range n {
		do[memoryResult](t, c, "memory", args{
			"action": "save", "name": fmt.Sprintf("fact %02d",
				i), "description": "about the tests of \"part\" <" + strings.Repeat("x ", i) + ">",
			"body": strings.Repeat(fmt.Sprintf("line with \"quotes\" and numbers %d\n", i), 1+i),
		})
	}
	seen := map[string]bool{}
	cursor, pages := "", 0
	for {
		page, text := do[memoryResult](t, c, "memory", args{"action": "list", "name": cursor})
		if count(plainJSON(page.Entries)) > listBudget+20 || count(text) > listBudget+60 {
			t.Errorf("a page of the list has %d tokens as JSON, %d as text", count(plainJSON(page.Entries)),
				count(text))
		}
		for _, e := range page.Entries {
			if seen[e.Name] || e.Body != "" {
				t.Errorf("listed %+v", e)
			}
			seen[e.Name] = true
		}
		pages++
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if len(seen) != n || pages < 2 {
		t.Errorf("%d pages listed %d memories of %d", pages, len(seen), n)
	}
	for _, limit := range []int{0, 20} {
		r, text := do[memoryResult](t, c, "memory", args{"action": "recall", "query": "tests part", "limit": limit})
		used := count(plainJSON(r.Entries))
		if used > recallBudget+20 || len(r.Entries) == 0 || count(text) > recallBudget {
			t.Errorf("limit %d: %d recalled memories have %d tokens, as text %d", limit, len(r.Entries), used,
				count(text))
		}
	}
	// The largest bodies: the first is cut, and says so.
	r, _ := do[memoryResult](t, c, "memory", args{"action": "recall", "query": "59"})
	if body := r.Entries[0].Body; count(body) > recallBudget || !strings.HasPrefix(body, "line with") {
		t.Errorf("recalled %d tokens", count(body))
	}
}

func TestBodyThatDoesNotFitIsCutAtALineAndMarked(t *testing.T) {
	body := strings.Repeat("one \"line\" of text\n", 200)
	for room := 0; room < 300; room += 7 {
		got, size := fit(body, room)
		if got == "" && size != 0 || got != "" && size != count(plainJSON(got)) {
			t.Fatalf("room %d: %d tokens are said of %q", room, size, got)
		}
		if got != "" && count(plainJSON(got)) > room+1 {
			t.Fatalf("room %d: %d tokens", room, count(plainJSON(got)))
		}
		if got != "" && !strings.HasSuffix(got, cutMark) {
			t.Fatalf("room %d: not marked: %q", room, got)
		}
	}
	if got, _ := fit("short", 100); got != "short" {
		t.Error("a short body is changed")
	}
}
