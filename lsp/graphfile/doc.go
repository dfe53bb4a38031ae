// Package graphfile is the language service of context graphs: what an editor shows of a document with operations, where
// its names lead, what can be written in it, and what can be done to it.
//
// Start at File. Package graph reads documents, resolves references and says what is wrong; the figures are those of
// graph.Costs, which the command line shows, too. The functions are pure, and positions are bytes from the start of the
// document. What goes into a text is limited; what is returned as a list is in the order of the document.
package graphfile
