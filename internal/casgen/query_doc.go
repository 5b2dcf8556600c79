package casgen

import "strings"

// What the queries say of themselves: sqlc makes it the doc comments of the methods.

func docGet(d Descriptor, n Naming) string {
	return "Get" + d.Name + " reads a row of " + oneLine(d.Table.Name) + " without locking it, sql.ErrNoRows if there is none. Its " +
		n.Name(d.Table.Version.Name) + " is what Swap" + d.Name + " and Delete" + d.Name + " want back."
}

func docLock(d Descriptor, _ Naming) string {
	return "Get" + d.Name + "ForUpdate is Get" + d.Name + " that locks the row until the transaction ends, and waits for whoever has " +
		"it locked. Call it in a transaction: outside of one the lock is gone before the call returns."
}

func docLockNoWait(d Descriptor, _ Naming) string {
	return "Get" + d.Name + "ForUpdateNoWait is Get" + d.Name + "ForUpdate that fails at once if the row is locked: error 3572 on " +
		"MySQL, 1205 on MariaDB."
}

func docLockSkipLocked(d Descriptor, _ Naming) string {
	return "Get" + d.Name + "ForUpdateSkipLocked is Get" + d.Name + "ForUpdate that returns sql.ErrNoRows for a row that is locked, as " +
		"for one that is not there."
}

func docSwap(d Descriptor, n Naming) string {
	does := "writes all columns of a row that is still at " + n.Name(d.Table.Version.Name) + ", and moves the version by "
	switch {
	case len(d.Write) == 0:
		does = "moves the version of a row that is still at " + n.Name(d.Table.Version.Name) + " by "
	case d.Narrow:
		does = strings.Replace(does, "all", "some", 1)
	}
	return "Swap" + d.Name + " " + does + n.Name(n.Steps(d)) + ". No row means that somebody else wrote first, or that the row is gone: nothing was changed, so read again " +
		"and decide again. More than one cannot be."
}

func docDelete(d Descriptor, n Naming) string {
	return "Delete" + d.Name + " deletes a row that is still at " + n.Name(d.Table.Version.Name) + ". Its row count is read as Swap" +
		d.Name + "'s."
}

func docTouch(d Descriptor, n Naming) string {
	return "Touch" + d.Name + " moves the version of a row that is still at " + n.Name(d.Table.Version.Name) + " and changes nothing " +
		"else, for what belongs to the row but is not in it. Its row count is read as Swap" + d.Name + "'s."
}

func docInsert(d Descriptor, _ Naming) string {
	return "Insert" + d.Name + " inserts a row at its first version. A row that is already there is error 1062, never an overwrite."
}

func docInsertID(d Descriptor, _ Naming) string {
	return "Insert" + d.Name + " inserts a row at its first version and returns its " + oneLine(d.Key[0].Name) + "."
}

// wrap breaks a text into lines that fit behind a comment's dashes.
func wrap(text string) []string {
	const width = 97
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
