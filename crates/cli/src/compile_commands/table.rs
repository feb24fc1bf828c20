//! The options of gcc and clang, by what they do to a program.
//!
//! # Invariants
//! * T1: an option that is in no table is not known, and a command that has it is refused: no table matches options by a prefix.
//! * T2: an option is harmless only if it changes neither a macro nor the behaviour of a program without undefined behaviour.

/// What an option does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// It may set macros, and changes nothing else: the preprocessor gets it.
    Passed,
    /// It changes nothing that is checked.
    Harmless,
    /// It changes the meaning of programs in a way that is not modelled.
    Refused,
    /// In no table (T1).
    Unknown,
}

/// Whole words that the preprocessor gets.
const PASSED: [&str; 17] = [
    "-ansi",
    "-pthread",
    "-nostdinc",
    "-undef",
    "-trigraphs",
    "-msse",
    "-msse2",
    "-mfpmath=sse",
    "-O",
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-O4",
    "-Os",
    "-Og",
    "-Oz",
];

/// `-fNAME`, `-fno-NAME` and `-fNAME=VALUE` that set macros, or decide what `__FILE__` is.
const PASSED_F: &str = "PIC PIE asynchronous-unwind-tables cf-protection exceptions file-prefix-map freestanding gnu89-inline \
     hosted macro-prefix-map non-call-exceptions openmp pic pie stack-protector stack-protector-all \
     stack-protector-explicit stack-protector-strong trapping-math unwind-tables";

/// `-mNAME`, `-mno-NAME` and `-mNAME=VALUE` that set macros: the instructions of the machine.
const PASSED_M: &str = "3dnow 3dnowa abm adx aes amx-bf16 amx-int8 amx-tile arch avx avx2 avx5124fmaps avx5124vnniw \
     avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512er avx512f avx512fp16 avx512ifma avx512pf \
     avx512vbmi avx512vbmi2 avx512vl avx512vnni avx512vp2intersect avx512vpopcntdq avxvnni bmi bmi2 \
     cldemote clflushopt clwb clzero cmodel crc32 cx16 enqcmd f16c fma fma4 fsgsbase fxsr gfni hle hreset \
     kl lwp lzcnt mmx movbe movdir64b movdiri mwait mwaitx pclmul pconfig pku popcnt prefetchwt1 prfchw \
     ptwrite rdpid rdrnd rdseed rtm sahf serialize sgx sha shstk sse3 sse4 sse4.1 sse4.2 sse4a ssse3 tbm \
     tsxldtrk tune uintr vaes vpclmulqdq waitpkg wbnoinvd widekl xop xsave xsavec xsaveopt xsaves";

/// The versions of C whose rules are those of the front end, or, before 1999, the rules about constants that it knows.
const STANDARDS: &str = "c89 c90 iso9899:1990 iso9899:199409 gnu89 gnu90 c99 c9x iso9899:1999 iso9899:199x gnu99 gnu9x c11 c1x \
     iso9899:2011 gnu11 gnu1x c17 c18 iso9899:2017 iso9899:2018 gnu17 gnu18";

