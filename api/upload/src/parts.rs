//! Parts of a file, each of which is a body for the service.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek},
    ops::Range,
};

use quipu_notation::record::{Format, Reader, is_plain};

/// Bytes after which a part ends with the next record. A part is repeated if the connection breaks, so it is small.
const BYTES: u64 = 1024 * 1024;
/// Records of a part, at most. The service takes 10 000 of them in a body by default.
const RECORDS: usize = 1000;
/// Bytes by which a file is recognised as text.
const BEGINNING: u64 = 64 * 1024;

/// The parts of a file in the order of its bytes. A file in quipu's own format is divided between records; any other is one
/// part, because compressed files, workbooks, and tables with a heading cannot be cut.
pub fn parts(file: &mut File) -> io::Result<Vec<Range<u64>>> {
    let size = file.metadata()?.len();
    let mut beginning = Vec::new();
    file.rewind()?;
    file.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
    file.rewind()?;
    let mut ends = Vec::new();
    if size > 0 && is_plain(&beginning) {
        let mut reader = Reader::new(BufReader::new(&*file));
        let (mut start, mut records) = (0, 0);
        while let Some(chunk) = reader.next_chunk()? {
            if chunk.format() != Format::Quipu {
                ends.clear();
                break;
            }
            // A chunk that the tags before it belong to stays with them.
            let is_full = records >= RECORDS || chunk.offset() - start >= BYTES;
            if is_full && chunk.tags_before().is_none() {
                ends.push(chunk.offset());
                (start, records) = (chunk.offset(), 0);
            }
            records += 1;
        }
    }
    ends.push(size);
    let starts = std::iter::once(0).chain(ends.iter().copied());
    Ok(starts.zip(&ends).map(|(start, &end)| start..end).collect())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn parts_of(content: &[u8]) -> Vec<Range<u64>> {
        let mut file = tempfile::tempfile().expect("there is room");
        file.write_all(content).expect("there is room");
        parts(&mut file).expect("it is read")
    }

    #[test]
    fn long_texts_are_divided_between_records() {
        let record = "[Game \"brandubh\"]\n[Site \"\u{e1}\"]\n\nd1c1 *\n\n";
        let text = record.repeat(RECORDS * 2 + 1);
        let parts = parts_of(text.as_bytes());
        let size = record.len() as u64;
        let ends: Vec<_> = [1000, 2000, 2001].iter().map(|records| records * size).collect();
        assert_eq!(parts.iter().map(|part| part.end).collect::<Vec<_>>(), ends);
        assert!(parts.windows(2).all(|two| two[0].end == two[1].start) && parts[0].start == 0);
        let long = format!("[Game \"brandubh\"]\n\n{{{}}} d1c1 *\n\n", "a".repeat(400_000)).repeat(5);
        assert_eq!(parts_of(long.as_bytes()).len(), 2, "by size");
    }

    #[test]
    fn other_files_are_whole() {
        for content in [&b""[..], b"[Game \"brandubh\"]\n\nd1c1 *\n", &b"\x1f\x8b\x08\0\0"[..]] {
            assert!(matches!(&parts_of(content)[..], [part] if *part == (0..content.len() as u64)));
        }
        let lines = "{\"game\":\"brandubh\",\"moves\":[]}\n".repeat(3000);
        assert!(matches!(&parts_of(lines.as_bytes())[..], [part] if *part == (0..lines.len() as u64)));
    }
}
