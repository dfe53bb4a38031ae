package cli

import (
	"context"
	"fmt"
	"io"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

// duSessions is how many sessions the table shows; JSON has more.
const duSessions = 10

func duCommand() command {
	return command{
		name: "ledger du", short: "Show the ledger's disk usage, and what could be freed",
		long: "Shows the ledger's disk usage by kind and by session. A blob that several sessions share counts " +
			"for each of them. Nothing expires without a policy (`ctxledger ledger retain`). This command " +
			"and `ctxledger status` warn when the ledger exceeds ledger_warn_mb in ctxledger.yaml (in MB; " +
			"default 2048, 0 for no limit).",
		example: "ctxledger ledger du\nctxledger ledger du --json",
		was:     map[string]string{"du": ""},
		does:    keeps, json: answers(duAnswer{}), ask: shows(diskUsage, printUsage),
	}
}

// duAnswer is what the du command answers.
type duAnswer struct {
	ledger.DiskUsage
	Ceiling int64 `json:"ceiling"` // bytes above which the user wants to be warned; 0: none
}

func diskUsage(ctx context.Context, a *action, _ []string) (duAnswer, error) {
	u, err := a.ledger.DiskUsage(ctx, ledger.DiskUsageRequest{})
	if err != nil {
		return duAnswer{}, err
	}
	return duAnswer{u, a.settings(a.place).Ceiling()}, nil
}

func printUsage(a *action, w io.Writer, u duAnswer) {
	t := a.newTable("PART", ">ON DISK", "HOLDS")
	holds := chars.Plural(u.SessionTotal, "session") + ", " + chars.Plural(u.Memories.Count, "memory")
	if u.Requests.Count > 0 {
		holds += ", " + chars.Plural(u.Requests.Count, "measured request") + " (" + chars.Size(u.Requests.Bytes) + ")"
	}
	t.Add("records", chars.Size(u.Records), holds)
	t.Add("blobs", chars.Size(u.Blobs.Disk), fmt.Sprintf("%s with %s of content, including %s (%s)",
		chars.Plural(u.Blobs.Count, "blob"), chars.Size(u.Blobs.Content),
		chars.Plural(u.Artifacts.Count, "artifact"), chars.Size(u.Artifacts.Bytes)))
	for _, row := range []struct {
		name, holds string
		bytes       int64
	}{
		{"exports", "files written for other programs", u.Exports},
		{"log", "daemon messages", u.Logs},
		{"reserve", "space reserved for deletions when the disk is full", u.Reserve},
		{"copies", "records as they were before an upgrade", u.Kept},
	} {
		if row.bytes > 0 {
			t.Add(row.name, chars.Size(row.bytes), row.holds)
		}
	}
	t.Add("total", chars.Size(u.Total), u.State)
	t.Print(w)
	if len(u.Sessions) > 0 {
		fmt.Fprintln(w)
		printSessionUsage(a, w, u.DiskUsage)
	}
	fmt.Fprintf(w, "\nunreferenced blobs: %s; %s would free %s and the space of deleted records\n",
		chars.Commas(u.Unnamed.Count), a.self.in("`ctxledger ledger gc`"), chars.Size(u.Unnamed.Disk))
	a.page(w).Ceiling(u.Records+u.Blobs.Disk, u.Ceiling, // as status has it
		"`ctxledger ledger gc` deletes unreferenced data, `ctxledger forget HANDLE` an artifact")
}

func printSessionUsage(a *action, w io.Writer, u ledger.DiskUsage) {
	t := a.newTable("SESSION", ">RECORDS", ">LOG", ">BLOBS", ">ON DISK", "UPDATED", "TITLE")
	shown := u.Sessions[:min(len(u.Sessions), duSessions)]
	for _, s := range shown {
		t.Add(s.ID, chars.Commas(s.Entries), chars.Size(s.Log), chars.Commas(s.Blobs.Count), chars.Size(s.Blobs.Disk),
			a.stamp(s.Updated), a.line(s.Title, 40))
	}
	t.Print(w)
	if rest := u.SessionTotal - len(shown); rest > 0 {
		fmt.Fprintf(w, "and %s\n", chars.Plural(rest, "smaller session"))
	}
}
