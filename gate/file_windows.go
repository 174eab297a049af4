package gate

// unixPermissions is false: on Windows, mode bits do not show who can read a file.
const unixPermissions = false
