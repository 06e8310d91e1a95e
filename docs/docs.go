// Package docs holds the reference pages, for programs that hand them out.
package docs

import "embed"

// Reference are the pages of the folder reference.
//
//go:embed reference/*.md
var Reference embed.FS
