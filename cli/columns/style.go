package columns

// Style is how a terminal shows a text: the parameters of the sequence that switches it on; "" is plain.
type Style string

// The styles.
const (
	Plain        Style = ""
	Bold         Style = "1"
	Faint        Style = "2"
	Red          Style = "31"
	Green        Style = "32"
	Yellow       Style = "33"
	Blue         Style = "34"
	Magenta      Style = "35"
	Cyan         Style = "36"
	White        Style = "37"
	BrightBlack  Style = "90"
	BrightYellow Style = "93"
	BrightWhite  Style = "97"
)

// If returns the style where styles may be used, else Plain.
func (s Style) If(wanted bool) Style {
	if wanted {
		return s
	}
	return Plain
}

// Of returns a text in this style.
func (s Style) Of(text string) string {
	if s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}