/// Optimisation, code layout, debugging, profiling, diagnostics and linking: `-fNAME`, `-fno-NAME` and `-fNAME=VALUE`.
const HARMLESS_F: &str = "abi-version ada-spec-parent addrsig aggressive-loop-optimizations align-functions align-jumps \
     align-labels align-loops allocation-dce allow-store-data-races analyzer ansi-escape-codes \
     asan-shadow-offset asm auto-inc-dec auto-profile bit-tests branch-count-reg branch-probabilities \
     branch-target-load-optimize btr-bb-exclusive builtin caller-saves callgraph-info \
     canonical-system-headers caret-diagnostics check-data-deps checking code-hoisting color-diagnostics \
     combine-stack-adjustments common compare-debug compare-elim conserve-stack coverage-mapping \
     cprop-registers crash-diagnostics crossjumping cse-follow-jumps cse-skip-blocks data-sections dce \
     debug-compilation-dir debug-info-for-profiling debug-prefix-map debug-types-section defer-pop \
     delayed-branch delete-dead-exceptions delete-null-pointer-checks devirtualize \
     devirtualize-speculatively diagnostics-absolute-paths diagnostics-color diagnostics-column-origin \
     diagnostics-column-unit diagnostics-escape-format diagnostics-fixit-info diagnostics-format \
     diagnostics-generate-patch diagnostics-minimum-margin-width diagnostics-parseable-fixits \
     diagnostics-path-format diagnostics-plain-output diagnostics-show-caret diagnostics-show-category \
     diagnostics-show-cwe diagnostics-show-hotness diagnostics-show-labels diagnostics-show-line-numbers \
     diagnostics-show-location diagnostics-show-note-include-stack diagnostics-show-option \
     diagnostics-show-path-depths diagnostics-show-template-tree diagnostics-urls dollars-in-identifiers \
     dse dump-noaddr dump-passes dump-unnumbered dwarf2-cfi-asm early-inlining \
     eliminate-unused-debug-symbols eliminate-unused-debug-types error-limit expensive-optimizations \
     extended-identifiers fat-lto-objects float-store fold-simple-inlines force-addr forward-propagate \
     fp-int-builtin-inexact function-cse function-sections gcse gcse-after-reload gcse-las gcse-lm \
     gcse-sm gnat-encodings gnu-unique graphite graphite-identity guess-branch-probability \
     harden-compares harden-conditional-branches hoist-adjacent-loads ident if-conversion if-conversion2 \
     indirect-inlining inhibit-size-directive inline inline-atomics inline-functions \
     inline-functions-called-once inline-limit inline-small-functions integrated-as integrated-cc1 \
     ipa-bit-cp ipa-cp ipa-cp-clone ipa-icf ipa-icf-functions ipa-icf-variables ipa-modref ipa-profile \
     ipa-pta ipa-pure-const ipa-ra ipa-reference ipa-reference-addressable ipa-sra ipa-stack-alignment \
     ipa-strict-aliasing ipa-vrp ira-algorithm ira-hoist-pressure ira-loop-pressure ira-region \
     ira-share-save-slots ira-share-spill-slots ira-verbose isolate-erroneous-paths-attribute \
     isolate-erroneous-paths-dereference ivopts jump-tables keep-gc-roots-live keep-inline-functions \
     keep-static-consts keep-static-functions large-source-files lax-vector-conversions lifetime-dse \
     limit-debug-info limit-function-alignment live-patching live-range-shrinkage loop-interchange \
     loop-nest-optimize loop-parallelize-all loop-unroll-and-jam lra-remat lto lto-compression-level \
     lto-odr-type-merging lto-partition lto-report lto-report-wpa max-errors max-include-depth mem-report \
     merge-constants merge-debug-strings merge-functions message-length modulo-sched \
     modulo-sched-allow-regmoves move-loop-invariants move-loop-stores nothrow-opt omit-frame-pointer \
     opt-info optimize-register-move optimize-sibling-calls optimize-strlen partial-inlining \
     patchable-function-entry pch-deps pch-preprocess peel-loops peephole peephole2 plt \
     predictive-commoning prefetch-loop-arrays printf-return-value profile profile-abs-path profile-arcs \
     profile-correction profile-dir profile-exclude-files profile-filter-files profile-generate \
     profile-info-section profile-instr-generate profile-instr-use profile-note profile-partial-training \
     profile-prefix-map profile-prefix-path profile-reorder-functions profile-report profile-reproducible \
     profile-update profile-use profile-values random-seed record-gcc-switches ree reg-struct-return \
     rename-registers reorder-blocks reorder-blocks-algorithm reorder-blocks-and-partition \
     reorder-functions rerun-cse-after-loop reschedule-modulo-scheduled-loops rtti \
     save-optimization-record sched-critical-path-heuristic sched-dep-count-heuristic \
     sched-group-heuristic sched-interblock sched-last-insn-heuristic sched-pressure sched-rank-heuristic \
     sched-spec sched-spec-insn-heuristic sched-spec-load sched-spec-load-dangerous sched-stalled-insns \
     sched-stalled-insns-dep sched-verbose sched2-use-superblocks schedule-fusion schedule-insns \
     schedule-insns2 section-anchors sel-sched-pipelining sel-sched-pipelining-outer-loops \
     sel-sched-reschedule-pipelined selective-scheduling selective-scheduling2 semantic-interposition \
     show-column shrink-wrap shrink-wrap-separate simd-cost-model slp-vectorize spell-checking \
     split-ivs-in-unroller split-loops split-paths split-stack split-wide-types split-wide-types-early \
     ssa-backprop ssa-phiopt stack-check stack-clash-protection stack-limit stack-limit-register \
     stack-limit-symbol stack-reuse stack-usage standalone-debug stdarg-opt store-merging strength-reduce \
     strict-aliasing strict-enums strict-volatile-bitfields sync-libcalls tabstop temp-file test-coverage \
     thread-jumps threadsafe-statics time-report time-report-details tls-model toplevel-reorder tracer \
     track-macro-expansion trampolines tree-bit-ccp tree-builtin-call-dce tree-ccp tree-ch \
     tree-coalesce-vars tree-copy-prop tree-cselim tree-dce tree-dominator-opts tree-dse tree-forwprop \
     tree-fre tree-loop-distribute-patterns tree-loop-distribution tree-loop-if-convert tree-loop-im \
     tree-loop-ivcanon tree-loop-optimize tree-loop-vectorize tree-lrs tree-parallelize-loops \
     tree-partial-pre tree-phiprop tree-pre tree-pta tree-reassoc tree-scev-cprop tree-sink \
     tree-slp-vectorize tree-slsr tree-sra tree-switch-conversion tree-tail-merge tree-ter tree-vectorize \
     tree-vrp unconstrained-commons unique-section-names unit-at-a-time unroll-all-loops \
     unroll-completely-grow-size unroll-loops unswitch-loops use-ld use-linker-plugin var-tracking \
     var-tracking-assignments var-tracking-assignments-toggle var-tracking-uninit \
     variable-expansion-in-unroller vect-cost-model vectorize verbose-asm version-loops-for-strides \
     visibility visibility-inlines-hidden visibility-ms-compat vpt web whole-program working-directory \
     wrapv-pointer zero-call-used-regs zero-initialized-in-bss";

