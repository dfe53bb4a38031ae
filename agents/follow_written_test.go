package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/codex"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/sessions"
)

// TestAWrittenSessionIsFollowedAndCountsOnlyItsOwn follows session files that ctxledger wrote, in directories that appear
// while it follows, as their agents append to them: only what was appended counts.
func TestAWrittenSessionIsFollowedAndCountsOnlyItsOwn(t *testing.T) {
	for _, c := range []struct {
		w   sessionfile.Writer
		own string // an answer of 7 tokens of input and 5 of output
	}{
		{claudecode.Writer(), `{"type":"assistant","uuid":"a9","sessionId":"s","message":{"id":"m9","role":"assistant",` +
			`"model":"m","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn",` +
			`"usage":{"input_tokens":7,"output_tokens":5}}}` + "\n"},
		{codex.Writer(), `{"type":"token_usage_record","payload":{"usage":{"input_tokens":7,"output_tokens":5},` +
			`"thread_token_usage":{"input_tokens":7,"output_tokens":5}}}` + "\n"},
	} {
		t.Run(string(c.w.Agent), func(t *testing.T) {
			s := newScene(t)
			s.follow()
			said, _ := spoken(t, shop)
			to := continuation(t, said, nil)
			to.Dir = s.workspace
			text, err := c.w.Encode(to)
			if err != nil {
				t.Fatal(err)
			}
			own := strings.ReplaceAll(c.own, `"payload":{`, `"payload":{"thread_id":"`+to.ID+`",`)
			path := filepath.Join(c.w.Base(s.opts.Env), filepath.FromSlash(c.w.Path(to)))
			s.mkdir(filepath.Dir(path))
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			var all []sessions.NewEntry
			usage := func() sessions.Usage { return sumUsage(all) }
			until := func(lines int) {
				t.Helper()
				for len(all) < lines {
					select {
					case b := <-s.r.appended:
						all = append(all, b.Entries...)
					case s.ticks() <- time.Time{}:
					case <-time.After(patience):
						t.Fatalf("%d entries of %d: %s", len(all), lines, s.logged)
					}
				}
			}
			lines := strings.Count(string(text), "\n")
			until(lines)
			if u := usage(); u != (sessions.Usage{}) {
				t.Errorf("the copies count: %+v", u)
			}
			last := strings.ReplaceAll(own, `"uuid":"a9"`, `"uuid":"a10","parentUuid":"a9"`)
			appendTo(t, path, own+last) // hosts repeat the usage of an answer
			until(lines + 2)
			if u := usage(); u.Input != 7 || u.Output != 5 {
				t.Errorf("usage %+v", u)
			}
			for i, e := range all {
				if e.Copied != (i < lines) && !strings.Contains(string(e.Original), "custom-title") {
					t.Errorf("entry %d: copied %v: %s", i, e.Copied, e.Original)
				}
			}
		})
	}
}
