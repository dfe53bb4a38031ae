//go:build amd64 && !purego

#include "go_asm.h"
#include "textflag.h"

// Constants, each a byte. A range is tested by adding what brings its first byte to the lowest
// signed one, and comparing with what lies behind its last.
DATA bytes<>+0(SB)/8, $"\x1f\x9a\x3f\x9a\x50\x8a\x77\x85" // a-z, A-Z, 0-9, TAB-CR: what to add, the limit
DATA bytes<>+8(SB)/8, $" \n\r'/stm"
DATA bytes<>+16(SB)/8, $"drvl    "
GLOBL bytes<>(SB), RODATA|NOPTR, $24

// The window is in Y0 and Y1, in lower case in Y6 and Y7; a result is in Y2 and Y3.
#define RANGE(add, limit) \
	VPBROADCASTB bytes<>+add(SB), Y4   \
	VPADDB       Y0, Y4, Y2            \
	VPADDB       Y1, Y4, Y3            \
	VPBROADCASTB bytes<>+limit(SB), Y4 \
	VPCMPGTB     Y2, Y4, Y2            \
	VPCMPGTB     Y3, Y4, Y3

#define EQUAL(byte, low, high) \
	VPBROADCASTB bytes<>+byte(SB), Y4 \
	VPCMPEQB     low, Y4, Y2          \
	VPCMPEQB     high, Y4, Y3

#define OREQUAL(byte, low, high) \
	VPBROADCASTB bytes<>+byte(SB), Y4 \
	VPCMPEQB     low, Y4, Y5          \
	VPOR         Y5, Y2, Y2           \
	VPCMPEQB     high, Y4, Y5         \
	VPOR         Y5, Y3, Y3

#define STORE(low, high, mask) \
	VPMOVMSKB low, AX       \
	VPMOVMSKB high, BX      \
	SHLQ      $32, BX       \
	ORQ       BX, AX        \
	MOVQ      AX, mask(DI)

// func classifyAVX2(window *[windowSize]byte, m *masks)
TEXT ·classifyAVX2(SB), NOSPLIT, $0-16
	MOVQ    window+0(FP), SI
	MOVQ    m+8(FP), DI
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	RANGE(0, 1)
	STORE(Y2, Y3, masks_lower)
	RANGE(2, 3)
	STORE(Y2, Y3, masks_upper)
	RANGE(4, 5)
	STORE(Y2, Y3, masks_digit)
	EQUAL(8, Y0, Y1)
	STORE(Y2, Y3, masks_blank)
	EQUAL(9, Y0, Y1)
	OREQUAL(10, Y0, Y1)
	STORE(Y2, Y3, masks_newline)
	RANGE(6, 7)
	OREQUAL(8, Y0, Y1)
	STORE(Y2, Y3, masks_white)
	EQUAL(11, Y0, Y1)
	STORE(Y2, Y3, masks_apostrophe)
	EQUAL(12, Y0, Y1)
	STORE(Y2, Y3, masks_slash)

	// A space is the bit that makes letters lower-case.
	VPBROADCASTB bytes<>+8(SB), Y4
	VPOR         Y0, Y4, Y6
	VPOR         Y1, Y4, Y7
	EQUAL(13, Y6, Y7)
	OREQUAL(14, Y6, Y7)
	OREQUAL(15, Y6, Y7)
	OREQUAL(16, Y6, Y7)
	STORE(Y2, Y3, masks_suffix)
	EQUAL(17, Y6, Y7)
	OREQUAL(18, Y6, Y7)
	OREQUAL(19, Y6, Y7)
	STORE(Y2, Y3, masks_suffix2)
	STORE(Y0, Y1, masks_high)
	VZEROUPPER
	RET
