"""Archives as an attacker writes them: each a list of entries, or raw bytes."""
import io
import struct
import tarfile
import zipfile


def entry(name, body=b"", **more):
    info = tarfile.TarInfo(name)
    info.size = len(body)
    for key, value in more.items():
        setattr(info, key, value)
    return info, body


def directory(name, mode=0o755):
    return entry(name, type=tarfile.DIRTYPE, mode=mode)


def symlink(name, target):
    return entry(name, type=tarfile.SYMTYPE, linkname=target)


def hardlink(name, target):
    return entry(name, type=tarfile.LNKTYPE, linkname=target)


def tar(*entries, mode="w", form=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form, errors="surrogateescape") as archive:
        for info, body in entries:
            archive.addfile(info, io.BytesIO(body))
    return out.getvalue()


def zipped(*entries, method=zipfile.ZIP_DEFLATED):
    """Entries are (name or ZipInfo, body)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, body in entries:
            archive.writestr(name, body)
    return out.getvalue()


def zip_mode(name, mode):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def raw_tar_header(name, size=0, kind=b"0", mode=0o644, magic=b"ustar\x0000", rest=b""):
    """One header block with every field as given, and a right checksum."""
    digits = b"%011o\0" % size if size < 8 ** 11 else b"\x80" + struct.pack(">3xQ", size)
    block = bytearray(512)
    block[0:len(name)] = name
    block[100:108] = b"%07o\0" % mode
    block[108:124] = b"0000000\0" * 2
    block[124:136] = digits
    block[136:148] = b"00000000000\0"
    block[156:157] = kind
    block[257:265] = magic
    block[345:345 + len(rest)] = rest
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def pax_header(*records):
    body = b""
    for key, value in records:
        size = len(key) + len(value) + 3
        while len(str(size)) + len(key) + len(value) + 3 != size:
            size = len(str(size)) + len(key) + len(value) + 3
        body += b"%d %s=%s\n" % (size, key, value)
    return raw_tar_header(b"pax", len(body), b"x") + body + b"\0" * (-len(body) % 512)


END = b"\0" * 1024
