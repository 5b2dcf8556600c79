package hotrow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// dismissal is how long a worker may take to end before it is killed.
const dismissal = 10 * time.Second

// process is a crowd in a process of its own, which runs Serve.
type process struct {
	number     int
	cmd        *exec.Cmd
	in         io.WriteCloser // the process ends when it is closed, also by our own end
	out        io.ReadCloser
	dismissal  time.Duration
	complaints tail
	answers    chan answer
	closing    chan struct{}
	ended      chan struct{} // the process is gone; closed after the two below are set
	garbled    error         // what was wrong with its output
	exit       error         // how it ended
}

// startProcess starts a worker and has it open its crowd. Close it when done; after an error it is closed already.
func startProcess(ctx context.Context, number int, cmd *exec.Cmd, o outfit) (*process, error) {
	p := &process{
		number: number, cmd: cmd, dismissal: dismissal,
		answers: make(chan answer, 1), closing: make(chan struct{}), ended: make(chan struct{}),
	}
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, p.fault(err)
	}
	if p.out, err = cmd.StdoutPipe(); err != nil {
		return nil, p.fault(err)
	}
	cmd.Stderr, cmd.WaitDelay = &p.complaints, dismissal
	if err := cmd.Start(); err != nil {
		return nil, p.fault(err)
	}
	go p.listen()
	if _, err := p.ask(ctx, request{Open: &o}); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// listen hands on what the worker answers, until it ends.
func (p *process) listen() {
	defer close(p.ended)
	for lines := json.NewDecoder(p.out); ; {
		var a answer
		if err := lines.Decode(&a); err != nil {
			if !errors.Is(err, io.EOF) {
				p.garbled = err
				p.kill()
			}
			break
		}
		select {
		case p.answers <- a:
		case <-p.closing:
		}
	}
	p.exit = p.cmd.Wait()
}

// take has the worker's callers work for a turn.
func (p *process) take(ctx context.Context, t turn) (tally, error) {
	a, err := p.ask(ctx, request{Take: &t})
	switch {
	case err != nil:
		return tally{}, err
	case a.Tally == nil || !a.Tally.complete(t):
		return tally{}, p.fault(errors.New("it answered without saying what all of its callers have done; " +
			"is it another version of this program?"))
	}
	return *a.Tally, nil
}

// ask sends a request and waits for its answer.
func (p *process) ask(ctx context.Context, r request) (answer, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return answer{}, p.fault(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		p.kill() // it has closed its input, and would never answer
	}
	select {
	case a := <-p.answers:
		return p.heard(a)
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-p.ended:
	}
	select {
	case a := <-p.answers: // its last one
		return p.heard(a)
	default:
		return answer{}, p.fault(p.ending())
	}
}

func (p *process) heard(a answer) (answer, error) {
	if a.Error != "" {
		return answer{}, p.fault(errors.New(a.Error))
	}
	return a, nil
}

// ending says why a worker that should be there is not. It must have ended.
func (p *process) ending() error {
	err := errors.New("it ended without being told to")
	switch {
	case p.garbled != nil:
		err = fmt.Errorf("its answer is not understood: %w", p.garbled)
	case p.exit != nil:
		err = p.exit
	}
	if said := strings.TrimSpace(p.complaints.String()); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return err
}

func (p *process) fault(err error) error { return fmt.Errorf("process %d: %w", p.number, err) }

// close ends the worker, and returns when it is gone.
func (p *process) close() {
	close(p.closing)
	_ = p.in.Close()
	timer := time.AfterFunc(p.dismissal, p.kill)
	defer timer.Stop()
	<-p.ended
}

// kill is for a worker that does not listen. The pipe may be held by a process that it has started.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.out.Close()
}
