package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
)

// SetWindow writes the window of a model into the user's own configuration, because the user asked for that, and returns
// the file. All else in it stays as it is, also comments and the order; a missing file is created. root is the
// workspace, which must not contain the file; "" for none. The file is read first, and is not replaced if others could
// write it.
//
// Errors: invalid for a window or a name that makes no sense, and for a file with mistakes or in a form that is not
// changed here; those of reading and writing the file; unavailable where nothing says where the user's files are.
func SetWindow(e env.Env, root, model string, window int) (file string, err error) {
	if err := nameable(model, window); err != nil {
		return "", err
	}
	return changeUser(e, root, func(data []byte) ([]byte, error) { return withWindow(data, model, window) })
}

// changeUser changes the text of the user's own configuration, if there is anything to change, and returns the file.
func changeUser(e env.Env, root string, change func([]byte) ([]byte, error)) (file string, err error) {
	const op = "config.window"
	d, err := readUser(e, root)
	switch {
	case err != nil:
		return d.name, err
	case d.name == "":
		return "", fault.New(fault.Unavailable, op, "the location of your own configuration is unknown").
			WithHint("set HOME")
	}
	if err := failed(d.check()); err != nil {
		return d.name, fault.New(fault.Invalid, op, "%s has a mistake: %s", d.name, err).WithHint("correct it first")
	}
	text, err := change(d.data)
	if err != nil {
		return d.name, err
	}
	path, err := filepath.EvalSymlinks(d.name) // a link stays one
	if err != nil {
		path = d.name
	}
	if bytes.Equal(text, d.data) {
		return d.name, nil
	}
	return d.name, privatefile.Write(path, text)
}

// leastWindow is the smallest window that is written, in tokens: less is a slip of the hand, such as 200 for 200,000.
const leastWindow = 1000

// nameable refuses a model and a window that a registry would refuse, and a name that is no line of text.
func nameable(model string, window int) error {
	const op = "config.window"
	if window < leastWindow {
		return fault.New(fault.Invalid, op, "%d is not a model's window: at least %d tokens are expected", window,
			leastWindow)
	}
	if model == "" || strings.ContainsFunc(model, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.New(fault.Invalid, op, "%.100q is not a model name", model)
	}
	_, err := tokens.Builtin().With(tokens.Model{Name: model, Window: window})
	return err
}

// withWindow returns a configuration with the window of a model set. Errors: invalid for one whose form is not changed
// here; nothing but the window would differ in what is returned.
func withWindow(data []byte, model string, window int) ([]byte, error) {
	entry := fmt.Sprintf("%s: {window: %d}", key(model), window)
	text, err := insert(string(data), model, window, entry)
	if err == nil {
		err = onlyWindow(data, []byte(text), model, window)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "config.window", "your configuration cannot be edited automatically: %s",
			err).
			WithHint("write `models: {%s}` into it", entry)
	}
	return []byte(text), nil
}

// plainName matches names that are one word in YAML and nothing else.
var plainName = pattern.Lazy(`^[A-Za-z]+-[A-Za-z0-9._-]*[A-Za-z0-9]$`)

// key returns a name as a key of YAML.
func key(name string) string {
	if plainName().MatchString(name) {
		return name
	}
	return strconv.QuoteToASCII(name)
}

// step is a field on the way to a window.
type step struct {
	yamldoc.Field
	alone bool // it has no siblings
}

// pathTo returns the fields that lead to the window of a model (models, the model's entry, window), as far as they exist, and
// the fields at the level of the first missing one.
func pathTo(text, model string) (path []step, beside []yamldoc.Field, err error) {
	next := func() ([]yamldoc.Field, error) { return yamldoc.Fields([]byte(text)) }
	for _, is := range []func(key string) bool{
		func(key string) bool { return fold(key) == "models" },
		func(key string) bool { return tokens.SameModel(key, model) },
		func(key string) bool { return fold(key) == "window" },
	} {
		if beside, err = next(); err != nil {
			return nil, nil, err
		}
		at := slices.IndexFunc(beside, func(f yamldoc.Field) bool { return is(f.Key) })
		if at < 0 {
			break
		}
		path, next = append(path, step{beside[at], len(beside) == 1}), beside[at].Fields
	}
	return path, beside, nil
}

