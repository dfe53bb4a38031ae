package proxy_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestAStepMarksWhatIsUnchanged: the agent marks the end of its request for the cache, and a provider finds what is unchanged
// behind a step only near a mark. A request has four marks at most, and only those from the step on have another one.
func TestAStepMarksWhatIsUnchanged(t *testing.T) {
	for _, c := range []struct {
		name string
		own  int // marks of the agent, before the messages
		want int
	}{{"one is left", 2, 4}, {"none is left", 3, 4}, {"the agent marks nothing", 0, 0}} {
		t.Run(c.name, func(t *testing.T) {
			const mark = `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
			k := newTalk(t)
			k.messages[0] = `{"role":"user","content":[{"type":"text","text":"Go."}]}`
			for i := range c.own {
				k.tools += fmt.Sprintf(`,{"name":"t%d"%s}`, i, mark)
			}
			for i := range 12 {
				k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), `"cache_control":`+lines(60))
				last := len(k.messages) - 1
				was := k.messages[last]
				if c.own > 0 {
					k.messages[last] = strings.TrimSuffix(was, "}]}") + mark + "}]}"
				}
				k.ask()
				if i == 9 {
					k.compact()
				}
				k.messages[last] = was
			}
			most, steps := 0, 0
			for i, body := range k.sent {
				n := strings.Count(body, mark)
				most = max(most, n)
				if i > 0 && c.own == 2 && n == 4 {
					steps++
					if raw := string(messagesOf(t, body)[0]); !strings.HasSuffix(raw, mark+"}]}") {
						t.Errorf("the message before the summary is sent as %s", raw)
					}
				}
			}
			if most != c.want || c.own == 2 && steps != 3 {
				t.Errorf("%d marks, %d requests with one more", most, steps)
			}
		})
	}
}
