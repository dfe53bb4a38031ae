package cli

import (
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

func (a *app) catCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cat HANDLE",
		Short: "Print what a handle stands for, whole and byte for byte",
		Long: "Prints an artifact, the range that a summary stands for, or a message: whatever a handle in a stub,\n" +
			"in a summary or in `ctxledger diff` names.",
		Example: "  ctxledger cat a3f9c20b1d7e | less",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			rc, err := api.ReadBlob(cmd.Context(), engine.ReadBlobRequest{Handle: args[0]})
			if err != nil {
				return err
			}
			defer rc.Close() //nolint:errcheck // opened for reading
			if a.json {
				text, err := io.ReadAll(rc)
				if err != nil {
					return err
				}
				return a.answer(map[string]string{"handle": args[0], "text": string(text)}, nil)
			}
			_, err = io.Copy(a.raw(), rc)
			return fault.Wrap(fault.Unavailable, "cli.cat", err)
		},
	}
}
