package intents

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
)

// Results as Claude Code writes them.
const (
	agentLaunched = "Async agent launched successfully. (This tool result is internal metadata — never quote or paste any part " +
		"of it, including the agentId below, into a user-facing reply.)\nagentId: a0c3f1 (internal ID - do not mention to user.)\n" +
		"The agent is working in the background.\nDo not duplicate this agent's work.\noutput_file: /tmp/s/tasks/a0c3f1.output\nDo NOT " +
		"Read or tail this file"
	commandLaunched = "Command running in background with ID: b1x2. Output is being written to: /tmp/s/tasks/b1x2.output. You will " +
		"be notified when it completes."
	commandMoved = "so far\nCommand did not complete within its 120s timeout and was moved to the background (ID: b3). Output is being " +
		"written to: /tmp/my tasks/b3.output. It is running now."
)

func TestLaunchedKnowsWhatGoesOnInTheBackground(t *testing.T) {
	for _, c := range []struct{ result, id, output string }{
		{agentLaunched, "a0c3f1", "/tmp/s/tasks/a0c3f1.output"},
		{"Async agent launched successfully.\nagentId: a10faa3\noutput_file: /tmp/a10faa3.output\n", "a10faa3", "/tmp/a10faa3.output"},
		{"Cloud agent launched. (Internal.)\ntaskId: t9\nsession_url: https://x\n", "t9", ""},
		{"The agent has not finished. It is waiting for the user.\nagentId: a4 (internal ID)", "a4", ""},
		{commandLaunched, "b1x2", "/tmp/s/tasks/b1x2.output"},
		{"Command running in background with ID: b7", "b7", ""},
		{"Command was manually backgrounded by user with ID: b2. Output is being written to: /tmp/b2.output.", "b2", "/tmp/b2.output"},
		{"Command was moved to the background (ID: b4) after running for 9s. Output is being written to: /tmp/b4.output.", "b4",
			"/tmp/b4.output"},
		{commandMoved, "b3", "/tmp/my tasks/b3.output"},
		{"The leak is in pool.go.\nagentId: a4 (for resuming)", "", ""},
		{"Command running in background with ID: b7.\nOutput is being written to: /tmp/b7.output\n", "b7", "/tmp/b7.output"},
		{"log: Command running in background with ID: b7", "", ""},
		{"Command running in background with ID: b7\nok  \tshop\t0.1s\n", "", ""},
		{commandLaunched + "\nserver is up\n", "", ""},
		{"", "", ""},
	} {
		got, ok := LaunchedAgent(c.result)
		if !ok {
			got, ok = LaunchedCommand(c.result)
		}
		if got != (Task{c.id, c.output}) || ok != (c.id != "") {
			t.Errorf("%.60q: %+v, %t", c.result, got, ok)
		}
	}
}

// notice writes one as Claude Code does.
func notice(fields string) string { return "<task-notification>\n" + fields + "\n</task-notification>" }

func TestNoticesSayHowACallInTheBackgroundEnded(t *testing.T) {
	const ids = "<task-id>a1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<output-file>/tmp/a1</output-file>\n"
	for _, c := range []struct {
		name, text    string
		is            bool
		want          Notice
		ended, failed bool
		result        string
	}{
		{"a report", notice(ids + "<status>completed</status>\n<summary>Agent \"Find it\" finished</summary>\n" +
			"<note>Fires again.</note>\n<result>It is in &lt;init&gt; &amp; pool.go.\n\n<status>failed</status></result>\n<usage>1</usage>"), true,
			Notice{"toolu_1", "a1", "completed", `Agent "Find it" finished`,
				"It is in <init> & pool.go.\n\n<status>failed</status>"},
			true, false, "Agent \"Find it\" finished\nIt is in <init> & pool.go.\n\n<status>failed</status>"},
		{"handed on in a reminder", "<system-reminder>\nNot the user.\n\nNor consent.\n" +
			notice(ids+"<status>killed</status>\n"+"<summary>Agent \"Find it\" was stopped</summary>") +
			"\n</system-reminder>", true,
			Notice{"toolu_1", "a1", "killed", `Agent "Find it" was stopped`, ""}, true, true,
			`Agent "Find it" was stopped`},
		{"a command", notice("<task-id>b1</task-id>\n<status>completed</status>\n" +
			"<summary>Background command \"x\" completed (exit code 0)</summary>"), true,
			Notice{"", "b1", "completed", `Background command "x" completed (exit code 0)`, ""}, true, false,
			"Exit code 0\nBackground command \"x\" completed (exit code 0)"},
		{"a failed command", notice(ids + "<status>failed</status>\n" +
			"<summary>Background command \"x\" failed with exit code 2</summary>"), true,
			Notice{"toolu_1", "a1", "failed", `Background command "x" failed with exit code 2`, ""}, true, true,
			"Exit code 2\nBackground command \"x\" failed with exit code 2"},
		{"completed, with another code",
			notice(ids + "<status>completed</status>\n<summary>It completed (exit code 1)</summary>"), true,
			Notice{"toolu_1", "a1", "completed", "It completed (exit code 1)", ""}, true, true,
			"Exit code 1\nIt completed (exit code 1)"},
		{"an event on the way",
			notice("<task-id>m1</task-id>\n<summary>Monitor event: \"up\"</summary>\n<event>UP</event>"), true,
			Notice{"", "m1", "", `Monitor event: "up"`, ""}, false, false, `Monitor event: "up"`},
		{"an agent that waits", notice(ids + "<status>completed</status>\n" +
			"<summary>Agent \"x\" is waiting on its own background work</summary>\n<result>So far.</result>"), true,
			Notice{"toolu_1", "a1", "completed", `Agent "x" is waiting on its own background work`, "So far."},
			false, false,
			"Agent \"x\" is waiting on its own background work\nSo far."},
		{"quoted by a user", "Why does it print\n" + notice(ids), false, Notice{}, false, false, ""},
		{"without an id", notice("<status>completed</status>"), false, Notice{Status: "completed"}, true, false, ""},
		{"cut off", "<task-notification>\n<task-id>a1</task-id>\n<status>comp", true, Notice{Task: "a1"},
			false, false, ""},
		{"nothing", "", false, Notice{}, false, false, ""},
	} {
		n, is := NoticeIn(c.text)
		if n != c.want || is != c.is || n.Ended() != c.ended || n.Failed() != c.failed || n.Text() != c.result {
			t.Errorf("%s: %+v, %t, ended %t, failed %t, result %q", c.name, n, is, n.Ended(), n.Failed(), n.Text())
		}
	}
}

