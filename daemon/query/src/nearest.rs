//! Names that are like one that is not there.

/// So many are told.
const MOST: usize = 3;

/// The known names that are most like this one, the most alike first; each once.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let lower = name.to_lowercase();
    let likeness = |known: &str| {
        let known = known.to_lowercase();
        // People leave the package out, or the class.
        let last = known.rsplit(['.', '$']).next().unwrap_or(&known).to_owned();
        let word = lower.rsplit(['.', '$']).next().unwrap_or(&lower);
        strsim::jaro_winkler(&lower, &known).max(strsim::jaro_winkler(word, &last))
    };
    let mut alike: Vec<(f64, &str)> = known
        .into_iter()
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    alike.dedup_by_key(|(_, known)| *known);
    let names = alike.into_iter().map(|(_, known)| known.to_owned());
    names.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_come_first_and_strangers_not_at_all() {
        let known = [
            "call-chain",
            "call-tree",
            "locals",
            "pkg.Order",
            "pkg.Orders",
        ];
        assert_eq!(nearest("call-chian", known)[0], "call-chain");
        assert_eq!(nearest("ordr", known)[0], "pkg.Order");
        assert!(nearest("zzz", known).is_empty());
    }
}
