package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"isadiff/engine/atomicfile"
	"isadiff/engine/kept"
	"isadiff/engine/lockfile"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/watch/capture"
)

// A Store keeps the figures of revisions: a snapshot for each tree of sources. Its
// methods may be called at the same time.
type Store struct {
	own    string // the folder that is written to; "" for none
	folder string // that of all shards; "" without shards
	unlock func()

	mu     sync.Mutex
	share  *Share // what own says of itself; nil without shards
	others map[string]seen
}

// seen is what another shard said of itself, and when.
type seen struct {
	share *Share
	at    time.Time
	size  int64
}

// A Share is what a shard says of itself, in the file shard.json of its folder.
type Share struct {
	Format    int     `json:"format"`
	Tool      string  `json:"tool"` // the version of isadiff
	Kind      string  `json:"kind"` // bisect or history
	Command   string  `json:"command"`
	Settings  string  `json:"settings"` // see capture.Revisions.Settings
	Shard     int     `json:"shard"`    // from 1
	Of        int     `json:"of"`
	Revisions []Entry `json:"revisions"` // of all shards
	// Gaps are why revisions have no figures, by commit.
	Gaps map[string]lack `json:"gaps"`

	dir string
}

// A lack is a [Gap] in a file.
type lack struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
	More    int          `json:"more,omitzero"`
}

// An Entry is a revision of a history.
type Entry struct {
	Commit  string `json:"commit"`
	Tree    string `json:"tree"`
	Author  string `json:"author"`
	Date    string `json:"date"`
	Subject string `json:"subject"`
	Skipped int    `json:"skipped,omitzero"` // see trend.Commit
}

// Revision returns the revision of an entry.
func (e Entry) Revision() capture.Revision {
	return capture.Revision{Name: e.Commit[:min(12, len(e.Commit))], Commit: e.Commit, Tree: e.Tree, Author: e.Author, Date: e.Date, Subject: e.Subject}
}

// EntryOf returns the entry of a revision.
func EntryOf(r capture.Revision) Entry {
	return Entry{Commit: r.Commit, Tree: r.Tree, Author: r.Author, Date: r.Date, Subject: r.Subject}
}

const (
	format    = 1
	shareName = "shard.json"
	maxShare  = 256 << 20
	// forgotten is after how long without use the figures of some settings are removed.
	forgotten = 60 * 24 * time.Hour
)

// OpenCache opens the user's own store for some settings and a version of isadiff. The
// error is why nothing can be kept.
func OpenCache(settings, tool string) (*Store, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	all := filepath.Join(user, "isadiff", "revisions")
	entries, _ := os.ReadDir(all)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && time.Since(info.ModTime()) > forgotten {
			_ = os.RemoveAll(filepath.Join(all, e.Name()))
		}
	}
	s := &Store{own: filepath.Join(all, settings+"-"+strings.Map(plain, tool)), unlock: func() {}}
	if err := os.MkdirAll(s.own, 0o700); err != nil {
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(s.own, now, now)
	return s, nil
}

// plain keeps what the name of a folder may have everywhere.
func plain(r rune) rune {
	if r < 0x80 && (r == '.' || r == '-' || r == '+' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
		return r
	}
	return '_'
}

// MaxShards is how many shards a run has at most.
const MaxShards = 10_000

// ShardName is the name of the folder of a shard.
func ShardName(shard, of int) string { return fmt.Sprintf("shard-%d-of-%d", shard, of) }

// OpenShard opens the folder of a shard below that of all. It is locked until Close,
// as far as the file system has locks. What it holds of another run is refused.
func OpenShard(folder string, share Share) (*Store, error) {
	dir := filepath.Join(folder, ShardName(share.Shard, share.Of))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, problem.New(problem.OutputUnwritable, "%s cannot be made: %v", dir, problem.Cause(err))
	}
	unlock, err := lockShard(dir)
	if err != nil {
		return nil, err
	}
	share.Format, share.dir, share.Gaps = format, dir, map[string]lack{}
	s := &Store{own: dir, folder: folder, unlock: unlock, share: &share}
	if old, err := readShare(filepath.Join(dir, shareName)); err == nil {
		if what := old.difference(&share); what != "" {
			unlock()
			return nil, problem.New(problem.MergeConflict, "%s holds a shard of another run: %s", dir, what).In(dir).Mended("give a new folder with --to")
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		unlock()
		return nil, problem.New(problem.InputUnreadable, "%s: %v", filepath.Join(dir, shareName), err).Mended("remove the folder %s if nobody needs it", dir)
	}
	if err := s.save(); err != nil {
		unlock()
		return nil, err
	}
	return s, nil
}

