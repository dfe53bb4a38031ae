package cli

import (
	"fmt"
	"io"

	"ctxledger.dev/agents/audit"
)

func (a *app) printAudit(w io.Writer, r audit.Audit) {
	fmt.Fprintf(w, "%d sessions %d requests $%.2f\n", r.Sessions, r.Total.Requests, r.Total.Dollars)
}
