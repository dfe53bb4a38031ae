package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func (a *app) catCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cat HANDLE",
		Short: "Print the whole content of a handle, byte for byte",
		Long: "Prints what a handle in a stub, in a summary or in `ctxledger diff` refers to: an artifact, the\n" +
			"range that a summary replaces, or a message. On a terminal, control characters are shown as\n" +
			"escapes. With --json, content that is not UTF-8 is in base64.",
		Example: "  ctxledger cat a3f9c20b1d7e | less",
		Args:    a.args(1, 1),
		RunE:    a.asks(a.cat),
	}
}

// catAnswer is what the cat command answers.
type catAnswer struct {
	Handle string `json:"handle"`
	Bytes  int    `json:"bytes"`
	stored
}

func (a *app) cat(ctx context.Context, api ledger.API, args []string) error {
	const op = "cli.cat"
	rc, err := api.ReadBlob(ctx, ledger.ReadBlobRequest{Handle: args[0]})
	if err != nil {
		return err
	}
	defer rc.Close() // opened for reading
	if !a.json {
		w := a.raw()
		if _, err = io.Copy(w, rc); err == nil {
			err = w.Close()
		}
		return fault.Wrap(fault.Unavailable, op, err)
	}
	content, err := io.ReadAll(io.LimitReader(rc, maxJSON+1))
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	if len(content) > maxJSON {
		return tooLongForJSON(args[0])
	}
	return a.answerExact(catAnswer{Handle: args[0], Bytes: len(content), stored: storedOf(content)})
}
