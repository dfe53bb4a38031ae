package agents

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// subagent is a record of a subagent of the session s1.
func (s *scene) subagent(id string) string {
	return strings.ReplaceAll(s.rec(id), `"type"`, `"isSidechain":true,"type"`)
}

// TestSubagentsOfWorkflowsAreFollowed: their files appear further below the session's directory than others.
func TestSubagentsOfWorkflowsAreFollowed(t *testing.T) {
	s := newScene(t)
	below := filepath.Join(s.dir, "s1", "subagents", "workflows")
	s.mkdir(filepath.Join(below, "wf_1"))
	s.append("s1.jsonl", s.rec("main"))
	appendTo(t, filepath.Join(below, "wf_1", "agent-1.jsonl"), s.subagent("one"))
	appendTo(t, filepath.Join(below, "wf_1", "journal.jsonl"), s.rec("journal"))
	s.follow()
	s.wantSome("main")
	s.wantSome("one")
	appendTo(t, filepath.Join(below, "wf_1", "agent-1.jsonl"), s.subagent("two"))
	s.wantSome("two")
	s.mkdir(filepath.Join(below, "wf_2"))
	appendTo(t, filepath.Join(below, "wf_2", "agent-2.jsonl"), s.subagent("three"))
	s.wantSome("three")
	s.nudge()
	s.nudge()
	s.still()
	if strings.Contains(s.seen, "journal") {
		t.Error("what is no conversation was read")
	}
}

