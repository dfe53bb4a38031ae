package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/ledger"
)

func (a *app) artifactRead() *cobra.Command {
	var r ledger.ReadArtifactRequest
	cmd := &cobra.Command{
		Use:   "read HANDLE",
		Short: "Read a part of an artifact, of a summary's range or of a message",
		Long: "Reads one page, from the start or from what a flag selects. Standard error says what was read and\n" +
			"how to read the next page. `ctxledger cat HANDLE` prints everything at once.",
		Example: "  ctxledger artifact read a3f9c20b1d7e --lines 100-140\n" +
			"  ctxledger artifact read a3f9c20b1d7e --tail 20\n" +
			"  ctxledger artifact read a3f9c20b1d7e --json-path '$.items[0].name'",
		Args: a.args(1, 1),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			r.ID = args[0]
			return a.readPage(ctx, api, r)
		}),
	}
	s, f := &r.Selection, cmd.Flags()
	f.StringVar(&s.Lines, "lines", "", "`LINES`, as in 10-40 or 10-")
	f.StringVar(&s.Bytes, "bytes", "", "`BYTES`, as in 0-4095")
	f.IntVar(&s.Head, "head", 0, "the first `N` lines")
	f.IntVar(&s.Tail, "tail", 0, "the last `N` lines")
	f.StringVar(&s.JSONPath, "json-path", "", "values of a JSON document at `PATH`, such as $.items[0].name")
	f.StringVar(&s.Search, "search", "", "the passages that match `WORDS` best")
	pageFlags(cmd, &r)
	return cmd
}

// pageFlags are the flags of every command that prints a page.
func pageFlags(cmd *cobra.Command, r *ledger.ReadArtifactRequest) {
	cmd.Flags().BoolVar(&r.Raw, "raw", false, "the original of a message, not the text that a model sees of it")
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "at most `N` characters (default 8000, at most 40000)")
	cmd.Flags().Int64Var(&r.After, "after", 0, "continue a search after `N`, as the previous page says")
}

// likeHandle matches what may be a handle.
var likeHandle = pattern.Lazy(`^[0-9a-f]{8,}$`)

func (a *app) artifactGrep() *cobra.Command {
	var r ledger.ReadArtifactRequest
	cmd := &cobra.Command{
		Use:     "grep PATTERN HANDLE",
		Short:   "Lines of an artifact that match a regular expression, with their numbers",
		Example: "  ctxledger artifact grep -C 2 'FAIL|panic' a3f9c20b1d7e",
		Args:    a.args(2, 2),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			r.Grep, r.ID = args[0], args[1]
			err := a.readPage(ctx, api, r)
			handle := likeHandle()
			if fault.Is(err, fault.NotFound) && handle.MatchString(args[0]) && !handle.MatchString(args[1]) {
				err = fault.New(fault.NotFound, "cli.grep", "%s", err).WithHint(
					"the pattern comes first: `ctxledger artifact grep %s %s`", shell.Quote(args[1]), args[0])
			}
			return err
		}),
	}
	cmd.Flags().IntVarP(&r.Context, "context", "C", 0, "with `N` lines around each match")
	pageFlags(cmd, &r)
	return cmd
}

// readPage prints one page of what a handle names.
func (a *app) readPage(ctx context.Context, api ledger.ArtifactStore, r ledger.ReadArtifactRequest) error {
	page, err := api.ReadArtifact(ctx, r)
	if wrong, ok := errors.AsType[*fault.Error](err); ok {
		return fault.New(wrong.Code, wrong.Op, "%s", inFlags(wrong.Error())).WithHint("%s", inFlags(wrong.Hint))
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.answerExact(page)
	}
	a.say("%s of %s, %s", page.Range, chars.Plural(page.TotalLines, "line"), chars.Size(page.TotalBytes))
	if page.Next != nil {
		r.Selection = *page.Next
		a.hint("next page: `%s`", readCommand(r))
	}
	text := page.Text
	if text != "" && !strings.HasSuffix(text, "\n") && page.Next == nil {
		text += "\n"
	}
	return a.write([]byte(text))
}

// readCommand writes a request as the command that makes it.
func readCommand(r ledger.ReadArtifactRequest) string {
	s, cmd := r.Selection, "ctxledger artifact read "+r.ID
	if s.Grep != "" {
		cmd = "ctxledger artifact grep " + shell.Quote(s.Grep) + " " + r.ID
	}
	if r.Raw {
		cmd += " --raw"
	}
	for _, f := range []struct {
		flag  string
		value any
	}{
		{"lines", s.Lines}, {"bytes", s.Bytes}, {"json-path", s.JSONPath}, {"search", s.Search},
		{"head", s.Head}, {"tail", s.Tail}, {"context", s.Context}, {"limit", s.Limit}, {"after", s.After},
	} {
		if value := fmt.Sprint(f.value); value != "" && value != "0" {
			cmd += " --" + f.flag + " " + shell.Quote(value)
		}
	}
	return cmd
}

func (a *app) artifactSearch() *cobra.Command {
	r := ledger.SearchArtifactsRequest{}
	cmd := &cobra.Command{
		Use:     "search WORDS",
		Short:   "Search all artifacts for the passages that match best",
		Example: "  ctxledger artifact search 'connection refused'",
		Args:    a.args(1, 1),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			if err := atLeast(1, r.Limit, "--limit"); err != nil {
				return err
			}
			r.Query = args[0]
			resp, err := api.SearchArtifacts(ctx, r)
			if err != nil {
				return err
			}
			if a.json {
				return a.answerExact(resp)
			}
			printPassages(a.Out, resp.Passages)
			return nil
		}),
	}
	cmd.Flags().IntVar(&r.Limit, "limit", 5, "at most `N` passages")
	return cmd
}

func printPassages(w io.Writer, passages []artifacts.Passage) {
	if len(passages) == 0 {
		fmt.Fprintln(w, "no passage matches")
	}
	for i, p := range passages {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s, lines %s\n%s\n", p.ID, p.Lines, strings.TrimSuffix(chars.Plain(p.Text), "\n"))
	}
}
