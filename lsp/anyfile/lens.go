package anyfile

// Lens is what stands above the first line of a file.
func Lens(f File) string { return f.Meter.Say(f.Text.Count(0, f.Text.Len())) }
