#!/usr/bin/env python3
"""Golden pictures and picture files from Pillow (made with 13.0).

    python3 make_pillow_golden.py ../fixtures

Writes vision/pillow_bilinear.safetensors: probe pictures scaled with Image.resize(BILINEAR), and pictures/*: one small
picture (quarters red, green, blue, white from the top left; 24×16) in the kinds that OpenCV cannot write."""
import os
import sys

import numpy as np
from PIL import Image

sys.path.insert(0, os.path.dirname(__file__))
from seeded import probe_pictures, write_safetensors  # noqa: E402

ORIENTATION = 0x0112


def scaled(folder):
    arrays = {}
    # source width × height → result width × height; "box" is the middle that `crop` shows
    for w, h, to_w, to_h in ((321, 243, 80, 80), (1283, 719, 64, 64), (64, 48, 96, 96), (17, 5, 64, 64), (1, 1, 8, 8),
                             (500, 375, 32, 48)):
        picture = Image.fromarray(probe_pictures(3, 1, w, h)[0])
        name = f"{w}x{h}_to_{to_w}x{to_h}"
        arrays["squeeze_" + name] = np.asarray(picture.resize((to_w, to_h), Image.BILINEAR))
        scale = min(w / to_w, h / to_h)
        left, top = (w - to_w * scale) / 2, (h - to_h * scale) / 2
        arrays["crop_" + name] = np.asarray(
            picture.resize((to_w, to_h), Image.BILINEAR, box=(left, top, w - left, h - top)))
    write_safetensors(os.path.join(folder, "pillow_bilinear.safetensors"), arrays)


def quarters():
    picture = np.zeros((16, 24, 3), np.uint8)
    picture[:8, :12] = (255, 0, 0)
    picture[:8, 12:] = (0, 255, 0)
    picture[8:, :12] = (0, 0, 255)
    picture[8:, 12:] = (255, 255, 255)
    return Image.fromarray(picture)


# How an upright picture has to be stored so that the EXIF turn makes it upright again.
STORE = {2: [Image.FLIP_LEFT_RIGHT], 3: [Image.ROTATE_180], 4: [Image.FLIP_TOP_BOTTOM], 5: [Image.TRANSPOSE],
         6: [Image.ROTATE_90], 7: [Image.TRANSVERSE], 8: [Image.ROTATE_270]}


def files(folder):
    picture = quarters()

    def save(name, image=picture, **options):
        image.save(os.path.join(folder, name), **options)

    for orientation, steps in STORE.items():
        turned = picture
        for step in steps:
            turned = turned.transpose(step)
        exif = Image.Exif()
        exif[ORIENTATION] = orientation
        save(f"turned_{orientation}.jpg", turned, quality=95, subsampling=0, exif=exif)
        if orientation == 6:
            save("turned_6.png", turned, exif=exif)
            save("turned_6.webp", turned, lossless=True, exif=exif)
        if orientation in (3, 6, 8):
            save(f"turned_{orientation}.tif", turned, tiffinfo={ORIENTATION: orientation})
    save("palette.png", picture.convert("P", palette=Image.ADAPTIVE, colors=4))
    clear = picture.convert("P", palette=Image.ADAPTIVE, colors=4)
    save("palette_transparent.png", clear, transparency=clear.getpixel((20, 12)))  # the white quarter
    half = picture.convert("RGBA")
    half.putalpha(128)
    save("half_transparent.png", half)
    save("half_transparent.webp", half, lossless=True, exact=True)
    grey = picture.convert("L")
    save("grey.jpg", grey, quality=95)
    save("grey.png", grey)
    grey_alpha = grey.convert("LA")
    grey_alpha.putalpha(128)
    save("grey_alpha.png", grey_alpha)
    save("one_bit.png", grey.point(lambda v: 255 * (v > 60)).convert("1"))
    save("grey_16.png", Image.fromarray(np.asarray(grey).astype(np.uint16) * 257))
    save("cmyk.jpg", picture.convert("CMYK"), quality=95, subsampling=0)
    save("cmyk.tif", picture.convert("CMYK"))
    save("progressive.jpg", picture, quality=95, subsampling=0, progressive=True)
    save("plain.bmp")
    save("plain.ppm")
    save("lossy.webp", quality=95)
    save("animated.webp", save_all=True, append_images=[grey.convert("RGB")], duration=100)
    save("deflate.tif", compression="tiff_adobe_deflate")
    save("float.tif", Image.fromarray(np.asarray(grey).astype(np.float32) / 255))


if __name__ == "__main__":
    scaled(os.path.join(sys.argv[1], "vision"))
    files(os.path.join(sys.argv[1], "pictures"))
