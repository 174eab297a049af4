//go:build !windows

package gate

const unixPermissions = true