// lockShard keeps a second process out of the folder of a shard.
func lockShard(dir string) (unlock func(), err error) {
	lock := lockfile.New(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR)
	locked, err := lock.TryLock()
	switch {
	case lockfile.Unopened(err):
		return nil, problem.New(problem.OutputUnwritable, "%s cannot be written: %v", dir, problem.Cause(err))
	case err != nil: // no locks here: each file is still written whole
		_ = lock.Close()
		return func() {}, nil
	case !locked:
		_ = lock.Close()
		return nil, problem.New(problem.RunUnderWay, "another process is this shard: it holds %s", dir).In(dir).Mended("wait for its end, or end it")
	}
	return func() { _ = lock.Close() }, nil
}

// OpenShards opens the folders of shards to read them. Shares are what they say of
// themselves, one for each shard that is there, in order.
func OpenShards(folder string) (*Store, []*Share, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, nil, problem.New(problem.InputNotFound, "%s is no folder", folder).In(folder).Mended("give the folder that the shards were given with --to")
	}
	shares, err := readShares(folder)
	if err != nil {
		return nil, nil, err
	}
	if len(shares) == 0 {
		return nil, nil, problem.New(problem.InputNotFound, "%s holds no shard: no shard-I-of-N/%s", folder, shareName).In(folder).
			Mended("give the folder that the shards were given with --to; `isadiff trend` shows snapshots")
	}
	for _, share := range shares[1:] {
		if what := shares[0].difference(share); what != "" {
			return nil, nil, problem.New(problem.MergeConflict, "%s and %s are of different runs: %s", shares[0].dir, share.dir, what).In(share.dir).
				Mended("keep the shards of one run in one folder")
		}
	}
	return &Store{folder: folder, unlock: func() {}}, shares, nil
}

// readShares returns the shards of a folder that can be read.
func readShares(folder string) (shares []*Share, err error) {
	paths, err := filepath.Glob(filepath.Join(globQuoted(folder), "shard-*-of-*", shareName))
	if err != nil {
		return nil, problem.New(problem.InputUnreadable, "%s: %v", folder, err)
	}
	for _, path := range paths {
		share, err := readShare(path)
		if err != nil {
			return nil, problem.New(problem.InputUnreadable, "%s: %v", path, err).In(path).Mended("start that shard again: it writes the file anew")
		}
		shares = append(shares, share)
	}
	slices.SortFunc(shares, func(a, b *Share) int { return a.Shard - b.Shard })
	return shares, nil
}

// globQuoted returns a path as a pattern that stands for itself.
func globQuoted(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

func readShare(path string) (*Share, error) {
	text, err := regular.ReadWithin(path, maxShare)
	if err != nil {
		return nil, err
	}
	s := &Share{dir: filepath.Dir(path)}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, errors.New("is not what a shard writes")
	}
	if s.Format != format {
		return nil, fmt.Errorf("is of form %d, which this isadiff does not read", s.Format)
	}
	if filepath.Base(s.dir) != ShardName(s.Shard, s.Of) || s.Shard < 1 || s.Shard > s.Of || s.Of > MaxShards {
		return nil, fmt.Errorf("says that it is shard %d of %d", s.Shard, s.Of)
	}
	for _, e := range s.Revisions {
		if !isHash(e.Commit) || !isHash(e.Tree) {
			return nil, errors.New("names what is no revision")
		}
	}
	for _, l := range s.Gaps {
		if !problem.Known(l.Code) {
			return nil, fmt.Errorf("has a gap of the unknown code %q", l.Code)
		}
	}
	return s, nil
}

// isHash reports whether a text names a file in a folder and nothing else, as the hash
// of a tree does.
func isHash(s string) bool {
	return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == ""
}

