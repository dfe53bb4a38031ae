package cli

import (
	"bytes"
	"context"
	"errors"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// conversationHost is the host of sessions whose messages came from a file.
const conversationHost = "file"

// recordConversation records the messages of a file that is one JSON array of them, or a request that holds
// one, and returns their session; "" for a file that is something else, such as an agent's session file.
func recordConversation(ctx context.Context, a *action, file, format string) (string, error) {
	array, err := readConversation(a.absolute(file))
	if err != nil {
		return "", err
	}
	if _, err := transcript.Split("", array); err != nil {
		if format != "" || bytes.HasPrefix(array, []byte("[")) {
			return "", inFile(file, err)
		}
		return "", nil
	}
	done, _, err := ledger.HandIn(ctx, a.ledger,
		ledger.AppendMessagesRequest{Host: conversationHost, Format: transcript.Format(format)}, array)
	return done.Session, inFile(file, err)
}

// inFile names the file in which something is wrong with the messages.
func inFile(file string, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.Invalid {
		return err
	}
	named := *e
	named.Message = file + ": " + e.Message
	return &named
}

// readConversation reads a file that may be a conversation; nothing of one that is too long for that.
func readConversation(path string) ([]byte, error) {
	f, _, err := safefs.OpenFile(path)
	if err != nil {
		return nil, fault.Wrap(fault.NotFound, "cli.compact", err)
	}
	defer f.Close() // opened for reading
	array, err := io.ReadAll(io.LimitReader(f, limits.MCPMessage+1))
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "cli.compact", err)
	}
	array = bytes.TrimSpace(array)
	if len(array) > limits.MCPMessage {
		return nil, nil
	}
	return array, nil
}
