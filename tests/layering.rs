//! Reads the sources and holds them to the architecture: which module may use which, where `unsafe` and constants may
//! stand, and that scheme code knows neither lane widths nor backends.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// What each module of the crate may use of the others; within itself everything. Dependencies point down.
const MAY_USE: &[(&str, &[&str])] = &[
    ("adrs", &[]),
    ("secret", &[]),
    // to name the backend that is missing
    ("error", &["engine"]),
    ("lanes", &["adrs", "secret"]),
    ("portable", &["adrs", "lanes"]),
    ("x86", &["adrs", "lanes", "portable"]),
    ("aarch64", &["adrs", "lanes", "portable"]),
    // the marks are machine code
    ("ct", &["x86"]),
    ("engine", &["aarch64", "error", "lanes", "portable", "x86"]),
    ("hash", &["adrs", "engine", "error"]),
    ("count", &["hash", "lanes"]),
    ("schedule", &["adrs", "hash", "lanes"]),
    ("keccak", &["adrs", "count", "engine", "error", "hash", "lanes", "schedule", "secret"]),
    ("sha2", &["adrs", "count", "engine", "error", "hash", "lanes", "schedule", "secret"]),
    ("threads", &["secret"]),
    ("message", &["error"]),
    ("prehash", &["engine", "error", "hash", "message"]),
    ("random", &["error"]),
    ("ring", &["ct", "engine", "lanes"]),
    ("mgf1", &["hash"]),
    // the engine that the digest crate's traits take without being asked
    ("hmac", &["ct", "engine", "error", "hash", "secret"]),
    ("hkdf", &["error", "hash", "hmac", "secret"]),
    ("pbkdf2", &["error", "hash", "hmac", "secret", "threads"]),
    ("at_rest", &["engine", "error", "hash", "pbkdf2", "secret", "sha2"]),
    ("ml_dsa", &["ct", "engine", "error", "hash", "message", "prehash", "random", "ring", "secret", "threads"]),
    (
        "slh_dsa",
        &["adrs", "ct", "engine", "error", "hash", "hmac", "message", "mgf1", "prehash", "random", "secret", "threads"],
    ),
];

/// The files that say which hash functions a scheme is made of, by name.
const NAME_HASHES: &[&str] = &["ml_dsa/functions.rs", "prehash.rs", "slh_dsa/family.rs"];
const HASHES: &[&str] = &[
    "Sha224",
    "Sha256",
    "Sha384",
    "Sha512",
    "Sha512_224",
    "Sha512_256",
    "Sha3_224",
    "Sha3_256",
    "Sha3_384",
    "Sha3_512",
    "Shake128",
    "Shake256",
    "Stream",
    "abreast",
    "side_by_side",
    "stream_many",
];

/// Only the crate's root sees everything: it declares and re-exports.
const ROOT: &str = "lib.rs";
const UNSAFE_MODULES: &[&str] = &["x86", "aarch64"];
const LONGEST_FILE: usize = 600;

/// One source file: its path below `src`, with slashes, and its text.
struct Source {
    path: String,
    text: String,
    /// The text without comments, literals and unit tests.
    code: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned(), code: without_tests(&blanked(text)) }
    }

    /// The module of the crate that the file belongs to.
    fn module(&self) -> &str {
        self.path.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    /// How far below the crate's root the file's module is.
    fn depth(&self) -> usize {
        self.path.split('/').count() - usize::from(self.path.ends_with("/mod.rs"))
    }
}

