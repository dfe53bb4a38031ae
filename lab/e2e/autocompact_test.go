package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// grown is a session that fills its window while it works on the second prompt, and goes on with what it did.
var grown = model.Script{
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "cat missing.txt"}}),
	model.Say("There is no such file."),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "echo begun"}}),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "echo went on"}}),
	model.Say("Done."),
}

// summarised is in the summary of the scripted model.
const summarised = "summarised here by the scripted model"

// TestTheRealAgentCompactsByItself lets the real Claude Code run into the limit of its window in the middle of a turn. Its
// request for a summary has what PreCompact says, once; the request after it has the summary and what SessionStart says;
// the one after the next call has what the summary lost; the ledger has what the summary kept.
func TestTheRealAgentCompactsByItself(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	allHooks(t, s)
	api := open(t, s)
	_, err := api.SaveMemory(t.Context(), ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "rule", Type: "feedback",
		Body: "Ask Ada. And: the shop is closed on Mondays."}})
	if err != nil {
		t.Fatal(err)
	}
	hookSettings(t, s, hookEvents, ownHook(s))
	server := model.New(grown, nil)
	server.Count = func(body []byte) int {
		if bytes.Contains(body, []byte("Look further.")) && !bytes.Contains(body, []byte(summarised)) {
			return 60_000
		}
		return 5_000
	}
	o := withHooks(s, server.Start(t), "Never push to the main branch. Is missing.txt there?")
	o.ExtraEnv = append(o.ExtraEnv, "DISABLE_AUTO_COMPACT=", "CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000",
		"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=50")
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	o.Resume = model.Run(ctx, t, o).SessionID
	follow(ctx, t, api, o.Resume, []string{"Bash"})
	o.Prompt = "Look further."
	model.Run(ctx, t, o)

	asked, after, later := byStep(t, server.Log())
	for _, once := range []string{"<ctxledger_record>", "(turn 1, first request) Never push to the main branch.",
		"In the summary, keep the rules and refusals"} {
		if n := strings.Count(asked, once); n != 1 {
			t.Errorf("the request for a summary has %q %d times: %.20000s", once, n, asked)
		}
	}
	for what, n := range map[string][2]int{summarised: {1, 1}, "## Runtime Environment": {1, 1}, "the shop is closed on Mondays": {1, 1},
		"Never push to the main branch": {0, 1}, "<ctxledger_record>": {0, 1}, "Recorded by ctxledger, and not in": {0, 1},
		"echo begun": {1, 1}, "No such file": {0, 0}} {
		if got := [2]int{strings.Count(after, what), strings.Count(later, what)}; got != n {
			t.Errorf("%q is %v times in the next request and the one after a call, not %v: %s", what, got, n, later)
		}
	}

	session := follow(ctx, t, api, o.Resume, []string{"Bash", "Bash", "Bash"})
	kept, err := api.Session(ctx, ledger.SessionRequest{Name: session})
	if err != nil || kept.Hooked == nil || kept.Hooked.Summary == nil {
		t.Fatalf("nothing was compared with the summary: %+v, %v", kept, err)
	}
	if sum := kept.Hooked.Summary; kept.Hooked.Emptied != 1 || sum.Tokens == 0 || sum.Items == 0 || sum.Kept != 0 ||
		sum.Told != sum.Items || kept.Hooked.Owed != "" {
		t.Errorf("the ledger has %+v of the summary %+v", kept.Hooked, sum)
	}
	if text := string(run(t, s, "status", session)); !strings.Contains(text, "recorded item") {
		t.Errorf("the status says nothing of the summary: %s", text)
	}
}

// TestTheRealAgentCompactsWhereItsSettingsSay has the real Claude Code use a little less and a little more than where
// claudecode.AutoCompact says that it compacts.
func TestTheRealAgentCompactsWhereItsSettingsSay(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	const little = 5_000
	for _, c := range []struct {
		name, settings, variable string
		window                   int
	}{
		{"nothing", `{}`, "ANTHROPIC_MODEL=claude-sonnet-5", 1_000_000},
		{"a window", `{"autoCompactWindow":120000}`, "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=", 200_000},
		{"a share of it", `{"autoCompactWindow":120000}`, "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=50", 200_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newBox(t)
			if err := os.WriteFile(filepath.Join(s.Config, "settings.json"), []byte(c.settings), 0o600); err != nil {
				t.Fatal(err)
			}
			e := env.Env{Home: s.Home, Lookup: func(name string) string {
				set := map[string]string{"CLAUDE_CONFIG_DIR": s.Config}
				variable, value, _ := strings.Cut(c.variable, "=")
				set[variable] = value
				return set[name]
			}}
			at, why := claudecode.AutoCompact(e, s.Workspace, "claude-sonnet-5", "2.1.328", c.window)
			for _, more := range []int{-1_000, 0} {
				server := model.New(grown, nil)
				server.Count = func(body []byte) int {
					if bytes.Contains(body, []byte("Look further.")) && !bytes.Contains(body, []byte(summarised)) {
						return at + more - little
					}
					return little // also of an answer
				}
				o := withHooks(s, server.Start(t), "Is missing.txt there?")
				o.ExtraEnv = append(o.ExtraEnv, "DISABLE_AUTO_COMPACT=", c.variable)
				o.Resume = model.Run(t.Context(), t, o).SessionID
				o.Prompt = "Look further."
				model.Run(t.Context(), t, o)
				compacted := slices.ContainsFunc(server.Log(), func(x model.Exchange) bool {
					return bytes.Contains(x.Body, []byte(summarised)) // it may ask for a summary in advance
				})
				if compacted != (more == 0) {
					t.Errorf("at %d, where %d is said to be the limit (%s), it compacted: %v", at+more, at, why, compacted)
				}
			}
		})
	}
}

// byStep returns the messages of the request for a summary, of which there is one, and of the next two of the conversation.
func byStep(t *testing.T, log []model.Exchange) (asked, after, later string) {
	t.Helper()
	for i, x := range log {
		if !bytes.Contains(x.Body, []byte("CRITICAL: Respond with TEXT ONLY")) {
			continue
		}
		if asked != "" || len(log) != i+3 {
			t.Fatalf("request %d of %d is for a summary", i, len(log))
		}
		asked, after, later = messages(t, x.Body), messages(t, log[i+1].Body), messages(t, log[i+2].Body)
	}
	if asked == "" {
		t.Fatalf("there is no request for a summary among %d", len(log))
	}
	return asked, after, later
}

// messages returns the messages of a request, without what the host adds to it.
func messages(t *testing.T, body []byte) string {
	t.Helper()
	var r struct{ Messages json.RawMessage }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Messages)
}
