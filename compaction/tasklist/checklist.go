package tasklist

import "strings"

// checklist returns the items of a Markdown checklist. In a file, items need a bullet and a mark of one character, and
// what stands in code fences is left out; tools pass lists without bullets and with words for marks as well.
func checklist(text string, file bool) []task {
	var tasks []task
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if fence != "" {
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
			continue
		}
		if file && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")) {
			fence = line[:3]
			continue
		}
		if t, ok := item(line, file); ok {
			if tasks = append(tasks, t); len(tasks) >= maxKept {
				break
			}
		}
	}
	return tasks
}

// item reads one line: "- [x] text", "2. [ ] text", and for tools "[completed] text".
func item(line string, file bool) (task, bool) {
	rest, bullet := afterBullet(line)
	if !strings.HasPrefix(rest, "[") || file && !bullet {
		return task{}, false
	}
	mark, text, ok := strings.Cut(rest[1:min(len(rest), 8*MaxChars)], "]")
	if !ok || file && len([]rune(mark)) != 1 {
		return task{}, false
	}
	state, known := stateOf(mark)
	link := strings.HasPrefix(text, "(")
	if text = strings.TrimSpace(text); !known || text == "" || link {
		return task{}, false
	}
	if struck, ok := strings.CutPrefix(text, "~~"); ok && strings.HasSuffix(struck, "~~") {
		text, state = strings.TrimSuffix(struck, "~~"), Dropped
	}
	return task{Task: Task{Text: oneLine(text), State: state}}, true
}

// afterBullet returns a line without its bullet or number.
func afterBullet(line string) (rest string, bullet bool) {
	n := 0
	for n < len(line) && n < 5 && '0' <= line[n] && line[n] <= '9' {
		n++
	}
	switch {
	case n > 0 && n < len(line) && (line[n] == '.' || line[n] == ')'):
		rest = line[n+1:]
	case n == 0 && line != "" && strings.IndexByte("-*+", line[0]) >= 0:
		rest = line[1:]
	default:
		return line, false
	}
	if trimmed := strings.TrimLeft(rest, " \t"); len(trimmed) < len(rest) {
		return trimmed, true
	}
	return line, false
}
