package columns

import "github.com/clipperhouse/displaywidth"

// terminal is how a terminal counts: what styles a text takes no column.
var terminal = displaywidth.Options{ControlSequences: true}

// Width returns how many columns a line takes in a terminal.
func Width(s string) int { return terminal.String(s) }
