"""Makes the pictures of the extension's page: page.py SHOTS MEDIA. SHOTS has a folder for each theme, with the frames of the
animation, the parts of the window and the icon that page.cjs took; those of the themes of PARTS are published, the
others are there to be looked at. Needs Pillow, Debian's python3-pil."""
import json
import pathlib
import sys

from PIL import Image, PngImagePlugin

PARTS = {"dark": ("ledger", "panel", "window"), "light": ("ledger", "panel", "window", "file"),
         "high-contrast-dark": ("window",), "high-contrast-light": ("window",)}
TOURS = ("dark", "light")


def smaller(picture):
    """A picture with a palette: these have few colours, of which small ones are not to be taken for their neighbours."""
    return picture.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def note(words):
    """What is to be read in a picture, for lab/e2e, which compares figures with the programs'."""
    info = PngImagePlugin.PngInfo()
    info.add_itxt("Description", words)
    return info


def animate(shots, file):
    frames = json.loads((shots / "frames.json").read_text())
    first, *rest = [Image.open(shots / frame["file"]).convert("RGB") for frame in frames]
    first.save(file, save_all=True, append_images=rest, duration=[frame["ms"] for frame in frames], loop=0,
               quality=32, method=6, minimize_size=True)


def main(shots, media):
    page = media / "page"
    page.mkdir(parents=True, exist_ok=True)
    for theme, parts in ((shots / name, parts) for name, parts in PARTS.items()):
        if theme.name in TOURS:
            animate(theme, page / f"tour-{theme.name}.webp")
        for part in parts:
            words = note((theme / f"{part}.txt").read_text(encoding="utf-8"))
            smaller(Image.open(theme / f"{part}.png")).save(page / f"{part}-{theme.name}.png", optimize=True, pnginfo=words)
    Image.open(shots / "dark" / "icon.png").save(media / "icon.png", optimize=True)
    for file in sorted(page.iterdir()):
        print(f"{file.stat().st_size:8,} {file.name}")


main(*map(pathlib.Path, sys.argv[1:]))
