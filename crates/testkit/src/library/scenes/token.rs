//! Cutting strings into tokens.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] =
    &[(3, count_tokens), (3, first_tokens), (3, reentrant), (1, separated), (2, sum)];

const LINES: [&str; 6] =
    ["\"a b c\"", "\"one,two,,three\"", "\"  x  \"", "\",,\"", "\"k=v;w=u\"", "\"1 22 333\""];
const SEPARATORS: [&str; 4] = ["\" \"", "\",\"", "\" ,\"", "\"=;\""];

fn count_tokens(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.choose("line", &LINES);
    b.choose("set", &SEPARATORS);
    b.code(
        "char $line[] = @line;
         int $count = 0;
         size_t $longest = 0;
         for (char *t = strtok($line, @set); t != NULL; t = strtok(NULL, @set)) {
         $count++;
         if (strlen(t) > $longest) $longest = strlen(t);
         }",
    );
    b.number("$count");
    b.number("$longest");
    b.number("$line[0]");
}

fn first_tokens(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.choose("line", &LINES);
    b.choose("set", &SEPARATORS);
    b.code(
        "char $line[32] = @line;
         char *$first = strtok($line, @set);
         char *$second = $first ? strtok(NULL, @set) : NULL;",
    );
    b.truth("$first == NULL");
    b.truth("$second != NULL");
    b.text("$first ? $first : \"none\"");
    b.text("$second ? $second : \"none\"");
}

fn reentrant(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.choose("line", &LINES);
    b.choose("set", &SEPARATORS);
    b.code(
        "char $line[32] = @line;
         char *$rest = NULL;
         int $count = 0;
         char *$last = NULL;
         for (char *t = strtok_r($line, @set, &$rest); t; t = strtok_r(NULL, @set, &$rest)) {
         $last = t;
         $count++;
         }",
    );
    b.number("$count");
    b.truth("$rest == NULL");
    b.truth("$last == NULL");
    b.text("$last ? $last : \"\"");
}

fn separated(b: &mut Builder<'_>) {
    b.include(&["_GNU_SOURCE", "string.h"]);
    b.choose("line", &LINES);
    b.code(
        "char $line[32] = @line;
         char *$at = $line;
         int $empty = 0;
         int $fields = 0;
         for (char *f; (f = strsep(&$at, \",\")) != NULL; $fields++) {
         if (*f == '\\0') $empty++;
         }",
    );
    b.number("$fields");
    b.number("$empty");
    b.truth("$at == NULL");
}

fn sum(b: &mut Builder<'_>) {
    b.include(&["string.h", "stdlib.h"]);
    b.choose("line", &["\"1 2 3\"", "\"10 x 5\"", "\"7\"", "\"\""]);
    b.code(
        "char $line[] = @line;
         int $sum = 0;
         char *$token = strtok($line, \" \");
         while ($token != NULL) {
         $sum += atoi($token);
         $token = strtok(NULL, \" \");
         }",
    );
    b.number("$sum");
    b.truth("$token == NULL");
}
