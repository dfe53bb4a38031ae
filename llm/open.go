package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// Open returns a client for the summarizer of a workspace. model, unless it is empty, takes the place of
// the configured one. Errors: not_found when none is configured; those of config.Load and New.
func Open(root string, e env.Env, model string) (*Client, error) {
	c, _, err := config.Load(root)
	if err != nil {
		return nil, err
	}
	if c.Summarizer == nil {
		return nil, fault.New(fault.NotFound, "llm.open", "no model is configured to write summaries").
			WithHint("name one under summarizer in %s, or use mode intent, which needs none", config.File)
	}
	return New(*c.Summarizer, e, c.Models, model)
}

// Config returns what the client was made of.
func (cl *Client) Config() config.Summarizer { return cl.c }

// approvedFile holds, in a workspace's state directory, the digest of the summarizer that a person has
// used there.
const approvedFile = "summarizer"

// approvedSize bounds that file, in bytes: a digest and white space.
const approvedSize = 128

// Approve notes that a person has used this summarizer in a workspace. What stands in a workspace's
// configuration came with its files, perhaps from somebody else; until a person has used it, nobody
// else's request sends a conversation there or runs the program. state is the state directory.
func (cl *Client) Approve(state string) error {
	if cl.Approved(state) {
		return nil
	}
	err := os.WriteFile(filepath.Join(state, approvedFile), []byte(cl.digest()+"\n"), 0o600)
	return fault.Wrap(fault.Unavailable, "llm.approve", err)
}

// Approved reports whether a person has used this summarizer in the workspace with a state directory.
func (cl *Client) Approved(state string) bool {
	raw, err := safefs.ReadFile(filepath.Join(state, approvedFile), approvedSize)
	return err == nil && strings.TrimSpace(string(raw)) == cl.digest()
}

// digest tells one summarizer from another by all that says where a conversation goes, and what is asked.
func (cl *Client) digest() string {
	raw, err := json.Marshal([]any{cl.c.Kind, cl.c.URL, cl.c.KeyEnv, cl.c.KeyCommand, cl.c.Command, cl.c.Template})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
