package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"isadiff/engine/pressure"
)

// A Server is one session with one client. Make it with [New], run it once.
type Server struct {
	version string
	log     *log.Logger // for developers, on stderr; never the wire
	methods map[string]method
	cmds    map[string]command

	root     context.Context // ends with the session; all background work hangs on it
	cancel   context.CancelFunc
	work     tasks
	life     life
	ready    chan struct{} // closed when the client listens
	exited   chan struct{} // closed by the exit notification
	exitOnce sync.Once
	orphaned chan struct{} // closed when the parent process is gone

	conn      jsonrpc2.Conn
	out       *outgoing
	calls     *calls
	client    client
	docs      atomic.Pointer[documents]
	settings  atomic.Pointer[map[string]any] // what the client sent last, for all folders
	folders   folders
	hints     atomic.Bool // inlay hints were registered
	causes    *cache[causeKey, *pressure.Analysis]
	whys      *cache[whyKey, *seenWhy]
	comparing chan struct{} // holds one token while instructions are compared: one comparison at a time
	sources   *cache[sourceKey, compiledLines]
	besides   *cache[besideKey, *beside]
	fetched   *fetched
	pages     codePages
	publish   *publisher
	progress  progress
	memory    memory
}

// Options are what a server needs of its surroundings.
type Options struct {
	Version string
	Log     io.Writer // what a developer may want to know
}

// New makes a server; nothing runs before Run.
func New(o Options) *Server {
	s := &Server{
		version: o.Version,
		log:     log.New(o.Log, "isadiff lsp: ", 0),
		methods: methods(), cmds: commands(),
		ready: make(chan struct{}), exited: make(chan struct{}), orphaned: make(chan struct{}),
	}
	s.root, s.cancel = context.WithCancel(context.Background())
	s.docs.Store(noDocuments())
	s.settings.Store(new(map[string]any))
	s.calls = newCalls(s.root)
	s.fetched = newFetched()
	s.causes = newCache[causeKey, *pressure.Analysis](causesKept)
	s.whys = newCache[whyKey, *seenWhy](whysKept)
	s.comparing = make(chan struct{}, 1)
	s.sources = newCache[sourceKey, compiledLines](sourcesKept)
	s.besides = newCache[besideKey, *beside](besidesKept)
	s.publish = newPublisher(s)
	return s
}

// How long an ended session may take to leave: for the client to read what still
// waits, and for handlers and watchers to return.
const (
	drainTime = 500 * time.Millisecond
	leaveTime = 5 * time.Second // a compile that is ended politely takes 3
)

// Run serves until the client exits, hangs up or is gone, or ctx ends. It
// returns the process's exit code: 0 if the client said shutdown before, else 1
// (LSP 3.18, "Exit Notification").
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) int {
	s.memory.begin()
	s.out = newOutgoing(out)
	from := &incoming{Reader: in, ended: make(chan struct{})}
	s.conn = jsonrpc2.NewConn(newStream(pipe{from, s.out}), jsonrpc2.WithCodec(codec{}))
	s.background(s.publish.run)
	s.conn.Go(context.Background(), s.handle) // calls end requests with the session, answered

	select {
	case <-s.exited:
	case <-from.ended:
		if from.err != io.EOF {
			s.log.Printf("reading from the client: %v", from.err)
		}
	case <-s.conn.Done():
		if err := s.conn.Err(); err != nil {
			s.log.Printf("the connection broke: %v", err)
		}
	case <-s.out.broken:
		s.log.Printf("writing to the client: %v", s.out.err)
	case <-s.orphaned:
		s.log.Print("the editor's process is gone")
	case <-ctx.Done():
		s.log.Printf("stopped: %v", context.Cause(ctx))
	}
	clean := s.life.at(stopped)
	s.leave(leaveTime)
	if clean {
		return 0
	}
	return 1
}

// leave ends all that runs and waits for it as long as patience lasts: neither a
// client that does not read nor a disk that hangs can hold it up.
func (s *Server) leave(patience time.Duration) {
	s.cancel()
	s.memory.end()
	s.calls.end()
	left := make(chan struct{})
	go func() {
		defer close(left)
		s.calls.wait()
		s.work.end()
	}()
	select {
	case <-left:
	case <-time.After(patience):
		s.log.Print("left although some work had not ended")
	}
	s.out.Close()
	select {
	case <-s.out.done:
	case <-time.After(drainTime):
	}
}

// background runs f until it returns or the session ends; Run waits for it. A
// panic in it is logged and ends f alone.
func (s *Server) background(f func(ctx context.Context)) {
	s.work.begin(func() {
		defer func() {
			if r := recover(); r != nil {
				s.logCrash("background work", r)
			}
		}()
		f(s.root)
	})
}

// view is what a request sees: everything as it was when the request was read.
// It is immutable.
type view struct {
	*Server
	docs    *documents
	folders []folderView
}

func (s *Server) view() *view {
	return &view{Server: s, docs: s.docs.Load(), folders: s.folders.view()}
}

// callTimeout is how long the server waits for the client's answer to a request
// of its own.
const callTimeout = 10 * time.Second

// ask sends the client a request and waits for the answer. It must never run on
// the goroutine of a handler that holds up reading.
func (s *Server) ask(ctx context.Context, method string, params, result any) error {
	if s.life.at(stopped) {
		return fmt.Errorf("asking the client for %s: %w", method, errStopped)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := s.conn.Call(ctx, method, params, result); err != nil {
		return fmt.Errorf("asking the client for %s: %w", method, err)
	}
	return nil
}

// errStopped is why nothing new is asked of a client that said shutdown.
var errStopped = errors.New("the client has shut the session down")

// tell sends the client a notification. After shutdown it hears only how work that
// it knows of has ended.
func (s *Server) tell(method string, params any) {
	if s.life.at(stopped) && method != protocol.MethodProgress {
		return
	}
	if err := s.conn.Notify(context.Background(), method, params); err != nil && s.root.Err() == nil {
		s.log.Printf("telling the client %s: %v", method, err)
	}
}
