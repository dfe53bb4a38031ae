// Package confedit adds entries to configurations that other programs and people write, and removes them again. Every
// other byte stays: comments, order, indentation, line ends, byte order mark, trailing commas and unknown keys.
//
// Start at Find, Add and Strip for JSON with comments, at FindTable, AddTable, UpdateTable and StripTables for TOML. An
// added entry follows the indentation and the line ends of its file. Strip(Add(text)), which is told what text was, is text.
//
// The JSON parser (hujson) keeps comments and positions, but prints in a style of its own: nothing is printed by it, and
// all changes are splices of the text. It recurses, so nesting is checked before it runs, and it takes the last of
// several members of a name: here such a name on the way to an entry is refused. The TOML parser (go-toml) knows
// positions only in its unstable part, which finds where tables begin; results are checked by its stable part.
//
// The package opens no file and does not know what the entries mean.
package confedit
