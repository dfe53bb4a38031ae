package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/transcript"
)

// maxCompleted is how many sessions, artifacts or memories a shell offers: the newest.
const maxCompleted = 50

// completer returns what a word of a command line can be.
type completer func(ctx context.Context, a *action) ([]cobra.Completion, error)

// fixed complete the arguments and the values of options that need no ledger, by the name that the help gives them. Shells
// complete files by themselves.
func fixed() map[string]completer {
	return map[string]completer{
		"AGENT": func(context.Context, *action) ([]cobra.Completion, error) { return agents.Hosts(), nil },
		"MODE": func(context.Context, *action) ([]cobra.Completion, error) {
			return append([]cobra.Completion{modeAuto}, settings.ModeNames(false)...), nil
		},
		"FORMAT": func(context.Context, *action) (names []cobra.Completion, err error) {
			for _, f := range transcript.Formats() {
				names = append(names, string(f))
			}
			return names, nil
		},
		"SCOPE": func(context.Context, *action) ([]cobra.Completion, error) {
			return []cobra.Completion{string(memory.Project), string(memory.User)}, nil
		},
	}
}

// recorded are the completers that ask the ledger.
func recorded() map[string]completer {
	return map[string]completer{
		"SESSION": func(ctx context.Context, a *action) (ids []cobra.Completion, err error) {
			page, err := a.ledger.Sessions(ctx, ledger.SessionsRequest{Limit: maxCompleted})
			for _, s := range page.Sessions {
				ids = append(ids, cobra.CompletionWithDesc(s.ID, a.line(s.Host+" "+titled(s), helpWidth)))
			}
			return ids, err
		},
		"SUMMARY": func(ctx context.Context, a *action) (ids []cobra.Completion, err error) {
			s, err := a.session(ctx, "")
			if err != nil {
				return nil, err
			}
			page, err := a.ledger.Summaries(ctx, ledger.SummariesRequest{Session: s.ID})
			for _, c := range page.Summaries {
				ids = append(ids, cobra.CompletionWithDesc(c.ID, "turns "+turnsOf(c.TurnFrom, c.TurnTo)))
			}
			return ids, err
		},
		"HANDLE": func(ctx context.Context, a *action) (ids []cobra.Completion, err error) {
			page, err := a.ledger.Artifacts(ctx, ledger.ArtifactsRequest{Limit: maxCompleted})
			for _, art := range page.Artifacts {
				ids = append(ids, cobra.CompletionWithDesc(art.ID, a.line(art.Describe(), helpWidth)))
			}
			return ids, err
		},
		"MEMORY": func(ctx context.Context, a *action) (names []cobra.Completion, err error) {
			page, err := a.ledger.Memories(ctx, ledger.MemoriesRequest{Limit: maxCompleted})
			for _, e := range page.Entries {
				names = append(names, cobra.CompletionWithDesc(e.Name, a.line(e.Description, helpWidth)))
			}
			return names, err
		},
	}
}

// completions has a shell complete the arguments and options of a command.
func completions(a *action, cmd *cobra.Command, args string) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, got []string, _ string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		// Here and not above, since each start builds all commands.
		words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(args))
		if len(words) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		i := min(len(got), len(words)-1)
		if len(got) > i && !strings.HasSuffix(words[i], "…") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd.Context(), a, words[i])
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_ = cmd.RegisterFlagCompletionFunc(f.Name, // of a flag that is there, once
			func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
				name, _ := pflag.UnquoteUsage(f)
				return complete(cmd.Context(), a, name)
			})
	})
}

// complete returns what a word can be that the help calls so, as in "SESSION|FILE". Nothing is said about what goes wrong:
// the words are on a line that a person edits.
func complete(ctx context.Context, a *action, word string) (all []cobra.Completion, then cobra.ShellCompDirective) {
	then = cobra.ShellCompDirectiveNoFileComp
	for name := range strings.SplitSeq(strings.TrimSuffix(word, "…"), "|") {
		find := fixed()[name]
		if find == nil {
			if find = recorded()[name]; find == nil {
				then = cobra.ShellCompDirectiveDefault
				continue
			}
			a.messages, a.Err = io.Discard, io.Discard
			if a.ledger == nil && a.open(ctx) != nil {
				continue
			}
		}
		if found, err := find(ctx, a); err == nil {
			all = append(all, found...)
		}
	}
	return all, then
}
