package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestBothSessionsMakeAsManyRequests, and every edit finds its line once, in a file that was read before.
func TestBothSessionsMakeAsManyRequests(t *testing.T) {
	for _, s := range sessions() {
		if len(s.script) != 49 {
			t.Errorf("%s: %d steps", s.name, len(s.script))
		}
		texts, seen := files(), map[string]bool{}
		for i, step := range s.script {
			for _, c := range step.Calls {
				name, _ := c.Input["file_path"].(string)
				name = strings.TrimPrefix(name, "{{dir}}/")
				old, _ := c.Input["old_string"].(string)
				now, _ := c.Input["new_string"].(string)
				switch {
				case c.Tool == "Read":
					seen[name] = true
				case c.Tool == "Edit" && !seen[name]:
					t.Errorf("%s: step %d edits %q, which was not read", s.name, i, name)
				case c.Tool == "Edit" && strings.Count(texts[name], old) != 1:
					t.Errorf("%s: step %d edits %q, which is %d times in %s", s.name, i, old, strings.Count(texts[name], old), name)
				}
				if c.Tool == "Edit" {
					texts[name] = strings.Replace(texts[name], old, now, 1)
				}
			}
		}
	}
}

// TestTheSecondSessionRepeatsNoCall: no two of its calls are the same.
func TestTheSecondSessionRepeatsNoCall(t *testing.T) {
	seen := map[string]int{}
	for i, step := range advancing() {
		for _, c := range step.Calls {
			raw, err := json.Marshal(c)
			if before, there := seen[string(raw)]; there || err != nil {
				t.Errorf("steps %d and %d: %s, %v", before, i, raw, err)
			}
			seen[string(raw)] = i
		}
	}
}

// TestOrdersAnswersAClientOfMCP: a line for each request, nothing for notifications and for what is no message.
func TestOrdersAnswersAClientOfMCP(t *testing.T) {
	var out bytes.Buffer
	serveOrders(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
no message
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"orders","arguments":{"day":"2026-03-02"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"orders","arguments":{"day":"all"}}}
{"jsonrpc":"2.0","id":5,"method":"ping"}
`), &out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	wants := []string{"2025-11-25", `"name":"orders"`, orderID(1), orderID(everyone - 1), `"result":{}`}
	if len(lines) != len(wants) {
		t.Fatalf("%d answers: %q", len(lines), lines)
	}
	for i, want := range wants {
		if !strings.Contains(lines[i], want) {
			t.Errorf("answer %d has no %q: %.300s", i, want, lines[i])
		}
	}
	if all, one := ordersOf("all"), ordersOf(day(1)); len(all) <= 40_000 || len(one) >= 40_000 || len(one) < 2_000 ||
		!strings.Contains(all, one[:40]) {
		t.Errorf("all orders are %d long, those of a day %d", len(all), len(one))
	}
}
