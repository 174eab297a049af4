package leak

// StartsWord reports whether a word may begin at i: nothing before it belongs to it.
// The end of an escape sequence in a text in a text (\n, \u0022, %20) and of one
// that sets a colour (ESC[31m) does not, although it looks like a letter or a digit.
func StartsWord(t string, i int) bool {
	return i == 0 || !isWord(t[i-1]) || afterEscape(t, i) || afterColour(t, i)
}

// startsAt reports whether a credential may begin at i. After a hyphen or a plus it
// is the end of a name, except where that is the sign of a changed line or of a flag.
func startsAt(t string, i int) bool {
	const limitSigns = 4
	for n := 0; n < limitSigns && i > 0 && (t[i-1] == '-' || t[i-1] == '+'); n++ {
		i--
	}
	return StartsWord(t, i)
}

// afterEscape reports whether \n, \r, \t, \u00XX, \xXX or %XX ends before i.
func afterEscape(t string, i int) bool {
	if i >= 2 && t[i-2] == '\\' {
		return t[i-1] == 'n' || t[i-1] == 'r' || t[i-1] == 't'
	}
	if i < 3 || !isHex(t[i-1]) || !isDigit(t[i-2]) {
		return false
	}
	return t[i-3] == '%' || i >= 4 && t[i-4:i-2] == `\x` || i >= 6 && t[i-6:i-2] == `\u00`
}

// limitColour is the length of what is looked at of a sequence that sets a colour.
const limitColour = 24

// afterColour reports whether ESC[…m or ESC[K ends before i. Stored text has lost the
// escape character itself, so that it is not asked for.
func afterColour(t string, i int) bool {
	if t[i-1] != 'm' && t[i-1] != 'K' {
		return false
	}
	for j := i - 2; j >= max(0, i-limitColour); j-- {
		if b := t[j]; b == '[' {
			return true
		} else if !isDigit(b) && b != ';' && b != ':' {
			return false
		}
	}
	return false
}

func isHex(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }
