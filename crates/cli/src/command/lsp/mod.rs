//! `wayproof lsp`: a language server on standard input and output.
//!
//! A file is checked when it is opened and saved, in a process of its own (`check --format json`), so that a crash, a limit or a newer version of the text ends nothing but that
//! process. All answers are made of its report.
//!
//! | request | answer |
//! |---|---|
//! | `textDocument/publishDiagnostics` | each check that fails, with its inputs as related places; each that is open, with its reason |
//! | `textDocument/inlayHint` | invariants at loops, contracts at functions |
//! | `textDocument/hover` | the checks of the line with their states, invariants, contracts |
//! | `textDocument/codeLens` | "check this function" |
//! | `textDocument/codeAction` | insert an invariant as a comment |
//! | `workspace/executeCommand` | `wayproof.check`, `wayproof.checkFunction`, `wayproof.cancel` |
//!
//! # Invariants
//! * L1: a report is shown only for the version of the text that it is about: a newer check of the file cancels the older one.

mod answer;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use base::Stop;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use system::process::{self, Halt, Keep, Limits};

use crate::exit::ExitStatus;
use crate::failure::Failure;

/// The limit of a check if the client names none, in seconds.
const TIMEOUT: f64 = 30.0;
/// Time that a check gets beyond its own limit.
const GRACE: Duration = Duration::from_secs(10);
/// More of a report is not read.
const MAX_REPORT: usize = 64 << 20;

/// What is known of an open file.
#[derive(Default)]
struct Document {
    text: String,
    /// The report about it, if there is one.
    report: Option<Value>,
    /// Ends the check that runs.
    cancel: Option<Arc<AtomicBool>>,
}

/// What all threads share.
struct Server {
    connection: Connection,
    documents: Mutex<BTreeMap<String, Document>>,
    /// Options of each check, as the client states them.
    options: Vec<String>,
    timeout: f64,
    /// Whether the client shows progress.
    progress: Progress,
}

/// Whether the client shows that something is going on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Shown,
    Hidden,
}

/// Serves a client until it says good-bye.
pub(super) fn lsp() -> Result<ExitStatus, Failure> {
    let (connection, threads) = Connection::stdio();
    let served = serve(connection);
    process::end_all();
    match served {
        Ok(()) => threads.join().map_err(Failure::Output)?,
        Err(why) => {
            return Err(Failure::usage(
                why,
                "`wayproof lsp` talks to an editor, see docs/guide/use-in-an-editor.md",
            ));
        }
    }
    Ok(ExitStatus::Success)
}

fn serve(connection: Connection) -> Result<(), String> {
    let capabilities = json!({
        "textDocumentSync": { "openClose": true, "change": 1, "save": { "includeText": false } },
        "inlayHintProvider": true,
        "hoverProvider": true,
        "codeActionProvider": true,
        "codeLensProvider": { "resolveProvider": false },
        "executeCommandProvider": { "commands": ["wayproof.check", "wayproof.checkFunction", "wayproof.cancel"] },
    });
    let asked = connection.initialize(capabilities).map_err(|error| error.to_string())?;
    let is_shown = asked.pointer("/capabilities/window/workDoneProgress") == Some(&Value::Bool(true));
    let words = asked.pointer("/initializationOptions/arguments").and_then(Value::as_array);
    let options = words.into_iter().flatten().filter_map(|word| Some(word.as_str()?.to_owned())).collect();
    let timeout = asked.pointer("/initializationOptions/timeout").and_then(Value::as_f64);
    let server = Arc::new(Server {
        connection,
        documents: Mutex::default(),
        options,
        timeout: timeout.filter(|seconds| *seconds > 0.0).unwrap_or(TIMEOUT),
        progress: if is_shown { Progress::Shown } else { Progress::Hidden },
    });
    for message in &server.connection.receiver {
        match message {
            Message::Request(request) => {
                let is_end =
                    server.connection.handle_shutdown(&request).map_err(|error| error.to_string())?;
                if is_end {
                    break;
                }
                server.request(request);
            }
            Message::Notification(notification) => server.notification(&notification),
            Message::Response(_) => {}
        }
    }
    server.cancel_all();
    Ok(())
}

/// The address of the file that parameters are about.
fn uri(params: &Value) -> Option<String> {
    Some(params.pointer("/textDocument/uri")?.as_str()?.to_owned())
}

