//! `wayproof lsp`, driven as an editor does.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::{Folder, command};

const BROKEN: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[4] = {0};
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 4) return 0;
  return a[i];
}
";

const SAFE: &str = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  if (n < 0) return 0;
  while (i < n) {
    i++;
  }
  assert(i == n);
  return 0;
}
";

/// A client of a server.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Client {
    fn new() -> Self {
        let mut command = command();
        command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (input, output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let mut client = Self { server, input, output, requests: 0 };
        let options = json!({ "arguments": ["--no-exec", "--no-settings"], "timeout": 60 });
        let asked = client.ask(
            "initialize",
            &json!({ "processId": null, "rootUri": null, "capabilities": {}, "initializationOptions": options }),
        );
        assert_eq!(asked["capabilities"]["hoverProvider"], true, "{asked}");
        client.tell("initialized", &json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server is gone");
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The answer to a request; what comes in between is not looked at.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].clone();
            }
        }
    }

    /// The next diagnostics.
    fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            let message = self.receive();
            if message["method"] == "textDocument/publishDiagnostics" {
                return message["params"]["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    fn close(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null), Value::Null);
        self.tell("exit", &Value::Null);
        drop(self.input);
        assert_eq!(self.server.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn an_editor_sees_violations_with_their_inputs_and_their_end() {
    let folder = Folder::new("lsp");
    let file = folder.file("a.c", BROKEN);
    let uri = format!("file://{}", file.display());
    let mut client = Client::new();
    client.open(&uri, BROKEN);
    let found = client.diagnostics();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "array-bounds");
    assert_eq!(found[0]["range"]["start"]["line"], 5);
    assert_eq!(found[0]["relatedInformation"][0]["location"]["range"]["start"]["line"], 3);
    assert!(found[0]["message"].as_str().unwrap().contains("input 1: 4"), "{found:?}");
    let document = json!({ "uri": uri });
    let lenses = client.ask("textDocument/codeLens", &json!({ "textDocument": document }));
    assert_eq!(lenses[0]["command"]["arguments"], json!([uri, "main"]));
    // Mended and saved: the error goes.
    let mended = BROKEN.replace("i > 4", "i > 3");
    folder.file("a.c", &mended);
    let changes = json!([{ "text": mended }]);
    client.tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": changes }));
    client.tell("textDocument/didSave", &json!({ "textDocument": document }));
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    client.close();
}

#[test]
fn an_editor_sees_invariants_and_bad_input() {
    let folder = Folder::new("lsp-safe");
    let file = folder.file("a b.c", SAFE);
    let uri = format!("file://{}", file.display()).replace(' ', "%20");
    let mut client = Client::new();
    client.open(&uri, SAFE);
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    let document = json!({ "uri": uri });
    let place = |line: u64| json!({ "line": line, "character": 0 });
    let all = json!({ "textDocument": document, "range": { "start": place(0), "end": place(20) }, "context": { "diagnostics": [] } });
    let hints = client.ask("textDocument/inlayHint", &all);
    assert!(hints[0]["label"].as_str().is_some_and(|label| label.contains("n >= i")), "{hints}");
    assert_eq!(hints[0]["position"]["line"], 5);
    let hover = client.ask("textDocument/hover", &json!({ "textDocument": document, "position": place(8) }));
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("holds")), "{hover}");
    let actions = client.ask("textDocument/codeAction", &all);
    let edit = &actions[0]["edit"]["changes"][&uri][0];
    assert!(
        edit["newText"].as_str().is_some_and(|text| text.starts_with("  //@ loop invariant ")),
        "{actions}"
    );
    // One function, then a text that is no C.
    let arguments = json!({ "command": "wayproof.checkFunction", "arguments": [uri, "main"] });
    client.ask("workspace/executeCommand", &arguments);
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    folder.file("a b.c", "int main(void) { return x; }\n");
    client.tell("textDocument/didSave", &json!({ "textDocument": document }));
    let found = client.diagnostics();
    assert!(found.len() == 1 && found[0]["severity"] == 1, "{found:?}");
    client.close();
}
