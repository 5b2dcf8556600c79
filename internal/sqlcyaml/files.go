package sqlcyaml

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Sources reads the SQL files that paths stand for, as sqlc does: files, folders (not what is below their
// subfolders) and patterns such as db/*.sql. Files that do not end in .sql, hidden ones and the *.down.sql of
// golang-migrate are left out. Relative ones start from dir; the names of the sources start from the working
// directory, so that a finding can be clicked on.
func Sources(dir string, patterns []string) ([]sqlcheck.Source, error) {
	var sources []sqlcheck.Source
	for _, pattern := range patterns {
		path := pattern
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		paths := []string{path}
		if strings.ContainsAny(pattern, "*?[]") {
			var err error
			if paths, err = filepath.Glob(path); err != nil {
				return nil, fmt.Errorf("%s: %w", pattern, err)
			}
			if len(paths) == 0 {
				return nil, fmt.Errorf("%s: no file fits this pattern", pattern)
			}
		}
		for _, path := range paths {
			files, err := sqlFiles(path)
			if err != nil {
				return nil, err
			}
			for _, name := range files {
				text, err := os.ReadFile(name)
				if err != nil {
					return nil, err
				}
				sources = append(sources, sqlcheck.Source{Name: name, Text: string(text)})
			}
		}
	}
	return sources, nil
}

// sqlFiles returns the SQL files of a folder, or the file itself.
func sqlFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if isSQL(path) {
			return []string{path}, nil
		}
		return nil, nil
	}
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && isSQL(e.Name()) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, nil
}

func isSQL(path string) bool {
	name := filepath.Base(path)
	return strings.HasSuffix(name, ".sql") && !strings.HasPrefix(name, ".") && !sqlcheck.IsDownMigration(name)
}
