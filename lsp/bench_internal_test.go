package lsp

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"isadiff/engine/live"
)

// BenchmarkPublishOneChange is the way from a new state to the bytes in the queue
// with 10,000 kernels of 5,000 files, 100 of them worse. Goal: under 5 ms.
func BenchmarkPublishOneChange(b *testing.B) {
	root := b.TempDir()
	s := testServer(b, io.Discard)
	state := manyKernels(root, 10000, 100)
	v := viewOf(b, s, root, state)
	s.publish.publish(v)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		i = (i + 97) % len(state.Kernels)
		state = withOneChanged(state, i)
		v = &view{Server: s, docs: v.docs, folders: []folderView{{folder: v.folders[0].folder, state: state, config: v.folders[0].config}}}
		b.StartTimer()
		s.publish.publish(v)
	}
}

func BenchmarkHover(b *testing.B) {
	root := b.TempDir()
	s := testServer(b, io.Discard)
	v := viewOf(b, s, root, manyKernels(root, 10000, 100))
	p := &protocol.HoverParams{}
	p.TextDocument.URI = uri.File(filepath.Join(root, "module_00001.py"))
	p.Position = protocol.Position{Line: 10, Character: 6}
	b.ReportAllocs()
	for b.Loop() {
		if h, err := v.hover(context.Background(), p); h == nil || err != nil {
			b.Fatal(h, err)
		}
	}
}

func BenchmarkCodeLens(b *testing.B) {
	root := b.TempDir()
	s := testServer(b, io.Discard)
	v := viewOf(b, s, root, manyKernels(root, 10000, 100))
	p := &protocol.CodeLensParams{}
	p.TextDocument.URI = uri.File(filepath.Join(root, "module_00001.py"))
	b.ReportAllocs()
	for b.Loop() {
		if l, err := v.codeLens(context.Background(), p); len(l) == 0 || err != nil {
			b.Fatal(l, err)
		}
	}
}

func BenchmarkManyVariants(b *testing.B) {
	root := b.TempDir()
	state, ks := oneDefinition(root, 10000, 100)
	v := viewOf(b, testServer(b, io.Discard), root, state)
	c := lensContext{v.Server, v.folders[0].folder, state}
	b.Run("hover", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			hoverText(v.folders[0].config, state, ks, false, time.Now(), func(*live.Kernel) looked { return looked{} })
		}
	})
	b.Run("lens", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.definitionLens(ks)
		}
	})
	b.Run("findings", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			findings(v.folders[0].config, ks)
		}
	})
}
