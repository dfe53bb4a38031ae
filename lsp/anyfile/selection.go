package anyfile

// Selection is what a part of a file costs, counted alone.
func Selection(f File, from, to int) string {
	return "selection: " + f.Meter.Say(f.Text.Count(from, to))
}
