package engine_test

import (
	"errors"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// find returns what a search finds, a line each: kind and text.
func find(t *testing.T, l *engine.Local, query string) string {
	t.Helper()
	resp, err := l.Search(t.Context(), ledger.SearchRequest{Query: query})
	if err != nil || resp.Unread {
		t.Fatalf("%q: %+v, %v", query, resp, err)
	}
	var lines []string
	for _, f := range resp.Found {
		lines = append(lines, f.Kind+" "+f.Text)
	}
	return strings.Join(lines, "\n")
}

// TestWhatWasSaidIsFoundUntilItIsForgotten: messages, artifacts and memories are found by stems and parts of identifiers, with
// handles that read them; no secret is shown or found, and nothing that was forgotten.
func TestWhatWasSaidIsFoundUntilItIsForgotten(t *testing.T) {
	dir := t.TempDir()
	l, _ := openIn(t, dir, "")
	const secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
	hand(t, l, ledger.AppendMessagesRequest{Messages: say("please fix parseWombatConfig, it crashes",
		"the wombat parser is fixed\nwith the token "+secret+" of wallabies")})
	a := put(t, l, "first line\nconnection refused by the wallaby\n", "a log")
	_, err := l.SaveMemory(t.Context(), ledger.SaveMemoryRequest{Mutation: ledger.Mutation{Key: "m"},
		Entry: memory.Entry{Name: "port", Body: "wombats listen on 5432", Source: "user"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ query, want string }{
		{"refusing connections", "artifact connection refused by the wallaby"},
		{"crash", "message please fix parseWombatConfig, it crashes"},
		{"listening", "memory wombats listen on 5432"},
		{"quokka", ""},
		{"A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", ""},
	} {
		if got := find(t, l, c.query); got != c.want {
			t.Errorf("%q: got %q, want %q", c.query, got, c.want)
		}
	}
	if got := find(t, l, "wombat"); strings.Count(got, "\n") != 2 {
		t.Errorf("got %q", got)
	}
	if got := find(t, l, "token of wallabies"); strings.Contains(got, secret) || !strings.Contains(got, "message ") {
		t.Errorf("got %q", got)
	}
	resp, err := l.Search(t.Context(), ledger.SearchRequest{Query: "crashes", Limit: 1})
	if err != nil || len(resp.Found) != 1 || resp.Total != 1 || resp.Found[0].Turn != 1 {
		t.Fatalf("%+v, %v", resp, err)
	}
	page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: resp.Found[0].ID})
	if err != nil || !strings.Contains(page.Text, "crashes") {
		t.Errorf("the handle reads %q, %v", page.Text, err)
	}
	for _, r := range []ledger.ForgetRequest{
		{Handle: a.ID}, {Handle: resp.Found[0].ID}, {Memory: "port"}, {Text: "the wombat parser is fixed"},
	} {
		if _, err := l.Forget(t.Context(), r); err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
	}
	for _, query := range []string{"wombat", "connection", "crashes", "5432", "wallaby"} {
		if got := find(t, l, query); got != "" {
			t.Errorf("%q was forgotten, and is found: %q", query, got)
		}
	}
	_, err = l.Search(t.Context(), ledger.SearchRequest{Query: "?!"})
	wantCode(t, err, fault.Invalid)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
	wordless(t, dir)
}

// wordless fails if an index has any page or name.
func wordless(t *testing.T, dir string) {
	t.Helper()
	s, err := storeIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(tx kv.Tx) error {
		for _, b := range []kv.Bucket{"log.words", "artifacts.words", "memory.words"} {
			for r, err := range tx.Scan(b, kv.Range{}) {
				if err != nil {
					return err
				}
				t.Errorf("%s still has %q: %q", b, r.Key, r.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsForgottenBeforeItIsIndexedIsNotIndexed, and the rest of its session is.
func TestWhatIsForgottenBeforeItIsIndexedIsNotIndexed(t *testing.T) {
	dir := t.TempDir()
	l, _ := openIn(t, dir, "")
	h := hand(t, l, ledger.AppendMessagesRequest{Messages: say("about wombats", "about wallabies", "about quokkas")})
	a := put(t, l, "about bandicoots\n", "")
	at := log(t, l, h.Session)
	for _, handle := range []string{at[1].Handle(), a.ID} {
		if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: handle}); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"wombats": "message about wombats", "wallabies": "", "quokkas": "message about quokkas", "bandicoots": "",
	} {
		if got := find(t, l, query); got != want {
			t.Errorf("%q: got %q", query, got)
		}
	}
	put(t, l, "about bandicoots\n", "") // the content lives again
	if got := find(t, l, "bandicoot"); got != "artifact about bandicoots" {
		t.Errorf("got %q", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
}

// TestAMigrationIndexesEachTextOnce also of a ledger that had an index before (make crash SEED=2831259708: 40 texts, not 33).
func TestAMigrationIndexesEachTextOnce(t *testing.T) {
	dir := t.TempDir()
	l, _ := openIn(t, dir, "")
	hand(t, l, ledger.AppendMessagesRequest{Messages: say("about wombats", "about wallabies")})
	put(t, l, "a log of wombats\n", "")
	want := "message about wombats\nartifact a log of wombats"
	for range 2 {
		if got := find(t, l, "wombats"); got != want {
			t.Errorf("got %q", got)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		sound(t, dir)
		s, err := storeIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Update(t.Context(), func(tx kv.Tx) error { return tx.Delete("engine", []byte("schema")) })
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		l, _ = openIn(t, dir, "")
	}
	l.Close()
}

// TestAResultIsFoundWithItsTurn and a handle that reads it.
func TestAResultIsFoundWithItsTurn(t *testing.T) {
	l := open(t)
	big := strings.Repeat("numbats\n", 20_000)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(spell("A"), toolUse("c", "Read", `{}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":%q}]}`, big))}).Session
	resp, err := l.Search(t.Context(), ledger.SearchRequest{Query: "numbat"})
	if err != nil || len(resp.Found) != 1 {
		t.Fatalf("%+v, %v", resp, err)
	}
	f := resp.Found[0]
	if f.Kind != ledger.FoundArtifact || f.Session != id || f.Seq != 3 || f.Turn == 0 || readHandle(t, l, f.ID) != big {
		t.Errorf("%+v", f)
	}
}

// TestAllWordsComeBeforeSome: a short text that has one word of a query several times came before one with all of them, and
// each repetition of a line took a place of its own.
func TestAllWordsComeBeforeSome(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "")
	hand(t, l, ledger.AppendMessagesRequest{Messages: say("refused refused refused", "I see",
		"long ago, as we were told by many, and as is written in a log of some length, the connection of the client was refused",
		"I see", "ok: done", "I see", "ok: done", "I see")})
	got := strings.Split(find(t, l, "connection refused"), "\n")
	if len(got) != 2 || !strings.Contains(got[0], "long ago") || !strings.HasSuffix(got[1], "refused refused refused") {
		t.Errorf("%q", got)
	}
	resp, err := l.Search(t.Context(), ledger.SearchRequest{Query: "done"})
	if err != nil || resp.Total != 2 || len(resp.Found) != 1 || resp.Found[0].Same != 1 || !resp.Found[0].Whole {
		t.Errorf("%+v, %v", resp, err)
	}
}
