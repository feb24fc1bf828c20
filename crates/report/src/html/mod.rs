//! The report as one web page: source, execution, automata, search tree and figures. It works without a server and loads nothing.
//!
//! What is shown is embedded as JSON (crates/report/src/html/data.rs) and drawn by the scripts beside this file, so that trees
//! of many thousand nodes need not be markup.
//!
//! # Invariants
//! * I1: no text of the program or of paths becomes markup: in the JSON every `<` is escaped, elsewhere [`escape`] is used, and the
//!   scripts set text contents only.
//! * I2: the page refers to nothing outside of itself, and its own policy forbids it to.

mod automata;
mod data;
mod execution;
mod figures;

use base::timeline::Entry;
use base::{Region, Stop};
use cfa::Program;
use engine::SearchTree;

use crate::steps::Step;
use crate::{Color, Detail, Run, human};

/// What a page shows beyond a report.
#[derive(Debug, Default)]
pub struct Insight<'a> {
    /// The search tree, if the engine has one.
    pub tree: Option<&'a SearchTree>,
    /// The program after the passes, which is the one that is searched.
    pub prepared: Option<&'a Program>,
    /// What guides the search.
    pub summaries: Summaries,
    /// The execution of a counterexample.
    pub steps: Vec<Step>,
    /// What happened when.
    pub timeline: Vec<Entry>,
    /// The words of the command line after the name of the program.
    pub command: Vec<String>,
}

/// What the paths from points of a program to the error have in common.
#[derive(Debug, Default)]
pub struct Summaries {
    /// Where, and the message.
    pub points: Vec<(Region, String)>,
    /// Why there are none.
    pub missing: Option<String>,
}

/// The scripts in the order in which they build on each other.
const SCRIPTS: [&str; 8] = [
    include_str!("script/elements.js"),
    include_str!("script/source.js"),
    include_str!("script/trace.js"),
    include_str!("script/layered.js"),
    include_str!("script/drawing.js"),
    include_str!("script/automata.js"),
    include_str!("script/tree.js"),
    include_str!("script/page.js"),
];

/// The whole page.
pub fn page(run: &Run<'_>, insight: &Insight<'_>) -> String {
    let headline = human::render(run, Detail::Verdict, Color::Plain);
    let file = run.task.files.first().map_or("", String::as_str);
    let title = format!("{} - {file}", headline.split(':').next().unwrap_or(""));
    fill_page(&title, &human::render(run, Detail::Full, Color::Plain), &data::json(run, insight))
}

/// The page of a run that was ended from outside: nothing but that.
pub fn unfinished(stop: Stop, command: &[String]) -> String {
    fill_page("UNKNOWN", &format!("UNKNOWN: {stop}\n"), &data::unfinished(stop, command))
}

fn fill_page(title: &str, text: &str, data: &str) -> String {
    let values = [
        ("{{title}}", escape(title)),
        ("{{style}}", include_str!("page.css").to_owned()),
        ("{{text}}", escape(text)),
        ("{{data}}", embedded(data)),
        ("{{script}}", SCRIPTS.concat()),
    ];
    fill(include_str!("page.html"), &values)
}

/// Puts values in the places of a template, in order; values are not searched for places.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    for (place, value) in values {
        let Some((before, after)) = rest.split_once(place) else { continue };
        page.push_str(before);
        page.push_str(value);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// JSON that neither ends the script element that it stands in nor opens a comment (I1).
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Text that means itself, in an element or a quoted attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("</pre><a href='\"&"), "&lt;/pre&gt;&lt;a href=&#39;&quot;&amp;");
        assert_eq!(embedded(r#"{"a":"</script><!--"}"#), r#"{"a":"\u003c/script>\u003c!--"}"#);
    }

    #[test]
    fn the_page_has_every_place_and_refers_to_nothing_else() {
        let template = include_str!("page.html");
        let places = ["{{title}}", "{{style}}", "{{text}}", "{{data}}", "{{script}}"];
        let positions: Vec<usize> = places.iter().map(|place| template.find(place).unwrap()).collect();
        assert!(positions.is_sorted(), "{positions:?}");
        // The name of a namespace is no address.
        let own = [template, include_str!("page.css"), &SCRIPTS.concat()]
            .concat()
            .replace("http://www.w3.org/2000/svg", "");
        for word in ["http:", "https:", "src=", "@import", "url(", "innerHTML", "eval("] {
            assert!(!own.contains(word), "{word}");
        }
        assert_eq!(
            fill("a{{x}}b{{y}}c", &[("{{x}}", "{{y}}".to_owned()), ("{{y}}", "2".to_owned())]),
            "a{{y}}b2c"
        );
    }
}