fn sources() -> Vec<Source> {
    fn walk(dir: &Path, prefix: &str, found: &mut Vec<Source>) {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{path}/"), found);
            } else if Path::new(&path).extension().is_some_and(|extension| extension == "rs") {
                found.push(Source::new(&path, &fs::read_to_string(entry.path()).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut found);
    assert!(found.len() >= 20, "only {} source files found", found.len());
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The text with every character of a comment or of a string or character literal replaced by a blank.
fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let word_before = start > 0 && (at(start - 1).is_alphanumeric() || at(start - 1) == '_');
        match (at(i), at(i + 1)) {
            ('/', '/') => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            ('/', '*') => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
            }
            ('r', '"' | '#') if !word_before => {
                let hashes = (i + 1..chars.len()).take_while(|&j| at(j) == '#').count();
                if at(i + 1 + hashes) == '"' {
                    i += 2 + hashes;
                    while i < chars.len() && !(at(i) == '"' && (1..=hashes).all(|j| at(i + j) == '#')) {
                        i += 1;
                    }
                    i += 1 + hashes;
                } else {
                    i += 1;
                }
            }
            ('"', _) => {
                i += 1;
                while i < chars.len() && at(i) != '"' {
                    i += if at(i) == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            // a character literal, not a lifetime
            ('\'', next) if next == '\\' || at(i + 2) == '\'' => {
                i += if next == '\\' { 3 } else { 2 };
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            (c, _) => {
                out.push(c);
                i += 1;
                continue;
            }
        }
        let blanks = chars[start..i.min(chars.len())].iter().map(|&c| if c == '\n' { '\n' } else { ' ' });
        out.extend(blanks);
    }
    out
}

/// Removes what `#[cfg(test)]` or `#[cfg(all(test, ...))]` guards from blanked code.
fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = ["#[cfg(test", "#[cfg(all(test"].iter().filter_map(|guard| rest.find(guard)).min() {
        let (before, guarded) = rest.split_at(at);
        out.push_str(before);
        let mut depth = 0;
        let end = guarded.char_indices().find(|&(_, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0 && (c == '}' || c == ';')
        });
        rest = end.map_or("", |(i, c)| &guarded[i + c.len_utf8()..]);
    }
    out + rest
}

/// Identifiers and punctuation, `::` as one.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let len = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    tokens
}

/// Expands the path that begins at `tokens[at]`, with braces, into `paths`, and returns where it ends.
fn expand<'a>(tokens: &[&'a str], mut at: usize, prefix: &[&'a str], paths: &mut Vec<Vec<&'a str>>) -> usize {
    let mut path = prefix.to_vec();
    while let Some(&token) = tokens.get(at) {
        if token == "{" {
            at += 1;
            while tokens.get(at).is_some_and(|&token| token != "}") {
                at = expand(tokens, at, &path, paths);
                while tokens.get(at).is_some_and(|&token| token != "," && token != "}") {
                    at += 1; // `as name`
                }
                at += usize::from(tokens.get(at) == Some(&","));
            }
            return at + 1;
        }
        path.push(token);
        at += 1;
        if tokens.get(at) != Some(&"::") {
            break;
        }
        at += 1;
    }
    paths.push(path);
    at
}

/// Every path of a file that begins at the crate's root, without the `crate`.
fn crate_paths(source: &Source) -> Vec<Vec<&str>> {
    let tokens = tokens(&source.code);
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let begins = tokens.get(at + 1) == Some(&"::") && (at == 0 || tokens[at - 1] != "::");
        let mut supers = 0;
        while tokens.get(at + 2 * supers) == Some(&"super") {
            supers += 1;
        }
        if begins && tokens[at] == "crate" {
            at = expand(&tokens, at + 2, &[], &mut paths);
        } else if begins && supers > 0 && supers >= source.depth() {
            at = expand(&tokens, at + 2 * supers, &[], &mut paths);
        } else {
            at += 1;
        }
    }
    paths
}

/// Edges between modules that the table does not have.
fn edge_faults(sources: &[Source]) -> Vec<String> {
    let table: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut faults = Vec::new();
    for source in sources.iter().filter(|source| source.path != ROOT) {
        let module = source.module();
        let Some(allowed) = table.get(module) else {
            faults.push(format!("{}: module {module} is not in the table", source.path));
            continue;
        };
        for path in crate_paths(source) {
            let named = NAME_HASHES.contains(&source.path.as_str())
                && matches!(path[..], ["keccak" | "sha2", item] if HASHES.contains(&item));
            if path[0] != module && !allowed.contains(&path[0]) && !named {
                faults.push(format!("{}: {module} uses {}", source.path, path.join("::")));
            }
        }
    }
    faults
}