// insert puts the window into the text, where the keys are that lead to it.
func insert(text, model string, window int, entry string) (string, error) {
	path, beside, err := pathTo(text, model)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(text, "\n")
	switch len(path) {
	case 0:
		return appended(text, beside, entry)
	case 1:
		return first(lines, path[0].Field, beside, entry)
	case 2:
		return first(lines, path[1].Field, beside, fmt.Sprintf("window: %d", window))
	}
	line, before, after, err := around(lines, path[2].Field)
	if err != nil {
		return "", err
	}
	lines[line-1] = before + strconv.Itoa(window) + after
	return strings.Join(lines, ""), nil
}

// first puts a key before the others of a mapping, which is the value of a field.
func first(lines []string, of yamldoc.Field, others []yamldoc.Field, added string) (string, error) {
	if before, after, ok := braced(lines, of); ok {
		if len(others) > 0 {
			added += ", "
		}
		lines[of.Line-1] = before + added + after
		return strings.Join(lines, ""), nil
	}
	indent := of.Column + 1
	if len(others) > 0 {
		indent = others[0].Column - 1
	}
	return below(lines, of.Line, strings.Repeat(" ", indent)+added)
}

// braced reports whether the value of a field begins with a brace in its line, and what is up to it and behind it.
func braced(lines []string, f yamldoc.Field) (before, after string, ok bool) {
	line, column, _ := f.Value()
	before, after = parted(lines, line, column)
	after, ok = strings.CutPrefix(after, "{")
	return before + "{", after, ok && line == f.Line
}

// around returns the line of a field's value, and what is before and behind it there, for one that is a plain number.
func around(lines []string, f yamldoc.Field) (line int, before, after string, err error) {
	line, column, value := f.Value()
	before, after = parted(lines, line, column)
	after, plain := strings.CutPrefix(after, value)
	if !plain || value == "" {
		return 0, "", "", fmt.Errorf("the window on line %d is not a plain number", line)
	}
	return line, before, after, nil
}

// parted returns the parts of a line before a column and from it on, both from 1.
func parted(lines []string, line, column int) (before, after string) {
	if line < 1 || line > len(lines) {
		return "", ""
	}
	text := []rune(lines[line-1])
	at := min(max(column-1, 0), len(text))
	return string(text[:at]), string(text[at:])
}

// appended returns the text with the key models at its end.
func appended(text string, fields []yamldoc.Field, entry string) (string, error) {
	if len(fields) > 0 && fields[0].Column != 1 {
		return "", errors.New("its keys do not start at the beginning of a line")
	}
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return text + "models:" + end + "  " + entry + end, nil
}

// below returns the lines with another one behind one of them.
func below(lines []string, line int, added string) (string, error) {
	if line < 1 || line > len(lines) {
		return "", fmt.Errorf("no line %d", line)
	}
	end := "\n"
	if strings.HasSuffix(lines[line-1], "\r\n") {
		end = "\r\n"
	}
	if !strings.HasSuffix(lines[line-1], "\n") {
		lines[line-1] += end
	}
	lines[line-1] += added + end
	return strings.Join(lines, ""), nil
}

// onlyWindow reports what a changed configuration says besides the window, and that it does not say that. 0: it is to say
// nothing of the window.
func onlyWindow(before, after []byte, model string, window int) error {
	var was, is map[string]any
	if err := errors.Join(yamldoc.Decode(before, &was), yamldoc.Decode(after, &is)); err != nil {
		return err
	}
	d := document{data: after, user: true}
	if err := failed(d.check()); err != nil {
		return err
	}
	if n := d.window(model); n != window {
		return fmt.Errorf("the window of %.100q would be %d", model, n)
	}
	if without(was, model) != without(is, model) {
		return errors.New("the edit would also change something else")
	}
	return nil
}

// window returns the window that a document which was checked sets for a model; 0: none.
func (d document) window(model string) int {
	set := d.models()
	if !set.OwnWindow(model) {
		return 0
	}
	n, _ := set.Window(model)
	return n
}

// models returns the models of a document that was checked.
func (d document) models() *tokens.Registry {
	c, _ := merge(tokens.Builtin(), []document{d})
	return c.Models
}

// without returns what a configuration says without the window of a model, in a form that can be compared.
func without(c map[string]any, model string) string {
	for name, value := range c {
		models, ok := value.(map[string]any)
		if fold(name) != "models" || !ok && value != nil {
			continue
		}
		for spelled, value := range models {
			entry, ok := value.(map[string]any)
			if !tokens.SameModel(spelled, model) || !ok && value != nil {
				continue
			}
			maps.DeleteFunc(entry, func(name string, _ any) bool { return fold(name) == "window" })
			if len(entry) == 0 {
				delete(models, spelled)
			}
		}
		if len(models) == 0 {
			delete(c, name)
		}
	}
	return fmt.Sprint(c)
}