// TestSessionsBehindLinksAreFollowed: a project directory that is a link, and a session file in it. Each file is read by one
// name.
func TestSessionsBehindLinksAreFollowed(t *testing.T) {
	s := newScene(t)
	store := filepath.Join(filepath.Dir(s.workspace), "store")
	s.mkdir(filepath.Join(store, "project"))
	s.mkdir(filepath.Dir(s.dir))
	other := filepath.Join(store, "other.jsonl")
	appendTo(t, filepath.Join(store, "project", "s1.jsonl"), s.rec("one"))
	appendTo(t, other, s.recOf("s2", "two"))
	for at, to := range map[string]string{
		s.dir: filepath.Join(store, "project"), s.dir + "-again": filepath.Join(store, "project"),
		filepath.Join(store, "project", "s2.jsonl"): other, filepath.Join(store, "project", "s3.jsonl"): other,
		filepath.Join(store, "project", "s4.jsonl"): "s1.jsonl", filepath.Join(store, "project", "s5.jsonl"): "nowhere",
	} {
		if err := os.Symlink(to, at); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	s.follow()
	s.wantSome("one")
	s.wantSome("two")
	appendTo(t, filepath.Join(store, "project", "s1.jsonl"), s.rec("three"))
	s.wantSome("three")
	appendTo(t, other, s.recOf("s2", "four"))
	s.nudge() // nothing tells of what happens behind the link
	s.wantSome("four")
	s.nudge()
	s.nudge()
	s.still()
}

// frame returns a text as a zstd frame of one block that is not compressed.
func frame(text string) string {
	n := uint32(len(text))
	out := binary.LittleEndian.AppendUint32([]byte("\x28\xb5\x2f\xfd\xa0"), n)
	head := n<<3 | 1
	return string(append(out, byte(head), byte(head>>8), byte(head>>16))) + text
}

// TestARolloutStaysOneSessionWhereverCodexPutsIt archives and compresses a rollout that is followed, and takes it back when
// the session goes on: nothing counts twice.
func TestARolloutStaysOneSessionWhereverCodexPutsIt(t *testing.T) {
	s := newScene(t)
	const name = "rollout-2026-06-01T10-00-00-01998a00-0000-7000-8000-00000000000a.jsonl"
	home := filepath.Join(s.opts.Env.Home, ".codex")
	plain := filepath.Join(home, "sessions", "2026", "06", "01", name)
	archived := filepath.Join(home, "archived_sessions", name)
	s.mkdir(filepath.Dir(plain))
	s.mkdir(filepath.Dir(archived))
	item := func(id string) string {
		return fmt.Sprintf(`{"timestamp":"2026-06-01T10:00:03Z","type":"response_item","payload":{"type":"message","id":%q,`+
			`"role":"user","content":[{"type":"input_text","text":"Say %s"}]}}`+"\n", id, id)
	}
	text := fmt.Sprintf(`{"timestamp":"2026-06-01T10:00:00Z","type":"session_meta","payload":{"id":"c","cwd":%q}}`+"\n",
		s.workspace) + item("m1")
	appendTo(t, plain+".zst", frame(text)) // Codex was stopped before it removed it
	text += item("m0")
	appendTo(t, plain, text)
	s.follow()
	s.want("c m1 m0")
	move := func(from, to, content string) {
		t.Helper()
		if err := os.Rename(write(t, content), to); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(from); err != nil {
			t.Fatal(err)
		}
		s.nudge()
		s.nudge()
	}
	unchanged := func() {
		t.Helper()
		s.nudge()
		s.still()
		if s.r.again > 0 {
			t.Error("the import began again")
		}
	}
	move(plain, archived, text)
	unchanged()
	appendTo(t, strings.ReplaceAll(archived, "a.jsonl", "b.jsonl"), strings.ReplaceAll(text, `"c"`, `"b"`))
	s.want("b m1 m0") // it was archived before it was read
	text += item("m2")
	move(archived, plain, text)
	s.want("m2")
	move(plain, plain+".zst", frame(text))
	unchanged()
	for _, packed := range []string{plain + ".zst", write(t, frame(text))} {
		rep := mustImport(t, s.r, packed)
		if rep.Entries != 0 || rep.Session != "s-c" || rep.Offset != int64(len(text)) {
			t.Errorf("%s: %+v", packed, rep)
		}
	}
	text += item("m3")
	move(plain+".zst", plain, text)
	s.want("m3")
	fresh := newRecorder(t)
	if rep := mustImport(t, fresh, write(t, frame(text))); rep.Entries != 5 || ids(fresh) != "c m1 m0 m2 m3" {
		t.Errorf("%+v: %s", rep, ids(fresh))
	}
}

// TestLinkedDirectoriesAreFollowedWhereverTheyAre: the directory of a session, of workflows, of a year of Codex. A link to a
// directory above it is not followed, and told once.
func TestLinkedDirectoriesAreFollowedWhereverTheyAre(t *testing.T) {
	s := newScene(t)
	store := filepath.Join(filepath.Dir(s.workspace), "store")
	at := func(parts ...string) string {
		path := filepath.Join(parts...)
		s.mkdir(filepath.Dir(path))
		return path
	}
	rollout := fmt.Sprintf(`{"timestamp":"2026-06-01T10:00:00Z","type":"session_meta","payload":{"id":"c","cwd":%q}}`+"\n",
		s.workspace)
	files := []struct{ path, id, text string }{
		{at(store, "s1", "subagents", "agent-1.jsonl"), "session", s.subagent("session")},
		{at(store, "wf", "wf_1", "agent-2.jsonl"), "workflow", s.subagent("workflow")},
		{at(s.dir, "s2", "subagents", "deep", "wf_2", "x", "y", "agent-3.jsonl"), "deep", s.subagent("deep")},
		{at(store, "year", "06", "01", "rollout-2026-06-01T10-00-00-01998a00-0000-7000-8000-00000000000a.jsonl"), "c",
			rollout},
	}
	for _, f := range files {
		appendTo(t, f.path, f.text)
	}
	for link, to := range map[string]string{
		at(s.dir, "s1"): filepath.Join(store, "s1"),
		at(s.dir, "s2", "subagents", "workflows"):         filepath.Join(store, "wf"),
		at(s.dir, "s2", "subagents", "loop"):              s.dir,
		at(s.opts.Env.Home, ".codex", "sessions", "2026"): filepath.Join(store, "year"),
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	s.append("s1.jsonl", s.rec("main"))
	s.append("s2.jsonl", s.recOf("s2", "second"))
	s.follow()
	s.wantSome("main")
	s.wantSome("second")
	for _, f := range files {
		s.wantSome(f.id)
	}
	for _, f := range files[:3] {
		appendTo(t, f.path, s.subagent(f.id+" again"))
		s.wantSome(f.id + " again")
	}
	s.mkdir(filepath.Join(store, "wf", "wf_3"))
	appendTo(t, filepath.Join(store, "wf", "wf_3", "agent-4.jsonl"), s.subagent("new"))
	s.wantSome("new")
	s.nudge()
	s.nudge()
	s.still()
	if n := strings.Count(s.news(), "loop"); n != 1 {
		t.Errorf("the loop is told %d times:\n%s", n, s.news())
	}
}
