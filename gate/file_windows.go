package gate

// unixPermissions is false: Windows keeps access in lists that mode bits do not show.
const unixPermissions = false
