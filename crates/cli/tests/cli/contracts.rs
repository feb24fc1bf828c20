//! Contracts as they are printed: they speak of names of the source alone.

use crate::support::{Folder, wayproof};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// The contracts that `check` prints about a program that is safe.
fn contracts(name: &str, text: &str) -> Vec<String> {
    let folder = Folder::new(name);
    let file = folder.file("a.c", format!("{HEAD}{text}"));
    let words = ["check", file.to_str().unwrap(), "--check", "none", "--engine", "recmc"];
    let finished = wayproof(words);
    assert_eq!(finished.code, 0, "{finished:?}");
    let is_before = |line: &&str| !line.starts_with("contracts, ");
    let lines = finished.stdout.lines().skip_while(is_before).skip(2);
    lines.take_while(|line| line.starts_with("    ")).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn offsets_of_pointers_are_left_out() {
    let text = "static int count(const char *s, int n)
{
    if (n <= 0 || *s == 0)
        return 0;
    return 1 + count(s + 1, n - 1) + count(s + 1, n - 2);
}
int main(void)
{
    char text[8] = \"abcdefg\";
    int n = __VERIFIER_nondet_int();
    if (count(text, n) < 0)
        reach_error();
    return 0;
}
";
    let printed = contracts("contracts-offsets", text);
    assert!(printed.iter().any(|fact| fact == "\\result >= 0"), "{printed:?}");
    assert!(!printed.iter().any(|fact| fact.contains("%offset")), "{printed:?}");
}

#[test]
fn members_of_a_result_have_no_name() {
    let text = "struct pair { int a, b; };
static int depth;
static struct pair walk(struct pair p)
{
    depth = 7;
    if (p.a <= 0)
        return p;
    struct pair q = { p.a - 1, p.b };
    q = walk(q);
    q.a = p.a - 2;
    q = walk(q);
    q.b = q.b + 1;
    return q;
}
int main(void)
{
    struct pair p = { __VERIFIER_nondet_int(), 5 };
    if (walk(p).b < 5 || depth != 7)
        reach_error();
    return 0;
}
";
    let printed = contracts("contracts-members", text);
    assert!(printed.iter().any(|fact| fact == "depth == 7"), "{printed:?}");
    assert!(!printed.iter().any(|fact| fact.contains("%result")), "{printed:?}");
}
