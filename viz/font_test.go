package viz

import (
	"testing"

	"pgregory.net/rapid"
)

// dejaVu holds the advance widths of the characters from space to ~ in DejaVu Sans 2.37 and in its
// bold face, in 1/2048 em.
var dejaVu = map[bool][]int{
	false: {
		651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651, 739, 651, 690, 1303, 1303, 1303,
		1303, 1303, 1303, 1303, 1303, 1303, 1303, 690, 690, 1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430, 1577, 1294,
		1178, 1587, 1540, 604, 604, 1343, 1141, 1767, 1532, 1612, 1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403,
		1251, 1403, 799, 690, 799, 1716, 1024, 1024, 1255, 1300, 1126, 1300, 1260, 721, 1300, 1298, 569, 569, 1186,
		569, 1995, 1298, 1253, 1300, 1300, 842, 1067, 803, 1298, 1212, 1675, 1212, 1212, 1075, 1303, 690, 1303, 1716,
	},
	true: {
		713, 934, 1067, 1716, 1425, 2052, 1786, 627, 936, 936, 1071, 1716, 778, 850, 778, 748, 1425, 1425, 1425,
		1425, 1425, 1425, 1425, 1425, 1425, 1425, 819, 819, 1716, 1716, 1716, 1188, 2048, 1585, 1561, 1503, 1700, 1399,
		1399, 1681, 1714, 762, 762, 1587, 1305, 2038, 1714, 1741, 1501, 1741, 1577, 1475, 1397, 1663, 1585, 2259, 1579,
		1483, 1485, 936, 748, 936, 1716, 1024, 1024, 1382, 1466, 1214, 1466, 1389, 891, 1466, 1458, 702, 702, 1362,
		702, 2134, 1458, 1407, 1466, 1466, 1010, 1219, 979, 1458, 1335, 1892, 1321, 1335, 1192, 1458, 748, 1458, 1716,
	},
}

// dejaVuMono is the advance width of all characters in DejaVu Sans Mono and its bold face.
const dejaVuMono = 1233

// others are non-ASCII characters that occur in pictures.
var others = map[rune]map[bool]int{
	'·': {false: 651, true: 778}, '→': {false: 1716, true: 1716},
	'×': {false: 1716, true: 1716}, '…': {false: 2048, true: 2048},
}

// inDejaVu returns the width of a text in DejaVu, the widest of the fonts that a picture names.
func (f font) inDejaVu(s string) float64 {
	total := 0
	for _, c := range s {
		switch {
		case f.mono:
			total += dejaVuMono
		case others[c] != nil:
			total += others[c][f.bold]
		default:
			total += dejaVu[f.bold][c-' ']
		}
	}
	return float64(total) * f.size / 2048
}

// TestWidths: the estimated width of a text suffices in DejaVu and is not much larger, for each
// character and for whole texts.
func TestWidths(t *testing.T) {
	fonts := []font{titleFont, subtitleFont, frameFont, threadFont, eventFont, meetingFont, edgeFont, legendFont}
	for _, f := range fonts {
		for c := ' '; c <= '~'; c++ {
			if is, room := f.inDejaVu(string(c)), f.width(string(c)); is > room || room > 3*is {
				t.Errorf("%s: %q is %.2f wide, and has room of %.2f", f.class, c, is, room)
			}
		}
	}
	for c := range others {
		for _, f := range fonts {
			if is, room := f.inDejaVu(string(c)), f.width(string(c)); is > room {
				t.Errorf("%s: %q is %.2f wide, and has room of %.2f", f.class, c, is, room)
			}
		}
	}
	for _, c := range "漢한あ" { // square characters
		if w := legendFont.width(string(c)); w < legendFont.size {
			t.Errorf("%q has room of %.2f", c, w)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(fonts).Draw(t, "font")
		s := rapid.StringMatching("[ -~]{20,60}").Draw(t, "text")
		if is, room := f.inDejaVu(s), f.width(s); is > room || room > 1.4*is {
			t.Errorf("%s: %q is %.2f wide, and has room of %.2f", f.class, s, is, room)
		}
	})
}
