package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
)

// ClearWindow takes the window of a model out of the user's own configuration, so that what is measured or known holds
// again, and returns the file. Entries that say nothing else go with it; comments and all else stay.
//
// Errors: not_found if the file sets no window for the model; else those of SetWindow.
func ClearWindow(e env.Env, root, model string) (file string, err error) {
	return changeUser(e, root, func(data []byte) ([]byte, error) { return withoutWindow(data, model) })
}

// SetsWindow reports whether the user's own configuration sets the window of a model.
func SetsWindow(e env.Env, root, model string) bool {
	d, err := readUser(e, root)
	return err == nil && failed(d.check()) == nil && d.window(model) > 0
}

// withoutWindow returns a configuration without the window of a model.
func withoutWindow(data []byte, model string) ([]byte, error) {
	const op = "config.window"
	d := document{data: data, user: true}
	if failed(d.check()) != nil || d.window(model) == 0 {
		return nil, fault.New(fault.NotFound, op, "your configuration sets no window for %.100q", model)
	}
	text, err := removed(string(data), model)
	if err == nil {
		err = onlyWindow(data, []byte(text), model, 0)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, op, "your configuration is not edited for you: %s", err).
			WithHint("remove the window of %s from it", key(model))
	}
	return []byte(text), nil
}

// removed takes the window out of the text.
func removed(text, model string) (string, error) {
	fields, err := yamldoc.Fields([]byte(text))
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(fields, func(f yamldoc.Field) bool { return fold(f.Key) == "models" })
	if at < 0 {
		return "", errors.New("it has no models")
	}
	entries, err := fields[at].Fields()
	if err != nil {
		return "", err
	}
	of := slices.IndexFunc(entries, func(f yamldoc.Field) bool { return tokens.SameModel(f.Key, model) })
	if of < 0 {
		return "", errors.New("the model has another name in it")
	}
	settings, err := entries[of].Fields()
	if err != nil {
		return "", err
	}
	window := slices.IndexFunc(settings, func(f yamldoc.Field) bool { return fold(f.Key) == "window" })
	if window < 0 {
		return "", errors.New("the window is set elsewhere")
	}
	r := removal{
		lines: strings.SplitAfter(text, "\n"), models: fields[at], entry: entries[of], window: settings[window],
		lastEntry: len(entries) == 1, lastSetting: len(settings) == 1,
	}
	if err := r.do(); err != nil {
		return "", err
	}
	return strings.Join(r.lines, ""), nil
}

// removal takes a window out of lines.
type removal struct {
	lines                  []string
	models, entry, window  yamldoc.Field // from the outside to the inside
	lastEntry, lastSetting bool          // there is no other model, and nothing else about this one
}

// do takes out the window and what has nothing but that in it.
func (r *removal) do() error {
	switch {
	case r.braced(r.models):
		return r.inBraces()
	case r.braced(r.entry) && !r.lastSetting:
		return r.cut(r.window.Line, r.window.Column, r.afterValue())
	case r.braced(r.entry):
		if err := r.drop(r.entry.Line, r.afterBrace()); err != nil {
			return err
		}
	default:
		if err := r.drop(r.window.Line, r.afterValue()); err != nil || !r.lastSetting {
			return err
		}
		if err := r.dropHead(r.entry); err != nil {
			return err
		}
	}
	if r.lastEntry {
		return r.dropHead(r.models)
	}
	return nil
}

// inBraces takes the window, or the model's entry, out of models in braces.
func (r *removal) inBraces() error {
	if r.lastSetting {
		return r.cut(r.entry.Line, r.entry.Column, r.afterBrace())
	}
	return r.cut(r.window.Line, r.window.Column, r.afterValue())
}

// braced reports whether the value of a field is in braces, beginning in its line.
func (r *removal) braced(f yamldoc.Field) bool {
	line, column, _ := f.Value()
	return line == f.Line && opens(r.lines, line, column)
}

// afterValue returns the column after the value of the window, 0 if that is no plain number in the line of its key.
func (r *removal) afterValue() int {
	line, column, value := r.window.Value()
	text, end := r.line(line), column+len([]rune(value))
	if line != r.window.Line || value == "" || end > len(text)+1 || string(text[column-1:end-1]) != value {
		return 0
	}
	return end
}

// afterBrace returns the column after the brace that closes the entry, whose last value is the window; 0 if that is in
// another line.
func (r *removal) afterBrace() int {
	end := r.afterValue()
	if end == 0 {
		return 0
	}
	for i, c := range r.line(r.window.Line)[end-1:] {
		switch c {
		case '}':
			return end + i + 1
		case ' ', ',':
		default:
			return 0
		}
	}
	return 0
}

// line returns a line with its end.
func (r *removal) line(n int) []rune {
	if n < 1 || n > len(r.lines) {
		return nil
	}
	return []rune(r.lines[n-1])
}

// cut takes columns out of a line, with the comma after or before them.
func (r *removal) cut(line, from, to int) error {
	text := r.line(line)
	if from < 1 || to <= from || to > len(text)+1 {
		return fmt.Errorf("line %d is in a form that cannot be edited", line)
	}
	before, after := string(text[:from-1]), string(text[to-1:])
	if rest, ok := strings.CutPrefix(strings.TrimLeft(after, " "), ","); ok {
		after = strings.TrimLeft(rest, " ")
	} else if rest, ok := strings.CutSuffix(strings.TrimRight(before, " "), ","); ok {
		before = rest
	}
	r.lines[line-1] = before + after
	return nil
}

// drop takes out a line of which nothing follows after a column but a comment, which stays.
func (r *removal) drop(line, after int) error {
	text := r.line(line)
	if after < 1 || after > len(text)+1 {
		return fmt.Errorf("line %d is in a form that cannot be edited", line)
	}
	return r.leave(line, string(text[after-1:]))
}

// heads matches a line with a key without a value in it, and what follows.
var heads = pattern.Lazy(`^\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s'"#][^#]*?)\s*:(\s*|\s+#.*\n?)$`)

// dropHead takes out the line of a key, whose values are gone; a comment stays.
func (r *removal) dropHead(f yamldoc.Field) error {
	m := heads().FindStringSubmatch(string(r.line(f.Line)))
	if m == nil {
		return fmt.Errorf("line %d is in a form that cannot be edited", f.Line)
	}
	return r.leave(f.Line, m[1])
}

// leave leaves of a line the comment at its end.
func (r *removal) leave(line int, rest string) error {
	text := r.lines[line-1]
	comment := strings.TrimSpace(rest)
	switch {
	case comment == "":
		r.lines[line-1] = ""
	case comment[0] == '#':
		indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
		r.lines[line-1] = indent + strings.TrimLeft(rest, " \t")
	default:
		return fmt.Errorf("line %d has more in it", line)
	}
	return nil
}
