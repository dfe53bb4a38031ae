package claudecode

import (
	"reflect"
	"strings"
	"testing"

	"ctxledger.dev/sessions"
)

func TestDescriptionOfASession(t *testing.T) {
	const uuid = "0b6ab0f4-4f6b-4a3c-9d0e-0123456789ab"
	request := func(text string) string {
		return `{"type":"user","sessionId":"s1","cwd":"/w","message":{"role":"user","content":"` + text + `"}}` + "\n"
	}
	long := strings.Repeat("ä", 200)
	for _, c := range []struct {
		name, path, text string
		want             sessions.Session
		parent           string
	}{
		{"named by its file", "/p/" + uuid + ".jsonl", request("fix it"),
			sessions.Session{HostID: uuid, Title: "fix it", Dir: "/w"}, ""},
		{"named by its records", "/p/shop.jsonl", request("fix it"),
			sessions.Session{HostID: "s1", Title: "fix it", Dir: "/w"}, ""},
		{"no name in it", "/p/shop.jsonl", `{"type":"summary","leafUuid":"x"}`, sessions.Session{HostID: "shop"}, ""},
		{"subagent", "/p/s1/subagents/agent-7.jsonl",
			strings.ReplaceAll(request("look"), `"type"`, `"isSidechain":true,"type"`),
			sessions.Session{HostID: "s1/agent-7", Title: "look", Dir: "/w"}, "s1"},
		{"a subagent's line in the main file", "/p/x.jsonl",
			strings.ReplaceAll(request("look"), `"type"`, `"isSidechain":true,"type"`) + request("fix"),
			sessions.Session{HostID: "s1", Title: "fix", Dir: "/w"}, ""},
		{"first line of the first real request", "/p/x.jsonl",
			request("<command-name>/clear</command-name>") + request("Caveat: x") + request(`\n  Please\nfix`),
			sessions.Session{HostID: "s1", Title: "Please", Dir: "/w"}, ""},
		{"long request", "/p/x.jsonl", request(long),
			sessions.Session{HostID: "s1", Title: long[:2*119] + "…", Dir: "/w"}, ""},
		{"request in blocks", "/p/x.jsonl",
			`{"type":"user","sessionId":"s1","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>x"},{"type":"text","text":"go"}]}}`,
			sessions.Session{HostID: "s1", Title: "go"}, ""},
		{"a result is no request", "/p/x.jsonl",
			`{"type":"user","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}`,
			sessions.Session{HostID: "s1"}, ""},
		{"damaged first line", "/p/x.jsonl", "{\"ty\n" + request("fix"),
			sessions.Session{HostID: "s1", Title: "fix", Dir: "/w"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			about, err := Adapter().About(c.path, strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			c.want.Host = "claude-code"
			if parent := about.Identity.Parent; !reflect.DeepEqual(about.Session, c.want) || parent != c.parent {
				t.Errorf("got  %+v, parent %q\nwant %+v, parent %q", about.Session, parent, c.want, c.parent)
			}
		})
	}
}