// FuzzNoticeIn: what is read stands in the text, and nothing of an agent's report is taken for a field.
func FuzzNoticeIn(f *testing.F) {
	f.Add(notice("<task-id>a</task-id><status>completed</status><result>r</result>"))
	f.Add("<system-reminder>\n\n<task-notification><tool-use-id>&amp;lt;</tool-use-id>")
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := NoticeIn(text)
		if ok && n.Task == "" && n.CallID == "" {
			t.Errorf("a notice of nothing: %+v", n)
		}
		for _, s := range []string{n.CallID, n.Task, n.Status, n.Summary, n.Report} {
			if len(s) > len(text) || s != "" && !strings.Contains(text, "task-notification>") {
				t.Errorf("%q was read in %q", s, text)
			}
		}
	})
}

// TestAResultThatQuotesALaunchIsTheEnd: an edit of a file with such a line, and an agent's words in the output of a command.
func TestAResultThatQuotesALaunchIsTheEnd(t *testing.T) {
	s := storetest.Open(t)
	for call, c := range map[string]struct{ op, result string }{
		"toolu_1": {OpPatch, "The file was updated:\n" + commandLaunched},
		"toolu_2": {OpShell, agentLaunched},
		"toolu_3": {OpShell, commandLaunched + "\nserver is up\n"},
	} {
		begin(t, s, Intent{Session: "s", Seq: 1, CallID: call, Op: c.op}, `{}`)
		if in := finish(t, s, "s", call, Result{Text: c.result, Known: true}, noon); in == nil || in.Status != Applied {
			t.Errorf("%s with %q: %+v", c.op, c.result, in)
		}
	}
}

// A call in the background waits for its end, which is told by its own id or by that of its task, and counts once.
func TestACallInTheBackgroundEndsWithItsNotice(t *testing.T) {
	s := storetest.Open(t)
	for i, result := range []string{commandLaunched, "Command running in background with ID: b2"} {
		call := fmt.Sprint("toolu_", i+1)
		begin(t, s, Intent{Session: "s", Seq: int64(i + 1), CallID: call, Op: OpShell, Command: "make test"}, `{}`)
		if done := finish(t, s, "s", call, Result{Text: result, Known: true}, noon); done != nil {
			t.Errorf("its launch ended %s: %+v", call, done)
		}
	}
	storetest.Update(t, s, func(tx kv.Tx) error {
		for task, want := range map[string]string{"b1x2": "toolu_1", "b2": "toolu_2", "b3": ""} {
			if got, err := CallOf(tx, "s", Notice{Task: task}); got != want || err != nil {
				t.Errorf("task %s is of call %q, %v", task, got, err)
			}
		}
		return nil
	})
	n := Notice{Status: "failed", Summary: `Background command "x" failed with exit code 2`}
	done := finish(t, s, "s", "toolu_1", Result{Text: n.Text(), Failed: n.Failed(), Known: true}, noon.Add(time.Hour))
	if done == nil || done.Status != Failed || *done.ExitCode != 2 || done.Outcome != n.Summary ||
		!done.Finished.Equal(noon.Add(time.Hour)) {
		t.Errorf("ended: %+v", done)
	}
	if again := finish(t, s, "s", "toolu_1", Result{Text: "Exit code 0", Known: true}, noon); again != nil {
		t.Errorf("a second notice was taken: %+v", again)
	}
	if got := ofCall(t, s, "s", "toolu_2"); got.Status != Pending || got.Task != "b2" {
		t.Errorf("without a notice: %+v", got)
	}
}
