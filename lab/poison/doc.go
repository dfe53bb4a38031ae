// Package poison proves that stored text is data: every hostile text of corpus.txt is planted at every place where
// text gets into a ledger, and every way out is looked at for what the text did there.
//
// Start at corpus.txt, which a line extends, and at TestPoison, which goes through the tables of places and exits. A
// new line needs nothing else: `make poison` (-whole) takes each text through all exits in two forms, -from and -to
// select lines, and the short run plants several texts in a scene, all of them once. Where a scene fails, its texts are
// taken one by one, so that a failure names the line. Rows of exits, places, commands, uses and settings say where
// texts go.
//
// The checks (Terminal, Framed, Shape, SameJSON, …) say what is wrong with one output; each has a control that it must
// catch.
//
// It deliberately judges nothing that a model does with a text: only that the text stays inside what is marked as
// data, and that what shows it cannot be driven by it.
package poison
