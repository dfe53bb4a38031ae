package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// everything is what read_artifact takes as id with search for all that is recorded in the workspace. The tool list does not
// name it, because each request carries that: answers in which a search found nothing do.
const everything = "workspace"

// searchHint says where else words can be found.
const searchHint = `id "` + everything + `" with search finds in all that is recorded here`

// readOrSearch returns a page of what an id names. For the id "workspace" it searches all that is recorded here.
func (c *call) readOrSearch(ctx context.Context, r ledger.ReadArtifactRequest) (reply, error) {
	a, err := c.readPage(ctx, r)
	unknown, ok := errors.AsType[*fault.Error](err)
	switch {
	case r.Search == "" || ok && unknown.Code != fault.NotFound:
		return a, err
	case ok && r.ID == everything:
		return c.search(ctx, r.Search)
	case ok:
		return a, unknown.WithHint("%s", searchHint)
	}
	return a, err
}

// search returns what has the words, best first, each with the id that reads it. Secrets in the lines are masked.
func (c *call) search(ctx context.Context, words string) (reply, error) {
	resp, err := c.api.Search(ctx, ledger.SearchRequest{Query: words})
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	for _, f := range resp.Found {
		fmt.Fprintf(&b, "%s\n  %s\n", foundWhere(f), clean(f.Text))
	}
	n := len(resp.Found)
	out := pageResult{Text: b.String(), Range: fmt.Sprintf("%d of %s", n, chars.Plural(resp.Total, "text")),
		TotalLines: int64(2 * n), TotalBytes: int64(b.Len())}
	return reply{out, out.String()}, nil
}

// foundWhere says what was found, and where.
func foundWhere(f ledger.Found) string {
	where := f.Kind + " " + clean(f.ID)
	if f.Title != "" {
		where += " (" + clean(f.Title) + ")"
	}
	if f.Lines != "" {
		where += ", lines " + f.Lines
	}
	if f.Session != "" {
		where += fmt.Sprintf(", session %s, turn %d", f.Session, f.Turn)
	}
	return where
}
