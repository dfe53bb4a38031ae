package given

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/compaction/tasklist"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Bounds of an execution state.
const (
	maxErrors   = 10 // lines
	maxAttempts = 3
	maxLine     = 300 // characters
	lastLines   = 3   // of an output without a line that is known as an error
	// Bytes of an output: of its two ends, and of a line that can be an error.
	outputEnds, maxOutputLine = 64 << 10, 2_000
)

// executionState returns the newest build, what fails, the newest attempts that failed, and the open tasks: what was
// recorded, whatever agents say of it.
func (rec *reading) executionState(ctx context.Context) (string, error) {
	all, err := rec.intents(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	build := newestBuild(all)
	switch {
	case build == nil:
		b.WriteString("**Build:** no build recorded yet\n")
	case passed(*build):
		b.WriteString("**Build:** PASSED — `" + command(*build) + "`\n")
	default:
		exit := ""
		if build.ExitCode != nil && *build.ExitCode != 0 {
			exit = fmt.Sprintf(" (exit %d)", *build.ExitCode)
		}
		b.WriteString("**Build:** FAILED" + exit + " — `" + command(*build) + "`\n")
	}
	wrong, err := rec.failures(ctx, all)
	if err != nil {
		return "", err
	}
	list(&b, "**Errors:**", "- ", wrong)
	var tried []string
	for _, in := range all {
		if line := attempt(in); line != "" {
			tried = append(tried, line)
		}
	}
	if tried = tried[max(0, len(tried)-maxAttempts):]; len(tried) > 0 {
		fmt.Fprintf(&b, "**Failed Attempts (last %d):**\n", len(tried))
		for i, line := range tried {
			fmt.Fprintf(&b, "%d. %s\n", i+1, line)
		}
	}
	open, err := rec.openTasks(ctx)
	list(&b, "**Open Tasks:**", "- [ ] ", open)
	return b.String(), err
}

// list writes lines below a head, if there are any.
func list(b *strings.Builder, head, bullet string, lines []string) {
	if len(lines) > 0 {
		b.WriteString(head + "\n" + bullet + strings.Join(lines, "\n"+bullet) + "\n")
	}
}

// builds reports whether an intent ran a build or tests that ended.
func builds(in intents.Intent) bool {
	if in.Op != intents.OpShell || in.Status == intents.Pending {
		return false
	}
	_, p := shellcmd.Key(in.Command)
	return p >= shellcmd.Build || strings.Contains(in.Command, "publish")
}

func newestBuild(all []intents.Intent) *intents.Intent {
	for i := len(all) - 1; i >= 0; i-- {
		if builds(all[i]) {
			return &all[i]
		}
	}
	return nil
}

// passed reports whether a build is known to have passed: by its exit status, and by what it printed.
func passed(in intents.Intent) bool {
	return in.Status == intents.Applied && !intents.ShowsFailure(strings.TrimSpace(in.Outcome), true)
}

// command returns the command of an intent in one line.
func command(in intents.Intent) string {
	return strings.ReplaceAll(chars.Short(chars.Line(in.Command), maxLine), "`", "'")
}

// failures returns the errors of those builds whose newest run failed, each once, the newest build's first.
func (rec *reading) failures(ctx context.Context, all []intents.Intent) (out []string, err error) {
	seen := map[string]bool{}
	for _, in := range slices.Backward(all) {
		if !builds(in) {
			continue
		}
		key, _ := shellcmd.Key(in.Command)
		if seen[key] {
			continue
		}
		if seen[key] = true; passed(in) {
			continue
		}
		text, err := rec.result(ctx, in.Session, in.CallID, in.Seq)
		if err != nil {
			return nil, err
		}
		for _, line := range errorsIn(cmp.Or(text, in.Outcome, in.Error)) {
			if len(out) < maxErrors && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out, nil
}

var (
	// placed matches an error at a place of a file: Go, C, TypeScript, Python's linters, tests of Go.
	placed = pattern.Lazy(`^\s*(?:\./)?([^\s:()]+\.\w{1,8}):(\d+)(?::\d+)?: ?(?:fatal )?(?:error: )?(\S.*)$`)
	// dotnet matches one of .NET, with the project behind it.
	dotnet = pattern.Lazy(`^\s*([^\s(]+)\((\d+),\d+\): error (\w+): (.*?)(?: \[[^\]]*\])?$`)
	// rust matches one of Rust, whose place is on the next line but one.
	rust      = pattern.Lazy(`^error(?:\[(E\d+)\])?: (.+)$`)
	rustPlace = pattern.Lazy(`^\s*--> ([^:]+):(\d+):\d+$`)
)

// errorsIn returns the errors in the output of a build, as an execution state lists them: "src/a.go:4 — undefined: x". Without
// a line that is known it is the end of the output.
func errorsIn(output string) (out []string) {
	if len(output) > 2*outputEnds {
		output = output[:outputEnds] + "\n" + output[len(output)-outputEnds:]
	}
	add := func(code, place, message string) {
		line := strings.TrimSpace(code+" "+place) + " — " + message
		if line = chars.Short(chars.Line(line), maxLine); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	var code, message string // of an error of Rust whose place comes
	var last []string
	for line := range strings.Lines(chars.Strip(output)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || len(line) > maxOutputLine || strings.HasPrefix(line, "[EXIT ") {
			continue
		}
		if last = append(last, chars.Short(chars.Line(line), maxLine)); len(last) > lastLines {
			last = last[1:]
		}
		if m := dotnet().FindStringSubmatch(line); m != nil {
			add(m[3], m[1]+":"+m[2], m[4])
		} else if m := rustPlace().FindStringSubmatch(line); m != nil && message != "" {
			add(code, m[1]+":"+m[2], message)
			message = ""
		} else if m := rust().FindStringSubmatch(line); m != nil {
			code, message = m[1], m[2]
		} else if m := placed().FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[3], "warning") {
			add("", m[1]+":"+m[2], m[3])
		}
	}
	if len(out) == 0 {
		return last
	}
	return out
}

// attempt returns a line on a call that failed, "" for one that did not, and for builds, which are listed apart.
func attempt(in intents.Intent) string {
	if in.Status != intents.Failed || builds(in) {
		return ""
	}
	what := "run `" + command(in) + "`"
	if in.Op != intents.OpShell {
		op, _, _ := strings.Cut(in.Op, "_")
		what = op + " " + chars.Line(cmp.Or(in.Target, in.From))
	} else if _, p := shellcmd.Key(in.Command); p == shellcmd.Search {
		return "" // that nothing was found is no failure
	}
	why := chars.Short(chars.Line(strings.TrimPrefix(cmp.Or(in.Error, in.Outcome), "[ERROR] ")), maxLine)
	return strings.TrimSuffix(what+" → "+why, " → ")
}

// openTasks returns the tasks of the agents' newest list that are not done.
func (rec *reading) openTasks(ctx context.Context) (open []string, err error) {
	entries, err := rec.log(ctx, rec.session.ID)
	if err != nil {
		return nil, err
	}
	var tasks tasklist.List
	waiting := map[string]tasklist.Call{}
	for _, e := range entries {
		calls := slices.ContainsFunc(e.Calls, func(c sessions.Call) bool { return tasklist.Keeps(c.Name) })
		results := slices.ContainsFunc(e.Results, func(r sessions.Result) bool { return waiting[r.CallID].Name != "" })
		if !calls && !results {
			continue
		}
		m, _, err := rec.message(ctx, rec.session.ID, e)
		if err != nil {
			return nil, err
		}
		for _, p := range m.Parts {
			switch c, known := waiting[p.ID]; {
			case p.Kind == transcript.KindCall && tasklist.Keeps(p.Name):
				waiting[p.ID] = tasklist.Call{Turn: e.Turn, Name: p.Name, Args: json.RawMessage(p.Args)}
			case p.Kind == transcript.KindResult && known:
				c.Result, c.Failed = p.Text, p.IsError
				tasks.Add(c)
				delete(waiting, p.ID)
			}
		}
	}
	for _, t := range tasks.Tasks() {
		if t.State < tasklist.Done {
			open = append(open, chars.Line(t.Text))
		}
	}
	return open, nil
}
