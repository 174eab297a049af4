package gate

// Windows keeps access in lists that the mode bits do not show.
const unixPermissions = false