/// Code generation: `-mNAME`, `-mno-NAME` and `-mNAME=VALUE`.
const HARMLESS_M: &str = "80387 8bit-idiv accumulate-outgoing-args align-data align-functions align-jumps align-loops \
     align-stringops asm avx256-split-unaligned-load avx256-split-unaligned-store branch-cost cet-switch \
     cld dispatch-scheduler fancy-math-387 fentry fentry-name fentry-section force-drap \
     force-indirect-call fp-ret-in-387 function-return glibc harden-sls hard-float ieee-fp \
     incoming-stack-boundary indirect-branch indirect-branch-cs-prefix indirect-branch-register \
     inline-all-stringops inline-stringops-dynamically instrument-return large-data-threshold \
     long-double-80 manual-endbr memcpy-strategy memset-strategy move-max nop-mcount \
     omit-leaf-frame-pointer pc80 prefer-avx128 prefer-vector-width preferred-stack-boundary push-args \
     record-mcount record-return red-zone relax-cmpxchg-loop retpoline retpoline-external-thunk \
     skip-rax-setup sse2avx stack-arg-probe stack-protector-guard stack-protector-guard-offset \
     stack-protector-guard-reg stack-protector-guard-symbol stackrealign store-max stringop-strategy stv \
     tls-dialect tls-direct-seg-refs tune-ctrl vect8-ret-in-mem vzeroupper";

