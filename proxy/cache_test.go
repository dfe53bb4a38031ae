package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
)

// TestWhyACacheBroke: the first item that is another one, and who changed it.
func TestWhyACacheBroke(t *testing.T) {
	const (
		bash, find = `{"name":"Bash","d":1}`, `{"name":"mcp__db__find","d":1}`
		one, two   = `{"role":"user","content":"one"}`, `{"role":"user","content":"two"}`
		said       = `{"role":"assistant","content":"yes"}`
		billing    = `{"type":"text","text":"x-anthropic-billing-header: cc_version=%d"}`
	)
	type request struct{ model, tools, system, messages string }
	first := request{"m", bash + "," + find, `"be good"`, one + "," + said + "," + two}
	for _, c := range []struct {
		name    string
		second  request
		read    int // tokens, of the 50,000 that are cached
		outcome string
		words   string // "": nothing broke
	}{
		{"it goes on", request{"m", first.tools, first.system, first.messages + "," + said}, 50_000, ledger.CacheKept, ""},
		{"a mark moves", request{"m", first.tools, first.system, strings.Replace(first.messages, `"content":"two"`,
			`"content":[{"type":"text","text":"two","cache_control":{"type":"ephemeral"}}]`, 1) + "," + said}, 50_000,
			ledger.CacheKept, ""},
		{"the provider forgot", request{"m", first.tools, first.system, first.messages + "," + said}, 0, ledger.CacheExpired,
			"50,000 tokens not read from the cache: the provider no longer had them, 0 seconds after the previous request"},
		{"nothing is said of a cache", request{"m", first.tools, first.system, first.messages + "," + said}, -1,
			ledger.CacheUnknown, ""},
		{"another model", request{"n", first.tools, first.system, first.messages}, 0, ledger.CacheModel,
			"50,000 tokens not read from the cache: another model was asked"},
		{"a server's tool changed", request{"m", bash + `,{"name":"mcp__db__find","d":2}`, first.system, first.messages}, 0,
			ledger.CacheChanged, "50,000 tokens not read from the cache: tool mcp__db__find changed, by MCP server db"},
		{"a server's tool came", request{"m", bash + `,{"name":"mcp__web__get"},` + find, first.system, first.messages}, 9_000,
			ledger.CacheChanged, "41,000 tokens not read from the cache: tool mcp__web__get was added, by MCP server web"},
		{"a tool went", request{"m", find, first.system, first.messages}, 0, ledger.CacheChanged,
			"50,000 tokens not read from the cache: tool Bash was removed, by the agent"},
		{"tools changed places", request{"m", find + "," + bash, first.system, first.messages}, 0, ledger.CacheChanged,
			"50,000 tokens not read from the cache: tool Bash has a different position, by the agent"},
		{"the system prompt changed", request{"m", first.tools, `"be better"`, first.messages}, 20_000, ledger.CacheChanged,
			"30,000 tokens not read from the cache: the system prompt changed, by the agent"},
		{"a message changed", request{"m", first.tools, first.system, one + "," + strings.Replace(said, "yes", "no", 1) + "," + two},
			30_000, ledger.CacheChanged,
			"20,000 tokens not read from the cache: message 2 (assistant) changed, by the agent"},
		{"the agent went back", request{"m", first.tools, first.system, one}, 49_500, ledger.CacheChanged, ""},
		{"the agent compacted", request{"m", first.tools, first.system, `{"role":"user","content":"summary"}`}, 30_000,
			ledger.CacheCompacted, "20,000 tokens not read from the cache: the agent compacted"},
		{"a little is lost", request{"m", first.tools, first.system, first.messages + "," + said}, 49_000, ledger.CacheKept, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
				switch n++; {
				case n == 1 && c.read >= 0:
					answerJSON(message(100, 20_000, 30_000))(w, r)
				case n == 1:
					answerJSON(message(50_000, 0, 0))(w, r)
				default:
					answerJSON(message(51_000-max(c.read, 0), max(c.read, 0), 0))(w, r)
				}
			})
			for i, q := range []request{first, c.second} {
				s.send("/"+token+"/anthropic/v1/messages", fmt.Sprintf(
					`{"model":%q,"messages":[%s],"tools":[%s,{"name":"later","defer_loading":true,"d":%d}],"system":[%s,%s]}`,
					q.model, q.messages, q.tools, i, fmt.Sprintf(billing, i), q.system), "X-Claude-Code-Session-Id", "s1")
			}
			s.stop()
			all := s.live("claude-code", "s1")
			if len(all) != 2 {
				t.Fatalf("%+v", all)
			}
			got := all[1].Cache
			if words := got.Words(); got.Outcome != c.outcome || got.Broke() != (c.words != "") || got.Broke() && words != c.words {
				t.Errorf("%+v: %s", got, words)
			}
			if tools := all[0].Tools; len(tools) != 2 || tools[0].Server != "" || tools[1].Server != "db" || tools[1].Tools != 1 ||
				tools[1].Tokens == 0 {
				t.Errorf("tools: %+v", tools)
			}
		})
	}
}

// TestRequestsBesideTheConversation: those for a title, and those of subagents, are of the session and break no cache.
func TestRequestsBesideTheConversation(t *testing.T) {
	s := newScene(t, answerJSON(message(10, 50_000, 10)))
	send := func(messages, tools string, more ...string) {
		s.send("/"+token+"/anthropic/v1/messages", `{"model":"m","tools":[`+tools+`],"messages":[`+messages+`]}`,
			append([]string{"X-Claude-Code-Session-Id", "s1"}, more...)...)
	}
	const one, title = `{"role":"user","content":"one"}`, `{"role":"user","content":"a title for: one"}`
	send(one, `{"name":"Bash"}`)
	send(title, "")
	send(`{"role":"user","content":"task"}`, `{"name":"Bash"}`, "X-Claude-Code-Agent-Id", "a1")
	send(one+`,{"role":"assistant","content":"yes"}`, `{"name":"Bash"}`)
	s.stop()
	all := s.live("claude-code", "s1")
	want := []string{ledger.CacheFirst, ledger.CacheFirst, ledger.CacheFirst, ledger.CacheKept}
	for i, q := range all {
		if q.Cache.Outcome != want[i] || (q.Agent != "") != (i == 2) {
			t.Errorf("request %d: %+v of %q", i, q.Cache, q.Agent)
		}
	}
	if len(all) != 4 {
		t.Errorf("%d requests", len(all))
	}
}

// TestATitleIsNoConversation of an agent without session files, whether it is asked for before the conversation or later.
func TestATitleIsNoConversation(t *testing.T) {
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) { answerJSON(said["chat"][0])(w, r) })
	path := "/" + token + "/openai/chat/completions"
	header := []string{"X-Session-Id", "ses_1", "User-Agent", "opencode/1.0"}
	const title = `{"model":"mm","messages":[{"role":"system","content":"You are a title generator"},{"role":"user","content":"hi"}]}`
	s.send(path, title, header...)
	s.send(path, `{"model":"mm","tools":[{"type":"function","function":{"name":"bash"}}],"messages":[{"role":"user","content":"hi"}]}`, header...)
	s.send(path, strings.Replace(title, `"hi"`, `"ho"`, 1), header...)
	s.stop()
	session, texts := s.recorded()
	if all := s.requests(session); len(texts) != 2 || len(all) != 3 || all[0].Tools != nil || all[1].Tools[0].Tools != 1 {
		t.Errorf("%d entries, %+v", len(texts), all)
	}
}
