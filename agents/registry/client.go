package registry

import (
	"strings"
	"unicode/utf16"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/mcp/overhead"
)

// Client is the MCP client of an agent. Zero is what is not known.
type Client struct {
	Name string // the beginning of the name that it gives itself
	// Tokens are those of our tools, as it lists them, and of our instructions in each request to its model, and Resources
	// is what it would add for a server that offers resources: tools of its own that list and read them. Where that is not
	// 0, resources are not offered: the tools tell the same. lab/agentmatrix compares real requests with both.
	Tokens, Resources int
	// Most is how long a result may be, as Size counts it, and Lines how many lines it may have, so that the client passes it
	// on to its model whole: a little below its limit, since what it adds to a result counts as well. What is longer it
	// cuts in the middle, or writes to a file and shows the beginning. For sources see docs/maintainers/answers.md.
	Most  int
	Size  func(text string) int
	Lines int
	// Call is the member of a call's _meta with its id, as the agent's session file has it, and Chat are those of which the
	// first that is there has the agent's id of the session.
	Call string
	Chat []string
	// Tells are the facts of the environment (package given) that the agent tells its model by itself, as seen in its requests.
	Tells []string
	// Hooked reports whether our hooks give an agent in a tree its environment and memories, which our server's instructions
	// otherwise do. nil: no hooks.
	Hooked func(e env.Env, tree string) bool
}

// ClientOf returns the client that gives itself a name, or that of the agent of a name.
func ClientOf(name string) Client {
	for _, a := range All() {
		if a.Client.named(name, a) {
			return a.Client
		}
	}
	return Client{}
}

// named reports whether a name is that of the client, or of its agent.
func (c Client) named(name string, of Agent) bool {
	return c.Name != "" && (strings.HasPrefix(name, c.Name) || name == string(of.Name))
}

// OwnCost is what each request carries of our tools and instructions, in o200k_base tokens, and what is loaded Later, when the
// model looks for them, where each has their names alone. As is the agent in whose form that is; "": it is our own list, as our
// server sends it.
type OwnCost struct {
	Tokens int    `json:"server_cost"`
	Later  int    `json:"server_cost_later,omitempty"`
	As     string `json:"server_cost_as,omitempty"`
	Told   int    `json:"-"` // of Tokens, what one client was told when it connected
}

// OwnCostOf returns what requests of a host, or of a client of MCP, carry of ours: as what was found says that it is loaded, or
// else as its agent would list it.
func OwnCostOf(found carried.Report, name string) OwnCost {
	c := OwnCost{Tokens: overhead.Tokens}
	for _, a := range All() {
		if a.Client.named(name, a) && a.Client.Tokens > 0 {
			c.Tokens, c.As = a.Client.Tokens, string(a.Name)
		}
	}
	if own := found.OwnServer(name); own != nil {
		c.Tokens, c.Later = own.Carried.N, own.Later.N
	}
	return c
}

// InstalledCost returns what requests of a host carry of our tools, 0 where no configuration connects it.
func InstalledCost(found carried.Report, host string) int {
	if own := found.OwnServer(host); own != nil {
		return own.Carried.N
	}
	return 0
}

// String says it in words.
func (c OwnCost) String() string {
	form := "as " + c.As + " lists them"
	if c.As == "" {
		form = "as ctxledger sends them; each agent presents them in its own format"
	}
	if c.Later > 0 {
		form = "by name, " + chars.Commas(c.Later) + " once the model looks for them, " + form
	}
	if c.Told > 0 {
		form = chars.Commas(c.Told) + " of them what it told this client at the start, " + form
	}
	return chars.Plural(c.Tokens, "token") + " (o200k_base), " + form
}

func inBytes(text string) int { return len(text) }

// codeUnits counts as JavaScript does: in UTF-16.
func codeUnits(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// quoted counts a text within JSON in UTF-16, as JSON.stringify writes it.
func quoted(text string) int {
	n := codeUnits(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"', c == '\\', c >= '\b' && c <= '\r' && c != '\v':
			n++
		case c < ' ':
			n += len(`u001b`)
		}
	}
	return n
}