#[test]
fn dependencies_point_down() {
    let sources = sources();
    let faults = edge_faults(&sources);
    assert!(faults.is_empty(), "{faults:#?}");

    let used: usize = sources.iter().map(|source| crate_paths(source).len()).sum();
    assert!(used > 50, "only {used} paths found");
}

#[test]
fn a_stray_dependency_is_found() {
    let faults = |path: &str, text: &str| edge_faults(&[Source::new(path, text)]).len();
    for (path, text, want) in [
        ("slh_dsa/wots.rs", "use crate::hash::Hash;", 0),
        ("slh_dsa/wots.rs", "use crate::lanes::Items;", 1),
        ("slh_dsa/wots.rs", "use crate::{adrs::Adrs, engine::{Engine, Choice}, x86::Avx2 as A, lanes};", 2),
        ("slh_dsa/wots.rs", "use crate::{\n    hash::{Hash, Tweak},\n    sha2::{Sha256, Sha512},\n};", 2),
        ("slh_dsa/family.rs", "use crate::sha2::{Sha256, Sha512};", 0),
        ("slh_dsa/family.rs", "use crate::sha2::{Sha256, variant};", 1),
        ("slh_dsa/family.rs", "use crate::sha2;", 1),
        ("slh_dsa/wots.rs", "fn f() { crate::schedule::go() }", 1),
        ("slh_dsa/wots.rs", "use super::{family, super::lanes};", 0),
        ("slh_dsa/wots.rs", "use super::super::lanes;", 1),
        ("slh_dsa/mod.rs", "use super::lanes;", 1),
        ("slh_dsa/mod.rs", "pub(crate) mod lanes; use self::lanes;", 0),
        ("portable/sha2.rs", "use super::keccak; macro_rules! m { () => { $crate::engine::Engine::get() } }", 1),
        ("hash.rs", "use crate::*;", 1),
        ("hash.rs", "use crate::Engine;", 1),
        ("hash.rs", "use super::lanes;", 1),
        (
            "hash.rs",
            "// use crate::lanes;\n/* crate::lanes */ const A: &str = \"crate::lanes\"; const B: char = '\"';",
            0,
        ),
        ("hash.rs", "const A: char = '\\''; use crate::lanes; const B: &str = r#\"crate::lanes\"\"#;", 1),
        ("hash.rs", "fn f<'a>(a: &'a u8) {} use crate::lanes;", 1),
        ("hash.rs", "#[cfg(test)]\nmod tests { fn f() { {} } use crate::sha2::Sha256; }\nuse crate::sha2::Sha256;", 1),
        ("hash.rs", "#[cfg(all(test, unix))]\nmod tests { use super::*; }\n#[cfg(not(test))] use crate::lanes;", 1),
        ("newcomer.rs", "", 1),
    ] {
        assert_eq!(faults(path, text), want, "{path}: {text}");
    }
}

/// Files outside the architectures' folders that contain the keyword.
fn unsafe_faults(sources: &[Source]) -> Vec<&str> {
    let has = |source: &&Source| tokens(&blanked(&source.text)).contains(&"unsafe");
    sources.iter().filter(|s| !UNSAFE_MODULES.contains(&s.module())).filter(has).map(|s| s.path.as_str()).collect()
}

#[test]
fn unsafe_stands_in_the_architectures_folders_only() {
    assert_eq!(unsafe_faults(&sources()), Vec::<&str>::new());
    let planted = ["hash.rs", "x86/avx2.rs", "x86.rs", "slh_dsa/x86.rs"].map(|p| Source::new(p, "unsafe { f() }"));
    assert_eq!(unsafe_faults(&planted), ["hash.rs", "slh_dsa/x86.rs"]);
    assert_eq!(
        unsafe_faults(&[Source::new("lib.rs", "#[allow(unsafe_code)] // unsafe\nmod x86;")]),
        Vec::<&str>::new()
    );
}