/// Whole words: steps of the compiler, dependency files, output, linking, and what is the default anyway.
const HARMLESS: &str = "-c -S -E -C -CC -P -H -M -MM -MD -MMD -MP -MG -MV -v -### -w -pipe -p -pg -s -r -static -shared -pie -no-pie \
     -static-pie -static-libgcc -shared-libgcc -rdynamic -symbolic -nostdlib -nodefaultlibs -nostartfiles -nolibc \
     -pedantic -pedantic-errors -save-temps -save-temps=obj -save-temps=cwd -time --coverage -coverage -Qunused-arguments \
     -Qn -Qy -no-canonical-prefixes -no-integrated-cpp -integrated-as -no-integrated-as -fsigned-char -fno-unsigned-char \
     -fsigned-bitfields -fno-unsigned-bitfields -fsigned-zeros -fno-fast-math -fno-finite-math-only -fno-rounding-math \
     -fno-signaling-nans -fno-associative-math -fno-reciprocal-math -fno-unsafe-math-optimizations -fmath-errno \
     -fno-single-precision-constant -fno-short-enums -fno-short-wchar -fno-trapv -fno-pack-struct \
     -fno-instrument-functions -fno-ms-extensions -fno-plan9-extensions -fno-finite-loops -fno-merge-all-constants \
     -fno-cx-limited-range -fno-cx-fortran-rules -fno-sanitize=all -fno-openacc -fno-leading-underscore \
     -ftrivial-auto-var-init=uninitialized -finput-charset=UTF-8 -finput-charset=utf-8 -fexec-charset=UTF-8 \
     -fexec-charset=utf-8 -fsso-struct=native -fsso-struct=little-endian -mno-ms-bitfields -mno-align-double \
     -mno-mpx -mno-recip -mabi=sysv -fsanitize-recover -fsanitize-recover=all -fsanitize-recover=undefined \
     -fsanitize-address-use-after-scope -fno-sanitize-address-use-after-scope -fno-omit-frame-pointer";

/// Known to change the meaning: `-fNAME`, `-fNAME=VALUE`, `-mNAME` and so on as they are written here, with any value.
const REFUSED: &str = "-funsigned-char -fno-signed-char -funsigned-bitfields -fno-signed-bitfields -fpack-struct -fshort-enums \
     -fshort-wchar -ffast-math -Ofast -funsafe-math-optimizations -ffinite-math-only -fassociative-math -freciprocal-math \
     -fno-signed-zeros -fno-math-errno -frounding-math -fsignaling-nans -fsingle-precision-constant -fexcess-precision \
     -fcx-limited-range -fcx-fortran-rules -ftrapv -finstrument-functions -fplan9-extensions -fms-extensions \
     -fexec-charset -fwide-exec-charset -finput-charset -fsso-struct -ftrivial-auto-var-init -ffinite-loops \
     -fmerge-all-constants -fplugin -fopenacc -fopenmp-simd -fgnu-tm -fleading-underscore -fno-sanitize-recover \
     -fsanitize-undefined-trap-on-error -fsanitize-trap -fdirectives-only -fpreprocessed -fpermitted-flt-eval-methods \
     -mms-bitfields -malign-double -m96bit-long-double -m128bit-long-double -mlong-double-64 -mlong-double-128 -mx32 -m16 \
     -miamcu -mfpmath -mno-sse -mno-sse2 -mno-80387 -msoft-float -mgeneral-regs-only -mpc32 -mpc64 -mrecip -mabi \
     -mveclibabi -mdaz-ftz -traditional -traditional-cpp -remap -specs --specs";

/// What `-fsanitize=` may check: only what has no defined meaning.
const SANITIZERS: &str = "address kernel-address hwaddress leak thread undefined alignment bool bounds builtin enum integer-divide-by-zero \
     nonnull-attribute null object-size pointer-overflow return returns-nonnull-attribute shift shift-base shift-exponent \
     signed-integer-overflow unreachable vla-bound";

/// Parts of `-Wl,`: they lay out the program, or say where libraries are.
const LINKER: &str = "--as-needed --no-as-needed --build-id --gc-sections --no-gc-sections --no-undefined --export-dynamic -E --hash-style \
     --strip-all --strip-debug -s -S -rpath --rpath -rpath-link --rpath-link -soname --soname -h -Map --start-group --end-group \
     -( -) --warn-common --fatal-warnings --no-fatal-warnings --enable-new-dtags --disable-new-dtags --dynamic-linker -I \
     -Bstatic -Bdynamic -Bsymbolic -Bsymbolic-functions --version-script --discard-all -x --icf --threads --no-threads \
     --demangle --print-map --stats --cref --compress-debug-sections --no-allow-shlib-undefined --allow-shlib-undefined \
     --exclude-libs --whole-archive --no-whole-archive -O0 -O1 -O2 -L -z";

