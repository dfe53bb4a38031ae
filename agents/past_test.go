package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
)

// leave writes the file of a session that ended so many days ago.
func (s *scene) leave(name string, days int, text string) {
	s.t.Helper()
	path := s.append(name, text)
	at := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
	if err := os.Chtimes(path, at, at); err != nil {
		s.t.Fatal(err)
	}
}

// recOf is a record of another session than s1.
func (s *scene) recOf(session, id string) string {
	return strings.ReplaceAll(s.rec(id), `"s1"`, fmt.Sprintf("%q", session))
}

// answerOf is a record of a session with an answer at a minute.
func (s *scene) answerOf(session, id string, minute int) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":%q,"timestamp":"2026-01-01T00:%02d:00Z","cwd":%q,`+
		`"message":{"id":"m-%[1]s","role":"assistant","model":"m","content":"Done.","usage":{"input_tokens":9}}}`+"\n",
		id, session, minute, s.workspace)
}

// readPast reads past sessions, and returns the ids of the entries that were appended, in order.
func (s *scene) readPast(ctx context.Context) (Past, string, error) {
	s.t.Helper()
	last := int64(-1)
	past, err := ReadPast(ctx, s.r, s.opts, func(done, total int64) {
		if done < last || done > total {
			s.t.Errorf("%d of %d bytes are done, after %d", done, total, last)
		}
		last = done
	})
	var ids []string
	for {
		select {
		case b := <-s.r.appended:
			for _, e := range b.Entries {
				ids = append(ids, e.HostID)
			}
		default:
			return past, strings.Join(ids, " "), err
		}
	}
}

func TestPastSessionsAreReadOfAnyAgeNewestFirst(t *testing.T) {
	s := newScene(t)
	s.mkdir(filepath.Join(s.dir, "s1", "subagents"))
	s.leave("s1.jsonl", 40, s.rec("oldest"))
	s.leave("s2.jsonl", 2, s.recOf("s2", "newest"))
	s.leave("s3.jsonl", 3, strings.ReplaceAll(rec("elsewhere"), `"s1"`, `"s3"`)) // runs in /w
	s.leave("s4.jsonl", 4, "no record\n")
	s.leave("s5.jsonl", 5, s.recOf("s5", "between"))
	s.leave("notes.txt", 5, s.recOf("s6", "no session"))
	s.leave(filepath.Join("s1", "subagents", "agent-1.jsonl"), 41,
		strings.Replace(s.rec("helper"), `"uuid"`, `"isSidechain":true,"agentId":"1","uuid"`, 1))
	past, ids, err := s.readPast(t.Context())
	if err != nil || ids != "newest between oldest helper" || past != (Past{Sessions: 3, Failed: 1}) {
		t.Errorf("%+v, %q, %v; log:\n%s", past, ids, err, s.logged)
	}
	if past, ids, err = s.readPast(t.Context()); err != nil || ids != "" || past.Sessions != 0 {
		t.Errorf("read again: %+v, %q, %v", past, ids, err)
	}
	s.leave("s5.jsonl", 5, s.recOf("s5", "later"))
	if past, ids, err = s.readPast(t.Context()); err != nil || ids != "later" || past.Sessions != 1 {
		t.Errorf("one has grown: %+v, %q, %v", past, ids, err)
	}
}

// TestAForkIsReadAfterTheSessionItComesFrom: what both have counts in the one that is read first.
func TestAForkIsReadAfterTheSessionItComesFrom(t *testing.T) {
	for name, c := range map[string]struct {
		named, want string
		age         int // of the original
	}{
		"named":                     {`"forkedFrom":{"sessionId":"old","messageUuid":"a"},`, "x a b a c", 9},
		"not named":                 {"", "x a b a c", 9},
		"not named, written before": {"", "x a b a c", 1},
		"of each other":             {`"forkedFrom":{"sessionId":"old","messageUuid":"a"},`, "x a b a c", 9},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.mkdir(s.dir)
			old := s.answerOf("old", "a", 0) + s.answerOf("old", "b", 1)
			if name == "of each other" {
				old = strings.ReplaceAll(old, `"uuid"`, `"forkedFrom":{"sessionId":"new","messageUuid":"a"},"uuid"`)
			}
			s.leave("old.jsonl", c.age, old)
			records := s.answerOf("new", "a", 0) + s.answerOf("new", "c", 2)
			s.leave("new.jsonl", 2, strings.ReplaceAll(records, `"uuid"`, c.named+`"uuid"`))
			s.leave("x.jsonl", 0, s.answerOf("x", "x", 0))
			past, ids, err := s.readPast(t.Context())
			if err != nil || ids != c.want || past != (Past{Sessions: 3}) {
				t.Errorf("%+v, %q, %v; log:\n%s", past, ids, err, s.logged)
			}
		})
	}
}