/// Words of scheme code that name a lane count or a backend.
fn width_faults(sources: &[Source]) -> Vec<String> {
    let backends = ["avx", "neon", "shani", "sha_ni", "lanes"];
    let width =
        |word: &str| word == "W" || word.strip_prefix(['x', 'X']).is_some_and(|n| ["2", "4", "8", "16"].contains(&n));
    let fault = |word: &str| {
        let lower = word.to_ascii_lowercase();
        width(word) || backends.iter().any(|name| lower.starts_with(name) || lower.contains(&format!("_{name}")))
    };
    sources
        .iter()
        .filter(|source| ["ml_dsa", "slh_dsa"].contains(&source.module()))
        .flat_map(|source| {
            tokens(&source.code).into_iter().filter(|word| fault(word)).map(|w| format!("{}: {w}", source.path))
        })
        .collect()
}

#[test]
fn scheme_code_knows_no_width_and_no_backend() {
    assert_eq!(width_faults(&sources()), Vec::<String>::new());
    let faults = |path, text| width_faults(&[Source::new(path, text)]).len();
    assert_eq!(faults("slh_dsa/wots.rs", "f::<W>(x4, LANES, Avx512, sha_ni, Neon, HAS_AVX2, MAX_LANES)"), 8);
    assert_eq!(faults("slh_dsa/wots.rs", "f(LG_W, ax4, x40, plane, x) // W lanes of AVX2"), 0);
    assert_eq!(faults("ml_dsa/sign.rs", "f::<W>(x4, LANES)"), 3);
    assert_eq!(faults("keccak.rs", "f::<W>(x4, LANES)"), 0);
}

#[test]
fn the_library_does_not_read_the_environment() {
    for source in sources() {
        for word in ["env", "option_env", "getenv"] {
            assert!(!tokens(&source.code).contains(&word), "{} uses {word}", source.path);
        }
    }
}

#[test]
fn round_constants_stand_in_one_file_each() {
    let sources = sources();
    // the first and the last of each table, and one that SHA-256's shares with SHA-512's
    for (constant, file) in [
        ("0x428a2f98", "portable/sha2.rs"),
        ("0xc67178f2", "portable/sha2.rs"),
        ("0x6c44198c4a475817", "portable/sha2.rs"),
        ("0x0000000000008082", "portable/keccak.rs"),
        ("0x8000000080008081", "portable/keccak.rs"),
        ("0x8000000080008008", "portable/keccak.rs"),
    ] {
        let holds = |source: &&Source| {
            let text = source.code.replace('_', "").to_ascii_lowercase();
            text.contains(constant) || text.contains(&format!("0x{}", constant[2..].trim_start_matches('0')))
        };
        let files: Vec<&str> = sources.iter().filter(holds).map(|source| source.path.as_str()).collect();
        assert_eq!(files, [file], "{constant}");
    }
}

#[test]
fn files_are_short() {
    for source in sources() {
        let lines = source.text.lines().count();
        assert!(lines < LONGEST_FILE, "{} has {lines} lines", source.path);
    }
}

/// The algorithms that comments cite: `Alg. 7`, `Alg. 19, 20`, `Alg. 18 to 20`, `Alg. 19 lines 6 to 10`.
fn cited(text: &str) -> BTreeSet<u32> {
    // a citation may be wrapped into the next comment line
    let text = text.replace("///", " ").replace("//!", " ").replace("//", " ");
    let mut cited = BTreeSet::new();
    for part in text.split("Alg.").skip(1) {
        let mut words = part.split_whitespace();
        let mut last = None;
        while let Some(word) = words.next() {
            let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
            match (number.parse::<u32>(), word, last) {
                (Ok(number), ..) => {
                    cited.insert(number);
                    last = Some(number);
                    let tail = &word[word.len().min(number.to_string().len())..];
                    if !tail.is_empty() && tail != "," {
                        break;
                    }
                }
                (_, "and", Some(_)) => {}
                (_, "to", Some(first)) => {
                    let end =
                        words.next().and_then(|word| word.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok());
                    cited.extend(first..=end.unwrap_or(first));
                    break;
                }
                // line numbers of the algorithm, then perhaps another algorithm
                _ => break,
            }
        }
    }
    cited
}

