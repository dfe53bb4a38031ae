package carried

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

// A ServerConfig is how a configuration says that an MCP server is started or reached. Texts are as they are written:
// references to variables are not replaced. They may be secrets, so that nothing of them is shown from here.
type ServerConfig struct {
	Command []string          `json:"command,omitempty"` // with its arguments; empty: it is reached at URL
	Env     map[string]string `json:"env,omitempty"`
	Dir     string            `json:"dir,omitempty"` // to run it in; "": the workspace
	URL     string            `json:"url,omitempty"`
	SSE     bool              `json:"sse,omitempty"` // the older transport over HTTP
	Headers map[string]string `json:"headers,omitempty"`
	// Loaded says that the agent loads the definitions of its tools with every request, where it would not otherwise.
	Loaded bool `json:"loaded,omitempty"`
	// Problem is why this cannot be used, in words; "" if it can.
	Problem string `json:"problem,omitempty"`
}

// Digest names the configuration: another one has another digest.
func (c *ServerConfig) Digest() string {
	if c == nil {
		return ""
	}
	raw, err := json.Marshal(c) // maps are sorted by their keys
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Bounds of a server's configuration.
const (
	maxTexts     = 64    // arguments, variables or headers
	maxTextBytes = 8_000 // of each of them
)

// serverConfig returns what an entry says of its server.
func serverConfig(o object) *ServerConfig {
	if o.text == nil || o.text[o.at.From] != '{' {
		return &ServerConfig{Problem: "its entry is not an object"}
	}
	kind := cmp.Or(o.string("type"), o.string("transport"))
	c := &ServerConfig{
		Dir: o.string("cwd"), SSE: kind == "sse", Loaded: o.isTrue("alwaysLoad"),
		URL: cmp.Or(o.string("url"), o.string("httpUrl"), o.string("serverUrl")),
		Env: o.member("env").strings(), Headers: o.member("headers").strings(),
	}
	if c.Env == nil {
		c.Env = o.member("environment").strings()
	}
	if line := o.string("command"); line != "" {
		c.Command = append([]string{line}, o.texts("args")...)
	} else {
		c.Command = o.texts("command")
	}
	c.Problem = c.problem()
	return c
}

// replace replaces a reference by what it stands for.
func (c *ServerConfig) replace(reference, by string) {
	of := func(s string) string { return strings.ReplaceAll(s, reference, by) }
	c.Dir, c.URL = of(c.Dir), of(c.URL)
	for i := range c.Command {
		c.Command[i] = of(c.Command[i])
	}
	for name := range c.Env {
		c.Env[name] = of(c.Env[name])
	}
}

// same reports whether two configurations start or reach the same.
func (c *ServerConfig) same(other *ServerConfig) bool {
	return c != nil && other != nil && c.Problem+other.Problem == "" && c.URL == other.URL &&
		slices.Equal(c.Command, other.Command)
}

// problem says why a configuration cannot be used.
func (c *ServerConfig) problem() string {
	switch {
	case len(c.Command) == 0 && c.URL == "":
		return "its entry names neither a command nor a url"
	case len(c.Command) > 0 && c.URL != "":
		return "its entry names a command and a url"
	case max(len(c.Command), len(c.Env), len(c.Headers)) > maxTexts:
		return "its entry has too many arguments, variables or headers"
	}
	long := len(c.URL) > maxTextBytes || len(c.Dir) > maxTextBytes ||
		slices.ContainsFunc(c.Command, func(s string) bool { return len(s) > maxTextBytes })
	for _, texts := range []map[string]string{c.Env, c.Headers} {
		for name, value := range texts {
			long = long || len(name)+len(value) > maxTextBytes
		}
	}
	if long {
		return "its entry has an overlong string"
	}
	return ""
}

// string returns the text that a member is, "" for anything else.
func (o object) string(name string) string {
	if v := o.member(name); v.text != nil && v.text[v.at.From] == '"' {
		return jsonspan.Unquote(v.at.In(v.text))
	}
	return ""
}

// strings returns the members of an object that are texts.
func (o object) strings() (out map[string]string) {
	for _, m := range o.members() {
		if raw := m.value.at.In(m.value.text); raw[0] == '"' {
			if out == nil {
				out = map[string]string{}
			}
			out[m.name] = jsonspan.Unquote(raw)
		}
	}
	return out
}