/// The class of an option of one word.
pub(super) fn class(word: &str) -> Class {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    if is_in(HARMLESS, word) || is_warning(word) || is_debugging(word) || is_list_of_dumps(word) {
        return Class::Harmless;
    }
    if PASSED.contains(&word) {
        return Class::Passed;
    }
    if is_in(REFUSED, name) {
        return Class::Refused;
    }
    match (name, value) {
        ("-std" | "--std", Some(standard)) if is_in(STANDARDS, standard) => return Class::Passed,
        // The rules of later versions are not those of the front end.
        ("-std" | "--std", _) => return Class::Refused,
        ("-fsanitize", Some(checks)) => {
            let known = checks.split(',').all(|check| is_in(SANITIZERS, check));
            return if known { Class::Passed } else { Class::Refused };
        }
        ("-fno-sanitize", Some(_)) => return Class::Passed,
        ("-ffp-contract", Some("off")) => return Class::Passed,
        ("-ffp-contract", _) => return Class::Refused,
        _ => {}
    }
    let without = |start: &str| {
        let name = name.strip_prefix(start)?;
        Some(name.strip_prefix("no-").unwrap_or(name))
    };
    if let Some(name) = without("-f") {
        if is_in(PASSED_F, name) {
            return Class::Passed;
        }
        // `-fno-builtin-NAME`: the functions of the program and of the C library are what they are.
        if is_in(HARMLESS_F, name) || name.starts_with("builtin-") {
            return Class::Harmless;
        }
    }
    if let Some(name) = without("-m") {
        if is_in(PASSED_M, name) {
            return Class::Passed;
        }
        if is_in(HARMLESS_M, name) {
            return Class::Harmless;
        }
    }
    Class::Unknown
}

/// Whether a part of `-Wl,` is harmless. Values of such parts are no options.
pub(super) fn is_harmless_for_linker(part: &str) -> bool {
    !part.starts_with('-')
        || is_in(LINKER, part.split('=').next().unwrap_or(part))
        || part.starts_with("-L")
        || part.starts_with("-l")
}

fn is_in(table: &str, name: &str) -> bool {
    table.split_ascii_whitespace().any(|entry| entry == name)
}

/// `-Wall`, `-Wno-unused`: all that starts so and is not for another program.
fn is_warning(word: &str) -> bool {
    let is_for_others = ["-Wl,", "-Wp,", "-Wa,"].iter().any(|start| word.starts_with(start));
    word.starts_with("-W") && !is_for_others
}

/// `-g`, `-g3`, `-gdwarf-4`: all that starts so is about debugging information.
fn is_debugging(word: &str) -> bool {
    word.starts_with("-g") && !word.starts_with("-gcc-")
}

/// `-dD`, `-fdump-tree-all`: output of the compiler about its own work.
fn is_list_of_dumps(word: &str) -> bool {
    let letters = word.strip_prefix("-d").is_some_and(|rest| matches!(rest, "D" | "I" | "M" | "N" | "U"));
    letters
        || word.starts_with("-fdump-")
        || word.starts_with("-fdiagnostics-")
        || word.starts_with("-fanalyzer-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_is_in_two_tables_of_different_meaning() {
        for word in REFUSED.split_ascii_whitespace() {
            assert_eq!(class(word), Class::Refused, "{word}");
        }
        for word in HARMLESS.split_ascii_whitespace() {
            assert_eq!(class(word), Class::Harmless, "{word}");
        }
        for (start, names, expected) in [
            ("-f", PASSED_F, Class::Passed),
            ("-m", PASSED_M, Class::Passed),
            ("-f", HARMLESS_F, Class::Harmless),
            ("-m", HARMLESS_M, Class::Harmless),
        ] {
            for name in names.split_ascii_whitespace() {
                assert_eq!(class(&format!("{start}{name}")), expected, "{start}{name}");
            }
        }
    }

    #[test]
    fn what_is_in_no_table_is_not_known() {
        for word in ["-fquux", "-mquux", "-O9x", "-quux", "--frobnicate=3", "-fno-quux", "-f", "-m", "-"] {
            assert_eq!(class(word), Class::Unknown, "{word}");
        }
    }
}
