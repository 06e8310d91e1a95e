package capture

import "isadiff/engine/producer"

// isAssembly reports whether a file of this name is the end of a compile.
func isAssembly(name string) bool {
	_, role := producer.Builtin().Role(name)
	return role == producer.Assembly
}

// isOrigin reports whether a file of this name is the beginning of one.
func isOrigin(name string) bool {
	_, role := producer.Builtin().Role(name)
	return role == producer.Origin
}
