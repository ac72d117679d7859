//! Words that conversations are full of and that are no topic.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Folded, not stemmed; beside the stop words of search.
const WORDS: &str = "
    able absolutely actually agree ahead almost already alright although always amazing another
    anyone anything anyway appreciate around ask asked away awesome awful back bad beautiful
    became become believe best better big bit bring brings brought bye came care certainly chance
    check come comes coming congrats congratulations cool course cute day days definitely
    different done each easy else end enjoy enjoyed enough especially even ever every everyone
    everything exactly excited exciting fantastic far feel feeling feels felt few find fine
    first forward found full fun gave get gets getting give gives giving glad goes going gonna
    good got gotta great guess had happen happened happy hard hear heard hello help helped
    helpful helping helps hey hi hope hoping huge idea ill image important incredible inspiring
    interested interesting keep kind knew know last later least leave less let lets life like
    liked little long look looked looking looks lot lots love lucky loved lovely made make makes
    making man many matter may maybe mean means might mind moment moments month much must name
    need needed needs new next nice nothing oh ok okay old one ones part people perfect person
    photo pic picture place please plus point possible pretty probably proud put quite ready
    real really reminds right said saw say saying says see seeing seem seems seen sense share
    shared sharing show showing shows since someone something sometimes soon sorry sort sounds
    special start started stay still stuff super sure take taken takes taking talk talked
    talking tell thank thankful thanks thing things think thinking thought time times today
    together told tomorrow took totally tried true truly try trying two understand use used
    using want wanted wants way ways week weekend weeks well went whatever whole wish wonderful
    word words world worth wow yeah year years yes yesterday yet yup
";

/// Whether a folded word is no topic.
pub(super) fn is_filler(folded: &str) -> bool {
    static FILLERS: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
    FILLERS.contains(folded)
}
