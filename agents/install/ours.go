package install

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/confedit"
)

// Entries of ours are recognised by what they are: the program that they start, at whatever path, with the arguments that
// say so. Where a value starts one of our programs and does other things as well, somebody has extended it. What is theirs
// cannot be told from what is ours without changing what it does (its input, its exit code, its output go from one to
// the other), so it stays whole, and is named.

// owner says whose a value is.
type owner int

const (
	foreign  owner = iota
	ours           // it starts a program of ours, and nothing else
	extended       // it starts a program of ours within something else
)

// programs are the names of ours.
var programs = []string{"ctxledger", "ctxmcp", "ctxhook"}

// programIn returns the name of our program to which a path leads; "": it leads to none.
func programIn(path string) string {
	name := strings.TrimSuffix(path[strings.LastIndexAny(path, `/\`)+1:], ".exe")
	if slices.Contains(programs, name) {
		return name
	}
	return ""
}

// special are the characters with which a shell does more than to start one program.
const special = ";&|<>`()\n"

// words returns the words of a command that starts one program: for a shell, or as the path of the program if it has
// arguments of its own. ok is false if it does more.
func words(command string) (out []string, ok bool) {
	if strings.ContainsAny(command, special) {
		return nil, false
	}
	var word strings.Builder
	quote, open := rune(0), false
	for _, c := range command + " " {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if open {
				out = append(out, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(c)
			open = true
		}
	}
	for len(out) > 0 && variable(out[0]) {
		out = out[1:]
	}
	return out, quote == 0 && len(out) > 0
}

// variable reports whether a word of a shell sets a variable for the program behind it.
func variable(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, `/\ `)
}

// mentions reports whether a text names a program of ours that agents start, as a word of it.
func mentions(text string) bool {
	all := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(special+" \t\r\"'=,", c) })
	for i, w := range all {
		if name := programIn(w); name != "" && (name != "ctxledger" || i+1 < len(all) && all[i+1] == "hook") {
			return true
		}
	}
	return false
}

// started is what may say what a value starts. Members of other types are passed over.
type started struct {
	Command   json.RawMessage
	Args      json.RawMessage
	Transport json.RawMessage
}

// startedOf returns the program that a value names, and its arguments. exec is true if these are apart from it: then the
// program is a path, whatever is in it.
func startedOf(raw json.RawMessage) (program string, args []string, exec bool) {
	var v, inner started
	plain, ok := confedit.Plain(raw)
	if !ok || json.Unmarshal(plain, &v) != nil {
		return "", nil, false
	}
	if json.Unmarshal(v.Transport, &inner) == nil && v.Command == nil {
		v = inner
	}
	var list []string
	if json.Unmarshal(v.Command, &list) == nil && len(list) > 0 {
		return list[0], list[1:], true
	}
	_ = json.Unmarshal(v.Command, &program) // no text names no program
	exec = json.Unmarshal(v.Args, &args) == nil && args != nil
	return program, args, exec
}

// ownerOf says whose a server or a command of a hook is.
func ownerOf(raw json.RawMessage) owner {
	program, args, _ := startedOf(raw)
	name := ""
	if oneProgram(program) {
		name = programIn(program)
	}
	if split, ok := words(program); ok && name == "" {
		name = programIn(split[0])
		args = append(slices.Clone(split[1:]), args...)
	}
	switch {
	case name == "ctxledger" && len(args) > 0 && args[0] == "hook", name != "" && name != "ctxledger":
		return ours
	case mentions(program) || slices.ContainsFunc(args, mentions):
		return extended
	}
	return foreign
}

// oneProgram reports whether a text can be the path of a program, and no command for a shell. A path may hold spaces.
func oneProgram(path string) bool {
	if strings.ContainsAny(path, special) {
		return false
	}
	for _, begin := range []string{" /", " ~", " \"", " '", ` \`, " $"} {
		if strings.Contains(path, begin) {
			return false
		}
	}
	return !strings.Contains(path, " ") || strings.HasPrefix(path, "/") || strings.Contains(path, ":\\") ||
		strings.Contains(path, ":/")
}

// group is a matcher of Claude Code with the commands that it runs.
type group struct {
	all    map[string]json.RawMessage
	hooks  []json.RawMessage
	owners []owner
}

// groupOf reads a group.
func groupOf(raw json.RawMessage) (g group) {
	plain, ok := confedit.Plain(raw)
	if !ok || json.Unmarshal(plain, &g.all) != nil || json.Unmarshal(g.all["hooks"], &g.hooks) != nil {
		return group{}
	}
	for _, h := range g.hooks {
		g.owners = append(g.owners, ownerOf(h))
	}
	return g
}

// has reports whether a command of the group has an owner.
func (g group) has(o owner) bool { return slices.Contains(g.owners, o) }

// ourPart returns the group as it would be with our commands alone, each once.
func (g group) ourPart() json.RawMessage {
	var own []json.RawMessage
	for i, h := range g.hooks {
		same := func(o json.RawMessage) bool { return confedit.SameValue(o, h) }
		if g.owners[i] == ours && !slices.ContainsFunc(own, same) {
			own = append(own, h)
		}
	}
	all := maps.Clone(g.all)
	all["hooks"] = registry.JSON(own)
	return registry.JSON(all)
}

// mineOf says how an element of a list is a form of an entry of ours. One that somebody extended counts as ours: a second
// entry would make our program run twice.
func mineOf(e confedit.Entry) confedit.Mine {
	return func(raw json.RawMessage) confedit.State {
		g := groupOf(raw)
		switch {
		case !g.has(ours) && !g.has(extended):
			return confedit.Absent
		case confedit.SameValue(e.Value, g.ourPart()):
			return confedit.Same
		}
		return confedit.Different
	}
}

// nobodys takes no element for a form of ours.
func nobodys(json.RawMessage) confedit.State { return confedit.Absent }

// judge decides what goes of a JSON file. What stays though it names us is added to left.
func (f File) judge(left *[]string) confedit.Judge {
	stays := func(path []string, line int, why string) confedit.Verdict {
		*left = append(*left, fmt.Sprintf("%s on line %d of %s %s: kept",
			strings.ReplaceAll(strings.Join(path, "."), "."+confedit.Element, ""), line, f.Path, why))
		return confedit.Keep
	}
	top, lists := "", false
	if len(f.Entries) > 0 {
		top, lists = f.Entries[0].Path[0], f.Entries[0].List
	}
	return func(path []string, raw json.RawMessage, line int) confedit.Verdict {
		switch {
		case path[0] != top:
			return confedit.Keep
		case len(path) == 1, lists && len(path) == 2:
			return confedit.Enter
		case lists:
			return judgeHook(path, raw, func(why string) confedit.Verdict { return stays(path, line, why) })
		}
		switch ownerOf(raw) {
		case ours:
			return confedit.Take
		case extended:
			return stays(path, line, "was extended by someone else: it starts ctxledger's program inside other code")
		}
		if path[1] == registry.ServerName {
			return stays(path, line, "was not written by ctxledger")
		}
		return confedit.Keep
	}
}

// judgeHook decides about a group of hooks, and what is in one.
func judgeHook(path []string, raw json.RawMessage, stays func(why string) confedit.Verdict) confedit.Verdict {
	switch len(path) {
	case 3: // a group
		g := groupOf(raw)
		if g.has(ours) && !g.has(foreign) && !g.has(extended) {
			return confedit.Take
		}
		return confedit.Enter
	case 4:
		if path[3] == "hooks" {
			return confedit.Enter
		}
	case 5:
		switch ownerOf(raw) {
		case ours:
			return confedit.Take
		case extended:
			return stays("was extended by someone: it starts ctxledger's program, and the rest of it is theirs")
		}
	}
	return confedit.Keep
}

// tableOwner says whose a table of a server is.
func tableOwner(table map[string]any) owner {
	v := map[string]any{}
	for _, name := range []string{"command", "args"} {
		if table[name] != nil {
			v[name] = table[name]
		}
	}
	return ownerOf(registry.JSON(v))
}

// tables returns the paths of our tables in a TOML file, and what stays though it names us.
func (f File) tables(text []byte) (own [][]string, left []string, err error) {
	top := f.Table.Path[:1]
	all, err := confedit.Tables(text, top)
	if err != nil {
		return nil, nil, err
	}
	for server, table := range all {
		path := []string{top[0], server}
		why := ""
		switch tableOwner(table) {
		case ours:
			own = append(own, path)
			continue
		case extended:
			why = "was extended by someone else: it starts ctxledger's program inside other code"
		default:
			if server != registry.ServerName {
				continue
			}
			why = "was not written by ctxledger"
		}
		left = append(left, fmt.Sprintf("%s on line %d of %s %s: kept", strings.Join(path, "."),
			confedit.TableLine(text, path), f.Path, why))
	}
	slices.SortFunc(own, slices.Compare)
	slices.SortFunc(left, cmp.Compare)
	return own, left, nil
}

// unedited reports whether a text is a file of our own as some version of this form has it, with whatever program.
func (f File) unedited(text []byte) bool {
	plain := func(s string) string {
		return strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n"))
	}
	was, now := bridgeProgram(string(text)), bridgeProgram(f.Whole)
	if programIn(was) == "" {
		return false
	}
	return plain(strings.Replace(string(text), string(registry.JSON(was)), "", 1)) ==
		plain(strings.Replace(f.Whole, string(registry.JSON(now)), "", 1))
}