// difference says in what two shards are not of one run; "" if they are.
func (s *Share) difference(o *Share) string {
	for _, d := range [...]struct{ what, a, b string }{
		{"one is a %s and one a %s", s.Kind, o.Kind},
		{"one is of %s shards and one of %s", fmt.Sprint(s.Of), fmt.Sprint(o.Of)},
		{"the commands are `%s` and `%s`", s.Command, o.Command},
		{"isadiff is %s and %s", s.Tool, o.Tool},
	} {
		if d.a != d.b {
			return fmt.Sprintf(d.what, d.a, d.b)
		}
	}
	if s.Settings != o.Settings {
		return "they have other architectures, another folder for the command, or other variables (FLYDSL_*, TRITON_*, HIP*, ROCM*, PYTHON*, AMD*, HSA_*)"
	}
	if !slices.Equal(s.Revisions, o.Revisions) {
		return "they are of other revisions"
	}
	return ""
}

// Close ends the use of a shard's folder.
func (s *Store) Close() { s.unlock() }

// Find returns the snapshot of a tree, of whichever shard.
func (s *Store) Find(tree string) (path string, ok bool) {
	if path, ok = s.ownPath(tree); ok {
		return path, true
	}
	if s.folder == "" {
		return "", false
	}
	found, _ := filepath.Glob(filepath.Join(globQuoted(s.folder), "shard-*-of-*", tree+".json"))
	if len(found) == 0 {
		return "", false
	}
	return found[0], true
}

// madePath returns where it is kept what made the figures of a snapshot.
func madePath(snapshot string) string { return strings.TrimSuffix(snapshot, ".json") + ".made" }

// ownPath returns where this store keeps a tree, and whether it does.
func (s *Store) ownPath(tree string) (path string, ok bool) {
	if s.own == "" {
		return "", false
	}
	path = filepath.Join(s.own, tree+".json")
	return path, regular.Exists(path)
}

// Gap returns why another shard has no figures of a revision; nil if none says so.
func (s *Store) Gap(commit string) *Gap {
	if s.folder == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	paths, _ := filepath.Glob(filepath.Join(globQuoted(s.folder), "shard-*-of-*", shareName))
	for _, path := range paths {
		share := s.other(path)
		if share == nil {
			continue // which is said where all are read
		}
		if l, ok := share.Gaps[commit]; ok && share.dir != s.own {
			return &Gap{Problem: problem.New(l.Code, "%s", l.Message), More: l.More}
		}
	}
	return nil
}

// other returns what another shard says of itself, read again only if that changed; nil if it
// cannot be read. The caller holds mu.
func (s *Store) other(path string) *Share {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	known := s.others[path]
	if !known.at.Equal(info.ModTime()) || known.size != info.Size() {
		share, _ := readShare(path)
		known = seen{share, info.ModTime(), info.Size()}
		if s.others == nil {
			s.others = map[string]seen{}
		}
		s.others[path] = known
	}
	return known.share
}

// note keeps why a revision has no figures.
func (s *Store) note(commit string, gap *Gap) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.share == nil {
		return nil
	}
	s.share.Gaps[commit] = lack{gap.Code, gap.Message, gap.More}
	return s.save()
}

// save writes what a shard says of itself.
func (s *Store) save() error {
	path := filepath.Join(s.own, shareName)
	text, err := json.Marshal(s.share, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		err = atomicfile.Write(path, append(text, '\n'))
	}
	if err != nil {
		return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.Cause(err))
	}
	return nil
}

// Drop forgets all figures of the store's own folder.
func (s *Store) Drop() error {
	if s.own == "" {
		return nil
	}
	entries, err := os.ReadDir(s.own)
	if err != nil {
		return problem.Unreadable(s.own, err)
	}
	for _, e := range entries {
		tree, found := strings.CutSuffix(e.Name(), ".json")
		if !found || !isHash(tree) {
			continue
		}
		if err := s.forget(filepath.Join(s.own, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// forget removes one snapshot.
func (s *Store) forget(path string) error {
	if err := os.Remove(path); err != nil {
		return problem.New(problem.OutputUnwritable, "%s cannot be removed: %v", path, problem.Cause(err))
	}
	_ = os.Remove(kept.Path(path)) // one that stays is known to be of other figures
	_ = os.Remove(madePath(path))
	return nil
}