func TestPastSessionsOfATreeThatIsNotFollowedAreLeftAlone(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	s.leave("s1.jsonl", 2, s.rec("a"))
	s.opts.Skip = func(tree string) bool { return tree == s.workspace }
	if past, ids, err := s.readPast(t.Context()); err != nil || ids != "" || past != (Past{}) {
		t.Errorf("%+v, %q, %v", past, ids, err)
	}
	s.opts.Workspace = ""
	if _, _, err := s.readPast(t.Context()); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a workspace: %v", err)
	}
}

func TestSoManyPastSessionsAreReadAtOnce(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	const more = 7
	for i := range maxPastFiles + more {
		id := fmt.Sprintf("n%03d", i)
		s.leave(id+".jsonl", 2+i, s.recOf(id, id))
	}
	past, _, err := s.readPast(t.Context())
	if err != nil || past != (Past{Sessions: maxPastFiles, Left: more}) {
		t.Errorf("%+v, %v", past, err)
	}
	if past, ids, err := s.readPast(t.Context()); err != nil || past != (Past{Sessions: more}) ||
		!strings.HasPrefix(ids, fmt.Sprintf("n%03d ", maxPastFiles)) {
		t.Errorf("the others: %+v, %q, %v", past, ids, err)
	}
}

func TestReadingPastSessionsEndsWhenItIsCancelled(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	for i := range 3 {
		id := fmt.Sprint("n", i)
		s.leave(id+".jsonl", 2+i, s.recOf(id, id))
	}
	ctx, cancel := context.WithCancel(t.Context())
	past, err := ReadPast(ctx, s.r, s.opts, func(int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) || past.Sessions > 1 {
		t.Errorf("%+v, %v", past, err)
	}
}

// TestWhatAgentsLeftIsCounted without a ledger: sessions of this workspace, of any age, subagents' apart.
func TestWhatAgentsLeftIsCounted(t *testing.T) {
	s := newScene(t)
	if found := Find(s.opts); len(found) != 0 {
		t.Errorf("of nothing: %+v", found)
	}
	s.mkdir(filepath.Join(s.dir, "s1", "subagents"))
	s.leave("s1.jsonl", 40, s.rec("oldest"))
	s.leave("s2.jsonl", 2, s.recOf("s2", "newest"))
	s.leave("s3.jsonl", 3, strings.ReplaceAll(rec("elsewhere"), `"s1"`, `"s3"`)) // runs in /w
	s.leave("s4.jsonl", 1, "no record\n")
	s.leave(filepath.Join("s1", "subagents", "agent-1.jsonl"), 1,
		strings.Replace(s.rec("helper"), `"uuid"`, `"isSidechain":true,"agentId":"1","uuid"`, 1))
	found := Find(FollowOptions{Workspace: s.workspace, Env: s.opts.Env})
	if len(found) != 1 || found[0].Agent != "claude-code" || found[0].Sessions != 2 || found[0].More ||
		time.Since(found[0].Newest).Round(time.Hour) != 48*time.Hour {
		t.Errorf("%+v", found)
	}
	for i := range maxPastFiles {
		s.leave(fmt.Sprintf("t%d.jsonl", i), 1, s.recOf(fmt.Sprintf("t%d", i), "x"))
	}
	if found = Find(s.opts); len(found) != 1 || found[0].Sessions != maxPastFiles || !found[0].More {
		t.Errorf("of too many: %+v", found)
	}
}
