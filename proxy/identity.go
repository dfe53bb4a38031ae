package proxy

import (
	"net/http"
	"strings"

	"ctxledger.dev/internal/chars"
)

// maxHostID bounds an id that an agent gives to its session, in bytes.
const maxHostID = 200

// identity says whose request it is.
type identity struct {
	host    string // the agent, as sessions name it
	session string // the agent's id of the session; "": it has none
	agent   string // the agent's id of the subagent; "": the main one
	// files says that the agent writes session files which ctxledger reads: what is said is recorded from them.
	files bool
	// byCalls says that it names no session, and its calls by itself where their provider does not: a conversation is known
	// by its first call.
	byCalls bool
}

// hosts are the agents that are known by their requests: by a word in the name of their program, with the headers in which
// they name their session.
var hosts = []struct {
	name, word string
	headers    []string
	files      bool
	byCalls    bool
}{
	{"claude-code", "claude-cli", []string{"X-Claude-Code-Session-Id"}, true, false},
	{"codex", "codex", []string{"Session-Id", "Session_id"}, true, false},
	{"gemini", "geminicli", nil, false, true},
	{"opencode", "opencode", []string{"X-Session-Id", "X-Session-Affinity"}, false, false},
	{"qwen", "qwencode", nil, false, false},
	{"cline", "cline", nil, false, false},
}

// unknownHost is the name of all other agents.
const unknownHost = "proxy"

// identify returns whose request it is.
func identify(h http.Header, q *request) identity {
	id := identity{host: unknownHost, session: q.cacheKey}
	program := strings.ToLower(h.Get("User-Agent") + " " + h.Get("Originator"))
	for _, x := range hosts {
		named := ""
		for _, name := range x.headers {
			if named = h.Get(name); named != "" {
				break
			}
		}
		if !strings.Contains(program, x.word) && (named == "" || x.name != "claude-code") {
			continue
		}
		if id.host, id.files, id.byCalls = x.name, x.files, x.byCalls; named != "" {
			id.session = named
		}
		break
	}
	if id.agent = h.Get("X-Claude-Code-Agent-Id"); id.session == "" {
		id.files = false
	}
	id.session, id.agent = chars.Cut(id.session, maxHostID), chars.Cut(id.agent, maxHostID)
	return id
}
