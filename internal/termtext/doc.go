// Package termtext renders what a command wrote to a terminal to what the screen shows at the end; if that is nothing, to
// what a person saw last.
//
// Start at Render. Tail keeps the end of a stream of any
// length until it is rendered, Clip and LastLines bound what is shown of a result. Shown is for texts of
// which most have nothing to render.
//
// Guarantees: rendering a rendered text changes nothing; rendering in pieces of any size equals
// rendering at once; time is linear in the input; what cursor moves alone can make of memory and
// output is bounded, whatever the input says. The result is valid UTF-8 without control characters
// but line feeds.
//
// The screen grows with what is written. The package deliberately wraps no lines, scrolls nothing, and
// knows neither colours nor a second screen.
package termtext
