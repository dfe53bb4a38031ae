package cli

import (
	"context"
	"io"
	"slices"
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

// fixed returns what an argument or the value of an option can be that needs no ledger, by the name that the help gives it.
// Shells complete files by themselves.
func fixed(name string) (words []cobra.Completion) {
	switch name {
	case "AGENT":
		return agents.Hosts()
	case "MODE":
		return append([]cobra.Completion{modeAuto}, settings.ModeNames(false)...)
	case "FORMAT":
		for _, f := range transcript.Formats() {
			words = append(words, string(f))
		}
	case "SCOPE":
		return []cobra.Completion{string(memory.Project), string(memory.User)}
	}
	return words
}

// recorded are the names of those that the ledger knows.
var recorded = []string{"SESSION", "SUMMARY", "HANDLE", "MEMORY"}

// fromLedger returns what one of these can be. What cannot be asked is none.
func fromLedger(ctx context.Context, a *action, name string) (words []cobra.Completion) {
	add := func(word, says string) {
		words = append(words, cobra.CompletionWithDesc(word, a.line(says, helpWidth)))
	}
	switch name {
	case "SESSION":
		page, _ := a.ledger.Sessions(ctx, ledger.SessionsRequest{Limit: maxCompleted})
		for _, s := range page.Sessions {
			add(s.ID, s.Host+" "+s.Titled())
		}
	case "SUMMARY":
		s, _ := a.session(ctx, "")
		page, _ := a.ledger.Summaries(ctx, ledger.SummariesRequest{Session: s.ID})
		for _, c := range page.Summaries {
			add(c.ID, "turns "+turnsOf(c.TurnFrom, c.TurnTo))
		}
	case "HANDLE":
		page, _ := a.ledger.Artifacts(ctx, ledger.ArtifactsRequest{Limit: maxCompleted})
		for _, art := range page.Artifacts {
			add(art.ID, art.Describe())
		}
	case "MEMORY":
		page, _ := a.ledger.Memories(ctx, ledger.MemoriesRequest{Limit: maxCompleted})
		for _, e := range page.Entries {
			add(e.Name, e.Description)
		}
	}
	return words
}

// completions has a shell complete the arguments and options of a command.
func completions(a *action, cmd *cobra.Command, args string) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, got []string, _ string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		// Here and not above, since each start builds all commands.
		words := strings.Fields(strings.NewReplacer("-- ", "", "[", "", "]", "").Replace(args))
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
		words := fixed(name)
		switch {
		case words != nil:
		case !slices.Contains(recorded, name):
			then = cobra.ShellCompDirectiveDefault
		default:
			a.messages, a.Err = io.Discard, io.Discard
			if a.ledger != nil || a.open(ctx) == nil {
				words = fromLedger(ctx, a, name)
			}
		}
		all = append(all, words...)
	}
	return all, then
}
