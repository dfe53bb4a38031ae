package anyfile

// Selection returns the cost of a part of a file, counted alone.
func Selection(f File, from, to int) string {
	return "selection: " + f.Meter.Say(f.count(from, to))
}
