package mysqltest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// lifelineScript keeps one server and its folder ($0) for as long as its standard input is open.
// It starts the server ("$@") and prints its process number, then obeys one word a line:
//
//	kill   ends the server with SIGKILL, waits for it, prints "dead"
//	start  starts it again on the same folder, prints the process number
//
// End of input is the end: the holder of the pipe exited, panicked or was killed. SIGKILL is right
// there as well, since the folder goes next and a clean shutdown would only take time. The shell
// has not waited for its child before it signals it, so the number cannot be another process's.
// Everything the server writes goes to the file "log" in the folder.
const lifelineScript = `
trap '' PIPE
ulimit -n 10240 2>/dev/null || ulimit -n "$(ulimit -H -n)" 2>/dev/null
dir=$0
m=start
while :; do
	case $m in
	start) "$@" </dev/null >>"$dir/log" 2>&1 & p=$!; echo $p ;;
	kill) kill -KILL $p 2>/dev/null; wait $p; echo dead ;;
	esac
	read -r m || break
done
kill -KILL $p 2>/dev/null
wait $p
rm -rf "$dir"
`

// lifeline is a running lifelineScript. Its methods are not safe for concurrent use; Server has
// the lock.
type lifeline struct {
	cmd     *exec.Cmd
	input   *os.File // holding this open keeps the server alive
	output  *os.File
	replies *bufio.Reader
}

// startLifeline starts the server argv with folder dir and returns its process number. From here
// on dir belongs to the lifeline and is removed with it.
func startLifeline(dir string, argv []string) (*lifeline, int, error) {
	if !supported {
		return nil, 0, errors.New("mysqltest: no server processes on this system; " +
			"set SQLCAS_TEST_DSNS")
	}
	childIn, input, err := os.Pipe()
	if err != nil {
		return nil, 0, fmt.Errorf("mysqltest: lifeline: %w", err)
	}
	output, childOut, err := os.Pipe()
	if err != nil {
		_ = errors.Join(childIn.Close(), input.Close())
		return nil, 0, fmt.Errorf("mysqltest: lifeline: %w", err)
	}
	cmd := exec.Command("sh", append([]string{"-c", lifelineScript, dir}, argv...)...)
	// Files, not io.Readers: os/exec then needs no goroutine, and leak checks stay quiet.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, nil
	cmd.Dir = dir
	isolate(cmd)
	err = cmd.Start()
	_ = errors.Join(childIn.Close(), childOut.Close())
	if err != nil {
		_ = errors.Join(input.Close(), output.Close())
		return nil, 0, fmt.Errorf("mysqltest: lifeline: %w", err)
	}
	l := &lifeline{cmd: cmd, input: input, output: output, replies: bufio.NewReader(output)}
	pid, err := l.pid()
	if err != nil {
		return nil, 0, errors.Join(err, l.close())
	}
	return l, pid, nil
}

// kill ends the server as a crash would and returns when it is gone; the folder stays.
func (l *lifeline) kill() error {
	if _, err := l.input.WriteString("kill\n"); err != nil {
		return fmt.Errorf("mysqltest: lifeline: %w", err)
	}
	if reply, err := l.reply(); err != nil || reply != "dead" {
		return fmt.Errorf("mysqltest: lifeline answered %q to kill: %w", reply, err)
	}
	return nil
}

// start starts the server again and returns its process number. The earlier one must be dead.
func (l *lifeline) start() (int, error) {
	if _, err := l.input.WriteString("start\n"); err != nil {
		return 0, fmt.Errorf("mysqltest: lifeline: %w", err)
	}
	return l.pid()
}

// close ends the server, and returns when its process is gone and its folder removed.
func (l *lifeline) close() error {
	err := l.input.Close()
	return errors.Join(err, l.cmd.Wait(), l.output.Close())
}

// pid reads the process number that the script prints after each start.
func (l *lifeline) pid() (int, error) {
	reply, err := l.reply()
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(reply)
	if err != nil {
		return 0, fmt.Errorf("mysqltest: lifeline answered %q, not a process number", reply)
	}
	return pid, nil
}

// reply reads one line of the script's answers; it gives up after 30 s.
func (l *lifeline) reply() (string, error) {
	_ = l.output.SetReadDeadline(time.Now().Add(30 * time.Second))
	line, err := l.replies.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("mysqltest: lifeline: %w", err)
	}
	return strings.TrimSuffix(line, "\n"), nil
}
