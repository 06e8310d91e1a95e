// Package realtest holds the tests that run real compilers: Triton, and clang on
// HIP and OpenCL. They need the build tag "producers" and the tools that `make
// test-producers` installs.
package realtest
