//! Writes the vocabulary and the classes of characters as tables that are looked up in place.
//!
//! What is in the files is said in `src/layout.rs`, which the program reads them by.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "src/layout.rs"]
mod layout;

use layout::{BLOCK, Class, EMPTY, LONGEST, RANK_BITS, fingerprint, hash, home};
use regex_syntax::hir::{Class as Ranges, HirKind};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/layout.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the folder"));
    let tokens = tokens();
    write_tokens(&folder, &tokens);
    write(&folder, "slots", &little_endian(&slots(&tokens)));
    write_classes(&folder);
}

/// Every token, by its rank.
fn tokens() -> Vec<Vec<u8>> {
    let library = tiktoken_rs::o200k_base().expect("the library's own vocabulary");
    let tokens: Vec<Vec<u8>> = (0..)
        .map_while(|rank| library.decode_bytes(&[rank]).ok())
        .collect();
    assert_eq!(tokens.len(), 199_998, "o200k_base has as many");
    assert_eq!(tokens.iter().map(Vec::len).max(), Some(LONGEST));
    assert!((0..=u8::MAX).all(|byte| tokens.contains(&vec![byte])));
    tokens
}

/// The bytes of all tokens one behind the other, and where each starts.
fn write_tokens(folder: &Path, tokens: &[Vec<u8>]) {
    let mut starts = vec![0];
    for token in tokens {
        let length = u32::try_from(token.len()).expect("tokens are short");
        starts.push(starts.last().expect("begun with one") + length);
    }
    write(folder, "bytes", &tokens.concat());
    write(folder, "starts", &little_endian(&starts));
}

/// A hash table with open addressing, a third of it empty.
fn slots(tokens: &[Vec<u8>]) -> Vec<u32> {
    let mut slots = vec![EMPTY; tokens.len() * 3 / 2];
    for (rank, token) in tokens.iter().enumerate() {
        let rank = u32::try_from(rank).expect("far fewer");
        let hash = hash(token);
        let entry = fingerprint(hash) << RANK_BITS | rank;
        assert!(rank < 1 << RANK_BITS && entry != EMPTY);
        let mut place = home(hash, slots.len());
        while slots[place] != EMPTY {
            place = (place + 1) % slots.len();
        }
        slots[place] = entry;
    }
    slots
}

/// The class of every character in two steps: which block, then which class in it.
fn write_classes(folder: &Path) {
    let mut numbers: HashMap<Vec<u8>, u8> = HashMap::new();
    let (mut index, mut blocks) = (Vec::new(), Vec::new());
    for block in classes().chunks(BLOCK) {
        let next = numbers.len();
        let number = *numbers.entry(block.to_vec()).or_insert_with(|| {
            blocks.extend_from_slice(block);
            u8::try_from(next).expect("few blocks differ")
        });
        index.push(number);
    }
    write(folder, "class_index", &index);
    write(folder, "class_blocks", &blocks);
}

/// The class of every character, as the library's patterns see it.
fn classes() -> Vec<u8> {
    let mut classes = vec![Class::Other as u8; char::MAX as usize + 1];
    let patterns = [
        (r"[\p{Lu}\p{Lt}]", Class::Upper),
        (r"\p{Ll}", Class::Lower),
        (r"[\p{Lm}\p{Lo}]", Class::Caseless),
        (r"\p{M}", Class::Mark),
        (r"\p{N}", Class::Number),
        (r"\s", Class::Space),
        (r"[\r\n]", Class::Newline),
    ];
    for (pattern, class) in patterns {
        let parsed = regex_syntax::parse(pattern).expect("a class");
        let HirKind::Class(Ranges::Unicode(ranges)) = parsed.kind() else {
            panic!("{pattern} is not a class of characters");
        };
        for range in ranges.ranges() {
            classes[range.start() as usize..=range.end() as usize].fill(class as u8);
        }
    }
    classes
}

fn little_endian(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
