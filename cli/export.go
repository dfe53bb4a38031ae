package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/exports"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

func exportCommand() command {
	var session string
	return command{
		name: "ledger export", args: "[DIRECTORY]", short: "Write changes.json and intents.json for other programs",
		long: "Writes what the agents changed and ran, turn by turn (changes.json), and what each of their " +
			"calls was meant to do (intents.json), for all sessions or for one. The files go into DIRECTORY, " +
			"by default exports/all in the state directory. Secrets are masked. For the active session the " +
			"daemon keeps these files up to date in exports/, unless ctxledger.yaml says exports: false. " +
			"Exports are never read back.",
		example: "ctxledger ledger export\nctxledger ledger export report/",
		was:     map[string]string{"export": ""},
		does:    keeps, undo: "it chooses its own file names", json: answers(exports.Written{}),
		flags: func(f *pflag.FlagSet) { sessionFlag(f, &session) },
		ask: shows(func(ctx context.Context, a *action, args []string) (w exports.Written, err error) {
			dir := filepath.Join(a.place.State, exports.Dir, "all")
			if len(args) == 1 {
				dir = a.absolute(args[0])
			}
			info, err := discovered(ctx, a)
			if err != nil {
				return w, err
			}
			if why := info.NotFollowed(""); why != "" {
				a.say("only what is already recorded is exported: %s", a.self.in(why))
			}
			all, err := exportedSessions(ctx, a, session)
			if err != nil {
				return w, err
			}
			return exports.Write(ctx, a.ledger, a.Env, dir, all)
		}, func(_ *action, out io.Writer, w exports.Written) {
			fmt.Fprintf(out, "%s of %s, %s: %s\n", chars.Plural(w.Turns, "turn"),
				chars.Plural(w.Sessions, "session"), chars.Plural(w.Intents, "intent"), chars.Size(w.Bytes))
			fmt.Fprintln(out, columns.OneLine(filepath.Join(w.Dir, exports.ChangesFile)))
			fmt.Fprintln(out, columns.OneLine(filepath.Join(w.Dir, exports.IntentsFile)))
		}),
	}
}

// exportedSessions returns the sessions to export, oldest first: the named one, or all.
func exportedSessions(ctx context.Context, a *action, name string,
) ([]sessions.Session, error) {
	if name != "" {
		s, err := a.session(ctx, name)
		return []sessions.Session{s}, err
	}
	all, err := allSessions(ctx, a.ledger)
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