/// Algorithms up to `last` that no comment of the chosen sources cites, but for exceptions with their reasons, and
/// cited ones that there are not.
fn citation_faults(last: u32, exceptions: &[(u32, &str)], chosen: impl Fn(&Source) -> bool) -> Vec<u32> {
    let found: BTreeSet<u32> = sources().iter().filter(|s| chosen(s)).flat_map(|s| cited(&s.text)).collect();
    let expected: BTreeSet<u32> =
        (1..=last).filter(|n| !exceptions.iter().any(|(exception, _)| exception == n)).collect();
    expected.difference(&found).chain(found.range(last + 1..)).chain(found.range(..1)).copied().collect()
}

#[test]
fn every_algorithm_of_fips_205_is_cited_where_it_lives() {
    let exceptions = [
        (1, "gen_len2 is a constant of all twelve sets, LEN2"),
        (2, "toInt is a fold over bytes or from_be_bytes"),
        (3, "toByte is to_be_bytes"),
    ];
    let faults = citation_faults(25, &exceptions, |s| s.module() == "slh_dsa" || s.path == "hash.rs");
    assert!(faults.is_empty(), "not cited, or no such algorithm: {faults:?}");
}

#[test]
fn every_algorithm_of_fips_204_is_cited_where_it_lives() {
    let exceptions = [
        (9, "IntegerToBits: packing shifts words"),
        (10, "BitsToInteger: likewise"),
        (11, "IntegerToBytes is to_le_bytes"),
        (12, "BitsToBytes: packing shifts words"),
        (13, "BytesToBits: likewise"),
        (46, "AddVectorNTT is a sum for each polynomial"),
    ];
    let lives = ["ring.rs", "portable/ring.rs", "portable/transform.rs"];
    let faults = citation_faults(49, &exceptions, |s| s.module() == "ml_dsa" || lives.contains(&s.path.as_str()));
    assert!(faults.is_empty(), "not cited, or no such algorithm: {faults:?}");
}

/// What the modules of keyed hashes implement, by the documents that say it.
#[test]
fn keyed_hashes_cite_their_standards() {
    let sources = sources();
    for (path, documents) in [
        ("hmac.rs", &["FIPS 198-1 section 4", "RFC 2104 section 5"][..]),
        ("hkdf.rs", &["RFC 5869 section 2.2", "RFC 5869 section 2.3"]),
        ("pbkdf2.rs", &["RFC 8018 section 5.2"]),
        ("at_rest.rs", &["RFC 5958 section 3", "RFC 8018 section 6.2"]),
        ("hash.rs", &["FIPS 198-1", "RFC 8018 section 5.2"]),
    ] {
        let source = sources.iter().find(|source| source.path == path);
        // wrapped lines are one
        let text = source.map(|source| source.text.replace("///", "").replace("//!", "")).unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for document in documents {
            assert!(text.contains(document), "{path} does not cite {document}");
        }
    }
}

#[test]
fn citations_are_read() {
    for (text, want) in [
        ("(Alg. 6, 7, 14). 9 more", vec![6, 7, 14]),
        ("Alg. 18 to 20", vec![18, 19, 20]),
        ("Alg. 19 lines 6 to 10; 12", vec![19]),
        ("`wots` (Alg.\n    /// 22 and 24 line 8, Alg. 23)", vec![22, 23, 24]),
        ("Alg. 4 `base_2b`, Alg. 16 line 2", vec![4, 16]),
        ("Algorithm 3", vec![]),
    ] {
        assert_eq!(cited(text).into_iter().collect::<Vec<_>>(), want, "{text}");
    }
}

