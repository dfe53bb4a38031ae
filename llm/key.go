package llm

import (
	"context"
	"strings"

	"ctxledger.dev/internal/fault"
)

const (
	maxKey  = 8 << 10 // bytes of a key
	keyGone = "[key]" // replaces a key in an error
)

// key returns the key for one request, "" where none is configured. Errors: denied when there is none
// where one should be. No error says what was found.
func (cl *Client) key(ctx context.Context) (string, error) {
	const op = "llm.key"
	var key string
	switch {
	case cl.c.KeyEnv != "":
		key = cl.env.Lookup(cl.c.KeyEnv)
	case len(cl.c.KeyCommand) > 0:
		out, err := cl.run(ctx, "key_command", "", maxKey)
		if err != nil {
			if ctx.Err() != nil {
				return "", fault.Wrap(fault.Unavailable, op, ctx.Err())
			}
			if fault.Is(err, fault.Denied) {
				return "", err
			}
			return "", fault.New(fault.Denied, op, "the program that prints the key failed").
				WithHint("%s", cl.keyHint())
		}
		key, _, _ = strings.Cut(out, "\n")
	default:
		return "", nil
	}
	if key = strings.TrimSpace(key); key == "" {
		return "", fault.New(fault.Denied, op, "no key for %s", Place(cl.c)).WithHint("%s", cl.keyHint())
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
		return "", fault.New(fault.Denied, op, "the key for %s contains characters that are not valid in a key",
			Place(cl.c)).
			WithHint("%s", cl.keyHint())
	}
	return key, nil
}

// keyHint says where the key comes from.
func (cl *Client) keyHint() string {
	switch {
	case cl.c.KeyEnv != "":
		return "put the key in the environment variable " + short(cl.c.KeyEnv, 100)
	case len(cl.c.KeyCommand) > 0:
		return "check what the program under key_command prints"
	}
	return "say where the key is with key_env or key_command under summarizer"
}
