// Package quiet has nothing to do with databases.
package quiet

type shell struct{}

// Exec is no database's.
func (shell) Exec(query string, args ...any) {}

func run() { shell{}.Exec("DELETE FROM account") }
