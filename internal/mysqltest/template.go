package mysqltest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// templateEdition is part of every template's name. Raise it when the making of templates changes,
// so that the old ones are no longer found.
const templateEdition = "1"

// unsafeName matches what a version string may contain and a folder's name had better not.
var unsafeName = regexp.MustCompile(`[^A-Za-z0-9.+-]+`)

// template returns a fresh data folder of the server's version, to be copied and never to be run
// on. It is made by the first process that needs it (MySQL 3-6 s, MariaDB under 1 s) and stays in
// the cache; the other processes wait for the lock meanwhile.
func template(ctx context.Context, p *program, out io.Writer) (string, error) {
	templates, err := cacheDir("templates")
	if err != nil {
		return "", err
	}
	name := unsafeName.ReplaceAllString(p.name+"-"+p.version+"-"+templateEdition, "_")
	final := filepath.Join(templates, name)
	what := "it makes the data folder template of " + p.name
	unlock, err := lockFile(ctx, out, final+".lock", what)
	if err != nil {
		return "", err
	}
	defer unlock()
	if exists(final) {
		return final, nil // rename is the last step, so what is there is whole
	}

	stale, _ := filepath.Glob(final + ".work-*")
	for _, dir := range stale {
		_ = os.RemoveAll(dir)
	}
	work, err := os.MkdirTemp(templates, name+".work-")
	if err != nil {
		return "", fmt.Errorf("mysqltest: template: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	data := filepath.Join(work, "data")
	if p.mariaDB() {
		err = bootstrapMariaDB(ctx, p, data)
	} else {
		fmt.Fprintf(out, "sqlcas: making the data folder template of %s %s, some seconds, once\n",
			p.name, p.version)
		err = initializeMySQL(ctx, p, data)
	}
	if err != nil {
		return "", err
	}
	if err := os.Rename(data, final); err != nil {
		return "", fmt.Errorf("mysqltest: template: %w", err)
	}
	return final, nil
}

// initializeMySQL lets mysqld make its data folder, with a root account without a password.
func initializeMySQL(ctx context.Context, p *program, data string) error {
	flags := append([]string{
		"--no-defaults", "--initialize-insecure", "--datadir=" + data,
		"--secure-file-priv=", "--skip-log-bin", "--mysqlx=OFF",
		// A smaller redo log takes mysqld twice as long to set up; a larger one is larger to copy.
		"--loose-innodb-redo-log-capacity=16M", "--innodb-flush-method=nosync",
		"--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=OFF",
	}, append(userFlags(), p.pathFlags()...)...)
	if err := runServer(ctx, p, flags, nil); err != nil {
		return err
	}
	// The server's uuid is in here. Without the file each copy gives itself its own.
	return os.Remove(filepath.Join(data, "auto.cnf"))
}

// bootstrapMariaDB makes the system tables by feeding MariaDB's own SQL files to the server, as
// mariadb-install-db does; unpacked trees have no such script that would find its files.
func bootstrapMariaDB(ctx context.Context, p *program, data string) error {
	if err := os.MkdirAll(filepath.Join(data, "mysql"), 0o750); err != nil {
		return fmt.Errorf("mysqltest: template: %w", err)
	}
	var script bytes.Buffer
	// Bootstrap mode takes one statement a line. @auth_root_socket=NULL gives root an empty
	// password instead of a login by the socket only.
	script.WriteString("use mysql;\nSET @auth_root_socket=NULL;\n")
	for _, name := range []string{"system_tables", "system_tables_data", "performance_tables"} {
		text, err := systemSQL(p, name)
		if err != nil {
			return err
		}
		script.Write(text)
		script.WriteByte('\n')
	}
	flags := append([]string{
		"--no-defaults", "--bootstrap", "--datadir=" + data,
		"--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=0",
		"--innodb-doublewrite=0", "--innodb-buffer-pool-size=32M", "--log-warnings=0",
	}, append(userFlags(), p.pathFlags()...)...)
	return runServer(ctx, p, flags, &script)
}

// systemSQL reads one of MariaDB's files of system tables. They lie in share/mariadb or
// share/mysql beside the binary, and older versions call them mysql_ instead of mariadb_.
func systemSQL(p *program, name string) ([]byte, error) {
	usr := filepath.Dir(filepath.Dir(p.binary))
	var tried []string
	for _, share := range []string{"share/mariadb", "share/mysql", "share"} {
		for _, prefix := range []string{"mariadb_", "mysql_"} {
			path := filepath.Join(usr, filepath.FromSlash(share), prefix+name+".sql")
			if text, err := os.ReadFile(path); err == nil {
				return text, nil
			}
			tried = append(tried, path)
		}
	}
	return nil, fmt.Errorf("mysqltest: %s has no system tables' SQL; looked for %s",
		p.binary, strings.Join(tried, ", "))
}

// runServer runs the server to its end; an error has the last lines of what it printed.
func runServer(ctx context.Context, p *program, flags []string, input io.Reader) error {
	argv := p.command(flags...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = input
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mysqltest: template of %s %s: %w\n%s",
			p.name, p.version, err, lastLines(out, 20))
	}
	return nil
}

// userFlags lets root run the servers, which refuse that unless they are told to.
func userFlags() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}
