package proxy_test

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// TestResultsThatTheAgentMasksKeepAHandle: Gemini CLI replaces old results by previews. The stub that was sent in the place of
// one stays; a preview is not shortened, and is followed by what reads the result.
func TestResultsThatTheAgentMasksKeepAHandle(t *testing.T) {
	k := newTalkOf(t, gemini)
	large, small := lines(2_000), lines(400)
	stubbed := k.call("Read", `{"file_path":"/w/a.go"}`, large)
	whole := k.call("Read", `{"file_path":"/w/b.go"}`, small)
	stub := k.results(k.ask())[stubbed]
	preview := transcript.Masked + "\n" + lines(30) + "\nOutput too large. Full output available at: /tmp/x\n" +
		"</tool_output_masked>"
	for i, text := range []string{large, small} {
		k.messages[2+2*i] = strings.Replace(k.messages[2+2*i], quoted(text), quoted(preview), 1)
	}
	for i := range 16 {
		k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), lines(250))
		read := cmp.Or(map[int]string{0: "a", 1: "b"}[i], fmt.Sprint(i-2))
		k.call("Write", `{"file_path":"/w/`+read+`.go","content":"x"}`, "written")
		k.ask()
	}
	last := k.sent[len(k.sent)-1]
	got := k.results(last)
	offloaded := strings.HasPrefix(stub, "[result offloaded")
	if !offloaded || got[stubbed] != stub || !strings.HasPrefix(got[whole], preview) {
		t.Errorf("the stub %.100q became %.300q, the preview %.300q", stub, got[stubbed], got[whole])
	}
	for _, id := range []string{stubbed, whole} {
		m := handle.FindStringSubmatch(strings.TrimPrefix(got[id], preview))
		if m == nil {
			t.Fatalf("nothing reads %s back: %q", id, got[id])
		}
		page, err := k.ledger.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: m[1]})
		want := len(map[string]string{stubbed: large, whole: small}[id])
		if err != nil || page.TotalBytes != int64(want) {
			t.Errorf("%s reads %d bytes of %d, %v", m[1], page.TotalBytes, want, err)
		}
	}
	if written := k.bodies[len(k.bodies)-1]; len(last) > len(written)*9/10 {
		t.Errorf("%d of %d bytes", len(last), len(written))
	}
}

// TestResultsThatTheAgentMasksKeepAHandleAfterARestart: Gemini CLI masks a result that the proxy has replaced by a stub, before
// and after the proxy restarts. What reads it back is in all later requests.
func TestResultsThatTheAgentMasksKeepAHandleAfterARestart(t *testing.T) {
	k := newTalkOf(t, gemini)
	preview := transcript.Masked + "\n" + lines(30) + "\n</tool_output_masked>"
	was := []string{lines(2_000), lines(2_001)}
	for i, text := range was {
		k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), text)
		k.ask()
	}
	next := func(masked int) map[string]string {
		k.messages[2+2*masked] = strings.Replace(k.messages[2+2*masked], quoted(was[masked]), quoted(preview), 1)
		k.call("Read", `{"file_path":"/w/small.go"}`, "package small")
		return k.results(k.ask())
	}
	next(0)
	restart := func() { k.stop(); k.start() }
	restart()
	first := next(1)
	restart()
	last := next(1)
	for i, id := range []string{"toolu_001", "toolu_002"} {
		m := handle.FindStringSubmatch(last[id])
		if m == nil || first[id] != last[id] {
			t.Fatalf("nothing reads %s back, or it changed: %.200q, %.200q", id, first[id], last[id])
		}
		page, err := k.ledger.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: m[1]})
		if err != nil || page.TotalBytes != int64(len(was[i])) {
			t.Errorf("%s reads %d bytes of %d, %v", m[1], page.TotalBytes, len(was[i]), err)
		}
	}
}

// TestTheAgentsOwnSummaryNamesTheWayBack: when the agent compacts by itself, all handles are lost. From then on, its
// summary ends with the call that reads the earlier conversation, in every request, even after the proxy restarts.
func TestTheAgentsOwnSummaryNamesTheWayBack(t *testing.T) {
	k := newTalk(t)
	k.call("Bash", `{"command":"cat config"}`, "the port is 48123\n")
	k.ask()
	k.call("Bash", `{"command":"ls"}`, "main.go\n")
	k.ask()
	summary := "This session is being continued from a previous conversation that ran out of context. Summary: the config was read."
	k.messages = []string{`{"role":"user","content":[{"type":"text","text":` + quoted(summary) + `}]}`}
	k.source, k.written = "after the compaction", 0
	first := k.ask()
	named := regexp.MustCompile(`read_artifact\(id=\\"(\w+)\\"`).FindStringSubmatch(first)
	if named == nil || !strings.Contains(first, "the config was read.") {
		t.Fatalf("nothing reads the earlier conversation back: %s", first)
	}
	page, err := k.ledger.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: named[1],
		Selection: artifacts.Selection{Search: "port config"}})
	if err != nil || !strings.Contains(page.Text, "48123") {
		t.Errorf("%q, %v", page.Text, err)
	}
	k.call("Bash", `{"command":"go vet"}`, "ok\n")
	k.ask()
	k.stop()
	k.start()
	k.call("Bash", `{"command":"go test"}`, "ok\n")
	k.ask()
	for i := 2; i < len(k.sent)-1; i++ {
		k.goesOn(i)
	}
}

// TestResultsThatTheAgentClearsKeepAHandle: when the agent replaces an old result by its own text, a handle follows that text in
// every request from then on, also after the proxy restarts. Small results get none, and existing stubs stay.
func TestResultsThatTheAgentClearsKeepAHandle(t *testing.T) {
	k := newTalk(t)
	was := []string{lines(100), "ok", lines(2_000), lines(101)}
	for i, text := range was {
		k.call("Bash", fmt.Sprintf(`{"command":"cat %d"}`, i), text)
		k.ask()
	}
	k.served.Recorded()
	clear := func(calls ...int) {
		for _, i := range calls {
			k.messages[2*i+2] = strings.Replace(k.messages[2*i+2], quoted(was[i]), quoted(transcript.Cleared), 1)
		}
	}
	next := func() map[string]string {
		k.call("Bash", `{"command":"date"}`, "today")
		return k.results(k.ask())
	}
	clear(0, 1, 2)
	first := next()
	k.stop()
	k.start()
	clear(3)
	last := next()
	for i, want := range []string{"toolu_001", "toolu_002", "toolu_003"} {
		if first[want] != last[want] {
			t.Errorf("result %d was %q and is %q", i, first[want], last[want])
		}
	}
	if first["toolu_002"] != transcript.Cleared || !strings.HasPrefix(first["toolu_003"], "[result offloaded") {
		t.Errorf("%.300q", first)
	}
	for call, text := range map[string]string{"toolu_001": was[0], "toolu_003": was[2], "toolu_004": was[3]} {
		m := handle.FindStringSubmatch(last[call])
		if m == nil {
			t.Fatalf("nothing reads %s back: %.200q", call, last[call])
		}
		page, err := k.ledger.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: m[1]})
		if err != nil || page.TotalBytes != int64(len(text)) || !strings.HasPrefix(text, page.Text) {
			t.Errorf("%s reads %.99q of %d bytes, %v", m[1], page.Text, page.TotalBytes, err)
		}
	}
	k.stop()
	all := k.measured()
	if got := fmt.Sprint(all[4].Reduced.Named, all[5].Reduced.Named); got != "[toolu_001] [toolu_004]" {
		t.Error(got)
	}
}
