package config

import (
	"errors"
	"fmt"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
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
		return nil, fault.New(fault.Invalid, op, "your configuration cannot be edited automatically: %s", err).
			WithHint("remove the window of %s from it", key(model))
	}
	return []byte(text), nil
}

// closing matches what closes braces behind a value.
var closing = pattern.Lazy(`^[ ,]*\}`)

// removed takes the window out of the text, and what has nothing but that in it.
func removed(text, model string) (string, error) {
	path, _, err := pathTo(text, model)
	if err == nil && len(path) < 3 {
		err = errors.New("the window is set elsewhere")
	}
	if err != nil {
		return "", err
	}
	lines, window, from := strings.SplitAfter(text, "\n"), path[2], 2
	if window.alone {
		if _, _, flow := braced(lines, path[0].Field); path[1].alone && !flow {
			from--
		}
		from--
	}
	for ; path[from].Line != window.Line; from++ {
		if err := dropHead(lines, path[from].Line); err != nil {
			return "", err
		}
	}
	line, _, after, err := around(lines, window.Field)
	if err != nil {
		return "", err
	}
	for range path[from+1:] {
		brace := closing().FindString(after)
		if brace == "" {
			return "", fmt.Errorf("line %d is in a form that cannot be edited", line)
		}
		after = after[len(brace):]
	}
	before, _ := parted(lines, window.Line, path[from].Column)
	if line != window.Line {
		return "", fmt.Errorf("line %d is in a form that cannot be edited", line)
	}
	lines[line-1] = cut(before, after)
	return strings.Join(lines, ""), nil
}

// cut returns a line without what was between its parts, and without the comma after or before that.
func cut(before, after string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(after, " "), ","); ok {
		after = strings.TrimLeft(rest, " ")
	} else if rest, ok := strings.CutSuffix(strings.TrimRight(before, " "), ","); ok {
		before = rest
	}
	if strings.TrimSpace(before) != "" {
		return before + after
	}
	return remaining(before, after)
}

// remaining returns what is left of a line that was indented so: nothing, or the comment at its end.
func remaining(indent, rest string) string {
	if strings.TrimSpace(rest) == "" {
		return ""
	}
	return indent + strings.TrimLeft(rest, " \t")
}

// heads matches a line with a key without a value in it, and what follows.
var heads = pattern.Lazy(`^(\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s'"#][^#]*?)\s*:(\s*|\s+#.*\n?)$`)

// dropHead takes out the line of a key, whose values are gone; a comment stays.
func dropHead(lines []string, line int) error {
	_, text := parted(lines, line, 1)
	m := heads().FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("line %d is in a form that cannot be edited", line)
	}
	lines[line-1] = remaining(m[1], m[2])
	return nil
}
