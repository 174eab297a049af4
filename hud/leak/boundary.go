package leak

// StartsWord reports whether a word may start at i. The last byte of an escape in a quoted string
// or URL (\n, \u0022, %20), or of a colour sequence (ESC[31m), is not part of the word, although it
// is a letter or a digit.
func StartsWord(t string, i int) bool {
	return i == 0 || !isWord(t[i-1]) || afterEscape(t, i) || afterColour(t, i)
}

// startsAt reports whether a credential may start at i. Up to four hyphens or plus signs before i
// may belong to a diff line or a flag; if a word precedes them, they are part of that word, and no
// credential starts at i.
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

// limitColour is the maximum length of a colour sequence.
const limitColour = 24

// afterColour reports whether ESC[…m or ESC[K ends before i. The escape character itself
// is not required, because CleanText removes it.
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
