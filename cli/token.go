package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/ages"
)

func tokenCommand() command {
	return command{
		name: "token", short: "Tokens for programs that use hosted workspaces: add, ls, revoke", does: keeps,
		long: "Programs reach the workspaces of `ctxmcp --http` with a token, which belongs to one workspace and may " +
			"expire. Tokens are kept with the ledgers of the user who runs the server, only as hashes.",
		example: "ctxledger token ls",
	}
}

// madeToken is what making a token answers. Secret is shown only here.
type madeToken struct {
	access.Token
	Secret string `json:"secret"`
}

func addTokenCommand() command {
	var t access.Token
	var role, expires string
	return command{
		name: "token add", args: "[WORKSPACE]", short: "Create a token, and print it once",
		long: "Creates a token for the hosted workspace WORKSPACE, which is created on first use. Roles: read " +
			"can query; write can also record, compact and save; admin can also forget; metrics reads the server's figures, and " +
			"belongs to no workspace. A request that exceeds --rate or --storage is refused.",
		example: "ctxledger token add shop --role write --expires 90d\nctxledger token add --role metrics",
		does:    undoable, undo: "`token revoke` revokes it", everywhere: true, json: answers(madeToken{}),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&role, "role", "write", "`ROLE` is read, write, admin or metrics")
			f.StringVar(&expires, "expires", "", "after this `DURATION`: 90d, 12w, 36h (default: never)")
			f.IntVar(&t.Rate, "rate", access.DefaultRate, "at most `N` requests a second")
			f.IntVar(&t.StorageMB, "storage", access.DefaultStorage, "at most `MB` in the workspace")
		},
		check: func(_ *action, args []string) error {
			if len(args) == 0 && role != string(access.Metrics) {
				return misuse("name the workspace: `ctxledger token add WORKSPACE`; only a token with --role metrics has none")
			}
			return nil
		},
		run: func(_ context.Context, a *action, args []string) error {
			t.Role = access.Role(role)
			if len(args) > 0 {
				t.Workspace = args[0]
			}
			if t.Rate == 0 || t.StorageMB == 0 { // to the store these mean the default
				return misuse("--rate and --storage must be at least 1")
			}
			if expires != "" {
				age, ok := ages.Parse(expires)
				if !ok {
					return misuse("--expires takes a duration such as 90d, 12w or 36h, not %.40q", expires)
				}
				t.Expires = a.Env.Now().Add(age)
			}
			store, err := access.Open(a.Env)
			if err != nil {
				return err
			}
			made, secret, err := store.Add(t)
			if err != nil {
				return err
			}
			a.say("token %s, in %s; the next line is shown only once:", made.ID, store.Dir())
			if a.json {
				return a.answerExact(madeToken{made, secret})
			}
			return a.write([]byte(secret + "\n")) // unmasked: this is the only time the token is shown
		},
	}
}

func listTokensCommand() command {
	return command{
		name: "token ls", short: "List the tokens, with what each one allows", example: "ctxledger token ls --json",
		near: []string{"list"}, does: keeps, everywhere: true, json: answers([]access.Token{}),
		run: shows(func(_ context.Context, a *action, _ []string) ([]access.Token, error) {
			store, err := access.Open(a.Env)
			if err != nil {
				return nil, err
			}
			return store.List()
		}, printTokens),
	}
}

func printTokens(a *action, w io.Writer, list []access.Token) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no tokens: `ctxledger token add WORKSPACE` makes one")
		return
	}
	t := a.newTable("TOKEN", "WORKSPACE", "ROLE", ">RATE", ">STORAGE", "MADE", "EXPIRES")
	for _, x := range list {
		expires := "never"
		if !x.Expires.IsZero() {
			expires = a.stamp(x.Expires)
		}
		if !x.Expires.IsZero() && !a.Env.Now().Before(x.Expires) {
			expires += ", has expired"
		}
		t.Add(x.ID, x.Workspace, string(x.Role), fmt.Sprintf("%d/s", x.Rate), fmt.Sprintf("%d MB", x.StorageMB),
			a.stamp(x.Made), expires)
	}
	t.Print(w)
}

func revokeTokenCommand() command {
	return command{
		name: "token revoke", args: "TOKEN", short: "Revoke a token by its id: its next request is refused",
		example: "ctxledger token revoke 1a2b3c4d", near: []string{"delete", "remove", "rm"},
		does: undoable, undo: "a new token does the same", everywhere: true, json: answers(revokedToken{}),
		run: shows(func(_ context.Context, a *action, args []string) (revokedToken, error) {
			store, err := access.Open(a.Env)
			if err == nil {
				err = store.Revoke(args[0])
			}
			return revokedToken{args[0]}, err
		}, func(_ *action, w io.Writer, t revokedToken) { fmt.Fprintf(w, "revoked %s\n", t.Revoked) }),
	}
}

// revokedToken says which token was revoked.
type revokedToken struct {
	Revoked string `json:"revoked"`
}
