package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/exports"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

func (a *app) exportCommand() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "export [DIR] [--session S]",
		Short: "Write changes.json and intents.json for other programs to read",
		Long: "Writes what the agents changed and ran, turn by turn (changes.json), and what each of their calls\n" +
			"was meant to do (intents.json), of all sessions or of one. The files go into DIR, by default\n" +
			"exports/all in the state directory. Secrets are masked. The daemon keeps the files of the active\n" +
			"session up to date in exports/, unless ctxledger.yaml says exports: false. Exports are never read\n" +
			"back.",
		Example: "  ctxledger export\n  ctxledger export --session ab03de2c report/",
		Args:    a.args(0, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (w exports.Written, err error) {
			dir := filepath.Join(a.place.State, exports.Dir, "all")
			if len(args) == 1 {
				dir = a.absolute(args[0])
			}
			info, err := a.discovered(ctx, api)
			if err != nil {
				return w, err
			}
			if why := info.NotFollowed(""); why != "" {
				a.say("only what is recorded already is exported: %s", a.self.In(why))
			}
			all, err := a.exported(ctx, api, session)
			if err != nil {
				return w, err
			}
			return exports.Write(ctx, api, a.Env, dir, all)
		}, func(out io.Writer, w exports.Written) {
			fmt.Fprintf(out, "%s of %s, %s: %s\n", chars.Plural(w.Turns, "turn"),
				chars.Plural(w.Sessions, "session"), chars.Plural(w.Intents, "intent"), chars.Size(w.Bytes))
			fmt.Fprintln(out, columns.OneLine(filepath.Join(w.Dir, exports.ChangesFile)))
			fmt.Fprintln(out, columns.OneLine(filepath.Join(w.Dir, exports.IntentsFile)))
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "only session `S`")
	return cmd
}

// exported returns the sessions to export, oldest first: the named one, or all.
func (a *app) exported(ctx context.Context, api ledger.SessionReader, name string) ([]sessions.Session, error) {
	if name != "" {
		s, err := a.session(ctx, name)
		return []sessions.Session{s}, err
	}
	all, err := allSessions(ctx, api)
	slices.SortFunc(all, func(x, y sessions.Session) int {
		return cmp.Or(x.Created.Compare(y.Created), strings.Compare(x.ID, y.ID))
	})
	return all, err
}

// allSessions asks for all pages of the list of sessions.
func allSessions(ctx context.Context, api ledger.SessionReader) (all []sessions.Session, err error) {
	const page = 1000
	for {
		resp, err := api.Sessions(ctx, ledger.SessionsRequest{Limit: page, Skip: len(all)})
		if err != nil || len(resp.Sessions) == 0 {
			return all, err
		}
		all = append(all, resp.Sessions...)
	}
}