impl Server {
    fn documents(&self) -> MutexGuard<'_, BTreeMap<String, Document>> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client that is gone does not hear anything any more; the main loop ends by itself.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn notification(self: &Arc<Self>, notification: &Notification) {
        let params = &notification.params;
        let Some(uri) = uri(params) else { return };
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let text = params.pointer("/textDocument/text").and_then(Value::as_str).unwrap_or_default();
                text.clone_into(&mut self.documents().entry(uri.clone()).or_default().text);
                self.check(&uri, None);
            }
            "textDocument/didChange" => {
                let text = params.pointer("/contentChanges/0/text").and_then(Value::as_str);
                if let Some(text) = text {
                    let mut documents = self.documents();
                    let document = documents.entry(uri).or_default();
                    text.clone_into(&mut document.text);
                    // What is shown would be at the wrong lines.
                    document.report = None;
                }
            }
            "textDocument/didSave" => self.check(&uri, None),
            "textDocument/didClose" => {
                let closed = self.documents().remove(&uri);
                if let Some(cancel) = closed.and_then(|document| document.cancel) {
                    cancel.store(true, Ordering::SeqCst);
                }
                self.publish(&uri, &[]);
            }
            _ => {}
        }
    }

    fn request(self: &Arc<Self>, request: Request) {
        let Request { id, method, params } = request;
        if method == "workspace/executeCommand" {
            return self.command(id, &params);
        }
        let known = uri(&params).and_then(|uri| {
            let documents = self.documents();
            let document = documents.get(&uri)?;
            Some((uri.clone(), document.text.clone(), document.report.clone()))
        });
        let Some((uri, text, report)) = known else {
            return self.send(Response::new_ok(id, Value::Null));
        };
        let found = report.as_ref().map(|report| answer::Found::new(report, &uri, &text));
        let result = match method.as_str() {
            "textDocument/codeLens" => answer::lenses(&uri, &text),
            "textDocument/inlayHint" => found.map_or_else(|| json!([]), |found| found.hints(&params)),
            "textDocument/hover" => found.map_or(Value::Null, |found| found.hover(&params)),
            "textDocument/codeAction" => found.map_or_else(|| json!([]), |found| found.actions(&params)),
            other => {
                let message = format!("{other} is not supported");
                return self.send(Response::new_err(id, ErrorCode::MethodNotFound as i32, message));
            }
        };
        self.send(Response::new_ok(id, result));
    }

    fn command(self: &Arc<Self>, id: RequestId, params: &Value) {
        let word = |number: usize| {
            params.pointer(&format!("/arguments/{number}")).and_then(Value::as_str).map(str::to_owned)
        };
        match (params.get("command").and_then(Value::as_str), word(0)) {
            (Some("wayproof.check"), Some(uri)) => self.check(&uri, None),
            (Some("wayproof.checkFunction"), Some(uri)) => self.check(&uri, word(1)),
            (Some("wayproof.cancel"), Some(uri)) => self.cancel(&uri),
            _ => {
                let message = "the command or its arguments are not known".to_owned();
                return self.send(Response::new_err(id, ErrorCode::InvalidParams as i32, message));
            }
        }
        self.send(Response::new_ok(id, Value::Null));
    }

    fn cancel(&self, uri: &str) {
        let cancel = self.documents().get_mut(uri).and_then(|document| document.cancel.take());
        if let Some(cancel) = cancel {
            cancel.store(true, Ordering::SeqCst);
        }
    }

    fn cancel_all(&self) {
        for document in self.documents().values_mut() {
            if let Some(cancel) = document.cancel.take() {
                cancel.store(true, Ordering::SeqCst);
            }
        }
    }

    fn publish(&self, uri: &str, diagnostics: &[Value]) {
        let params = json!({ "uri": uri, "diagnostics": diagnostics });
        self.send(Notification::new("textDocument/publishDiagnostics".to_owned(), params));
    }

    /// Checks a file, or one of its functions, and shows what is found.
    fn check(self: &Arc<Self>, uri: &str, function: Option<String>) {
        self.cancel(uri);
        let Some(path) = text::path(uri) else { return };
        let cancel = Arc::new(AtomicBool::new(false));
        let version = {
            let mut documents = self.documents();
            let document = documents.entry(uri.to_owned()).or_default();
            document.cancel = Some(cancel.clone());
            document.text.clone()
        };
        let (server, uri) = (self.clone(), uri.to_owned());
        thread::spawn(move || {
            server.announce(&uri, Some(&path));
            let report = server.run(path, function, &cancel);
            server.announce(&uri, None);
            let Some(report) = report.filter(|_| !cancel.load(Ordering::SeqCst)) else { return };
            let diagnostics = answer::Found::new(&report, &uri, &version).diagnostics();
            {
                let mut documents = server.documents();
                // L1.
                let Some(document) = documents.get_mut(&uri).filter(|document| document.text == version)
                else {
                    return;
                };
                document.report = Some(report);
                document.cancel = None;
            }
            server.publish(&uri, &diagnostics);
        });
    }

    /// The report of a check; nothing if it was cancelled or could not be run.
    fn run(&self, path: PathBuf, function: Option<String>, cancel: &AtomicBool) -> Option<Value> {
        let mut command = Command::new(std::env::current_exe().ok()?);
        command.arg("check").args(&self.options).args(["--format", "json", "--color", "never"]);
        command.args(["--timeout", &self.timeout.to_string()]);
        if let Some(function) = function {
            command.arg(format!("--entry={function}"));
        }
        command.arg("--").arg(path);
        let limits = Limits::time(Duration::from_secs_f64(self.timeout) + GRACE);
        let halt = || cancel.load(Ordering::SeqCst).then_some(Halt::All(Stop::Cancelled));
        let finished = process::run(&command, None, [Keep::Ends(MAX_REPORT); 2], &limits, &halt).ok()?;
        serde_json::from_slice(&finished.output).ok()
    }

    /// Says that a check begins, or has ended.
    fn announce(&self, uri: &str, begun: Option<&PathBuf>) {
        if self.progress == Progress::Hidden {
            return;
        }
        let token = format!("wayproof:{uri}");
        let value = match begun {
            Some(path) => {
                let id = RequestId::from(token.clone());
                let params = json!({ "token": token });
                self.send(Request::new(id, "window/workDoneProgress/create".to_owned(), params));
                json!({ "kind": "begin", "title": "Wayproof", "message": path.display().to_string(), "cancellable": false })
            }
            None => json!({ "kind": "end" }),
        };
        self.send(Notification::new("$/progress".to_owned(), json!({ "token": token, "value": value })));
    }
}
