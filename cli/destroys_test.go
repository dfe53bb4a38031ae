package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/setup"
	"ctxledger.dev/internal/env"
)

// What a command can do to what a person has stored.
const (
	asks     = "asks"     // destroys it: lists it, asks, and has --yes and --dry-run
	undoable = "undoable" // another command brings it back
	keeps    = "keeps"    // destroys nothing that a person has stored
)

// destroys classifies every command, with the reason where that needs one.
var destroys = map[string]struct{ does, why string }{
	"forget":    {asks, ""},
	"retain":    {asks, "with --now; a policy alone is listed with what is due, and --off takes it back"},
	"adopt":     {undoable, "it asks all the same; the ledger that is put aside can be adopted again"},
	"install":   {asks, "it edits files of other programs"},
	"uninstall": {asks, "it edits files of other programs"},

	"compact":           {undoable, "`restore --apply`"},
	"continue":          {undoable, "it writes another session, and the first stays"},
	"recover":           {undoable, "it compacts"},
	"restore":           {undoable, "compacting again"},
	"memory add":        {undoable, "`memory restore` brings the version before"},
	"memory accept":     {undoable, "`memory rm`"},
	"memory rm":         {undoable, "`memory restore`"},
	"memory restore":    {undoable, "saving it again"},
	"memory import":     {undoable, "`memory restore` brings the version before"},
	"memory dismiss":    {undoable, "its session has the words"},
	"config window":     {undoable, "a setting, not content"},
	"trust":             {undoable, "a consent that is revoked can be given again"},
	"memory export":     {keeps, "an index of that place is replaced with --overwrite only"},
	"audit":             {keeps, "it writes the file that --html names"},
	"backup":            {keeps, "its file must not exist"},
	"export":            {keeps, "it writes files of its own names"},
	"gc":                {keeps, "only what nothing refers to, and that the ledger shows nowhere"},
	"repair":            {keeps, "the damaged ledger is renamed"},
	"import":            {keeps, "a record with other bytes is kept beside the first"},
	"daemon stop":       {keeps, "the ledger stays"},
	"hook":              {keeps, "it records"},
	"artifact put":      {keeps, "it adds"},
	"":                  {keeps, ""},
	"artifact":          {keeps, ""},
	"artifact grep":     {keeps, ""},
	"artifact ls":       {keeps, ""},
	"artifact read":     {keeps, ""},
	"artifact search":   {keeps, ""},
	"bench":             {keeps, ""},
	"bench replay":      {keeps, ""},
	"bench retention":   {keeps, ""},
	"cat":               {keeps, ""},
	"changes":           {keeps, ""},
	"workspaces":        {keeps, ""},
	"check":             {keeps, ""},
	"config":            {keeps, ""},
	"config preset":     {keeps, ""},
	"context":           {keeps, ""},
	"count":             {keeps, ""},
	"daemon":            {keeps, ""},
	"daemon status":     {keeps, ""},
	"diff":              {keeps, ""},
	"doctor":            {keeps, ""},
	"du":                {keeps, ""},
	"events":            {keeps, ""},
	"memory":            {keeps, ""},
	"memory block":      {keeps, ""},
	"memory candidates": {keeps, ""},
	"memory ls":         {keeps, ""},
	"memory show":       {keeps, ""},
	"models":            {keeps, ""},
	"sessions":          {keeps, ""},
	"status":            {keeps, ""},
	"validate":          {keeps, ""},
	"why":               {keeps, ""},
}

// commands returns every command below one, hidden ones included.
func commands(c *cobra.Command) map[string]*cobra.Command {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	all := map[string]*cobra.Command{path: c}
	for _, below := range c.Commands() {
		for path, c := range commands(below) {
			all[path] = c
		}
	}
	return all
}

// TestEveryCommandSaysWhetherItDestroys: a new command needs a line in the table, and one that destroys the two flags.
func TestEveryCommandSaysWhetherItDestroys(t *testing.T) {
	all := commands((&app{}).root())
	for path, c := range all {
		is, ok := destroys[path]
		if !ok {
			t.Errorf("%q is not in the table: say whether it destroys what a person has stored", path)
			continue
		}
		for _, flag := range []string{"yes", "dry-run"} {
			if is.does == asks && c.Flags().Lookup(flag) == nil {
				t.Errorf("%q destroys and has no --%s", path, flag)
			}
		}
		if is.does == undoable && is.why == "" {
			t.Errorf("nothing is said of how %q is undone", path)
		}
		if is.does != asks && (strings.Contains(c.Name(), "forget") || strings.Contains(c.Name(), "purge")) {
			t.Errorf("%q is another way to forget: there is one", path)
		}
	}
	for path := range destroys {
		if all[path] == nil {
			t.Errorf("there is no command %q", path)
		}
	}
}

// TestAMovedCommandNamesTheNewOne: whatever flags and arguments it is typed with.
func TestAMovedCommandNamesTheNewOne(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"artifact forget abc", "ctxledger forget HANDLE"},
		{"--workspace /w artifact --in-process forget --dry-run abc", "ctxledger forget HANDLE"},
		{"memory forget", "ctxledger forget --memory NAME"},
		{"memory --scope user forget x", "ctxledger forget --memory NAME"},
		{"help memory forget", "ctxledger forget --memory NAME"},
	} {
		var out, errs bytes.Buffer
		status := Main(t.Context(), Config{Args: strings.Fields(c.typed), Env: env.System(), In: strings.NewReader(""),
			Out: &out, Err: &errs})
		hint := setup.SelfOf(env.System()).In("  hint: it is `" + c.want + "` now\n")
		if status != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), hint) {
			t.Errorf("%s: exit status %d, %s, want a hint at %s", c.typed, status, errs.String(), c.want)
		}
	}
}