/// Where secrets are marked and where marks are taken off, as `file: function value`, and sites that do not cite the
/// standard in the line above or are not spelled so that this test could read them.
fn mark_sites(sources: &[Source]) -> (Vec<String>, Vec<String>) {
    let (mut sites, mut faults) = (Vec::new(), Vec::new());
    for source in sources.iter().filter(|source| !["ct.rs", ROOT].contains(&source.path.as_str())) {
        let lines: Vec<&str> = source.text.lines().collect();
        for (number, line) in source.code.lines().enumerate() {
            let tokens = tokens(line);
            if tokens.windows(2).any(|pair| pair == ["ct", "as"]) {
                faults.push(format!("{}: {}", source.path, line.trim()));
            }
            let begins = |at: usize| tokens[at..].starts_with(&["ct", "::"]) && (at == 0 || tokens[at - 1] != "::");
            for call in (0..tokens.len()).filter(|&at| begins(at)).map(|at| &tokens[at + 2..]) {
                match *call {
                    ["public", "(", "ct", ..] => {
                        let value = line.split("Value::").nth(1).and_then(|rest| rest.split(',').next());
                        sites.push(format!("{}: public {}", source.path, value.unwrap_or_default()));
                        if !number.checked_sub(1).is_some_and(|above| lines[above].contains("Alg. ")) {
                            faults.push(format!("{}: line {} cites no algorithm", source.path, number + 1));
                        }
                    }
                    [function @ ("secret" | "verdict"), "(", ..] => sites.push(format!("{}: {function}", source.path)),
                    // of marks that are there
                    ["is_marked" | "spread", "(", ..] if source.path == "ring.rs" => {}
                    ["Value", ..] => {}
                    _ => faults.push(format!("{}: {}", source.path, line.trim())),
                }
            }
        }
        faults.extend(
            crate_paths(source).iter().filter(|path| path[0] == "ct" && path.len() > 1).map(|path| path.join("::")),
        );
    }
    (sites, faults)
}

#[test]
fn secrets_become_public_at_known_places() {
    let (sites, faults) = mark_sites(&sources());
    assert_eq!(faults, Vec::<String>::new());
    let known = [
        "hmac.rs: verdict",
        "ml_dsa/encoding.rs: verdict",
        "ml_dsa/keys.rs: secret",
        "ml_dsa/keys.rs: secret",
        "ml_dsa/keys.rs: secret",
        "ml_dsa/private.rs: public Rho",
        "ml_dsa/private.rs: public T1",
        "ml_dsa/private.rs: verdict",
        "ml_dsa/private.rs: verdict",
        "ml_dsa/sample.rs: public Accepted",
        "ml_dsa/sign.rs: public CTilde",
        "ml_dsa/sign.rs: public Z",
        "ml_dsa/sign.rs: public Hint",
        "ml_dsa/sign.rs: public Rejection",
        "slh_dsa/cache.rs: verdict",
        "slh_dsa/fors.rs: public PkFors",
        "slh_dsa/fors.rs: public PkFors",
        "slh_dsa/hypertree.rs: public PkRoot",
        "slh_dsa/hypertree.rs: public XmssRoot",
        "slh_dsa/hypertree.rs: public XmssRoot",
        "slh_dsa/keys.rs: secret",
        "slh_dsa/keys.rs: secret",
        "slh_dsa/scheme.rs: public R",
    ];
    assert_eq!(sites, known);

    let planted = |text: &str| mark_sites(&[Source::new("slh_dsa/wots.rs", text)]);
    assert_eq!(planted("// Alg. 7\nct::public(ct::Value::R, x);").0, ["slh_dsa/wots.rs: public R"]);
    for (text, want) in [
        ("// Alg. 7\nct::public(ct::Value::R, x);", 0),
        ("ct::public(ct::Value::R, x);", 1),
        ("// Alg. 7\nct::public(v, x);", 1),
        ("use crate::ct::public;", 1),
        ("use crate::{adrs, ct as c};", 1),
        ("use crate::{ct::{public as p}, adrs};", 2),
        ("let f = ct::verdict;", 1),
        ("// ct::secret", 0),
    ] {
        assert_eq!(planted(text).1.len(), want, "{text}: {:?}", planted(text).1);
    }
}
