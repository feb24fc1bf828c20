//! A verdict as texts for other tools: witnesses and test cases.

use cfa::DataModel;
use verdict::Trace;

use crate::format::{self, Content, Stamp, Task, Witness};
use crate::question::Question;
use crate::testcase;

/// What the texts have in common.
pub struct Documents<'a> {
    /// The program and its property.
    pub question: &'a Question,
    /// The property as its file states it.
    pub specification: String,
    /// Who writes, and when.
    pub stamp: Stamp<'a>,
}

/// A test case of Test-Comp.
pub struct TestCase {
    /// The contents of `metadata.xml`.
    pub metadata: String,
    /// The contents of the file with the inputs.
    pub inputs: String,
}

impl Documents<'_> {
    /// The text of a witness.
    pub fn witness(&self, content: Content) -> String {
        let task = Task {
            files: self.files(),
            specification: self.specification.clone(),
            data_model: self.data_model().name().to_owned(),
        };
        format::write(&Witness { task, content }, &self.stamp)
    }

    /// The inputs of a trace.
    pub fn test_case(&self, trace: &Trace) -> TestCase {
        let metadata = testcase::metadata(&testcase::Metadata {
            version: self.stamp.version,
            specification: &self.specification,
            files: &self.files(),
            entry: &self.question.options.lower.entry,
            architecture: match self.data_model() {
                DataModel::Ilp32 => "32bit",
                DataModel::Lp64 => "64bit",
            },
            time: &format::time(self.stamp.seconds),
        });
        TestCase { metadata, inputs: testcase::testcase(trace) }
    }

    fn data_model(&self) -> DataModel {
        self.question.options.preprocess.data_model
    }

    /// Names and hashes.
    fn files(&self) -> Vec<(String, String)> {
        let texts = self.question.texts.iter();
        texts.map(|text| (text.shown.clone(), format::hash(&text.syntax.source.text))).collect()
    }
}
