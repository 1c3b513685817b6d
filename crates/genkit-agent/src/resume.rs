//! Resuming: answering the interrupts of a run and continuing it.

use super::builder::Generate;
use crate::instance::Instance;
use genkit_core::Message;
use genkit_core::{Answer, Interrupt};
use genkit_core::{GenerateOptions, GenerateResponse};

impl Instance {
    #[doc(hidden)]
    pub fn resume(
        &self,
        interrupted: GenerateResponse,
        answer: impl FnMut(&Interrupt) -> Answer,
    ) -> Generate {
        self.generate(()).resume(interrupted, answer)
    }

    #[doc(hidden)]
    pub fn resume_with_answers(
        &self,
        interrupted: GenerateResponse,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Generate {
        self.generate(()).resume_with_answers(interrupted, answers)
    }
}

impl Generate {
    /// Resumes an interrupted run with the model, tools, approval policy, middleware and limits of this request.
    /// `answer` is called for each open question. The settings of the interrupted run are kept, except for model
    /// settings that this request sets. The prompt of this request is ignored.
    ///
    /// ```
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::message::ToolRequest;
    /// use genkit::{Approval, Result, tool, tools};
    /// use serde_json::json;
    ///
    /// /// Pays.
    /// #[tool]
    /// async fn pay(cents: u64) -> String { format!("paid {cents}") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let model = ScriptedModel::new([
    /// #     ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({"cents": 500}))]),
    /// #     ModelResponse::from_text("It is paid."),
    /// # ]);
    /// let run = genkit::generate("Pay the bill.")
    ///     .model(model)
    ///     .tools(tools![pay])
    ///     .approval(|_| Approval::ask("Pay?"));
    /// let mut response = run.clone().await?;
    /// while response.is_interrupted() {
    ///     response = run.clone().resume(response, |question| question.approve()).await?;
    /// }
    /// assert_eq!(response.text(), "It is paid.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn resume(
        self,
        interrupted: GenerateResponse,
        answer: impl FnMut(&Interrupt) -> Answer,
    ) -> Self {
        let answers: Vec<Answer> = interrupted.interrupts().iter().map(answer).collect();
        self.resume_with_answers(interrupted, answers)
    }

    /// Resumes an interrupted run with a list of answers, in any order. Use this if you compute answers asynchronously,
    /// if you receive them over the network, or if creating an answer may fail. Otherwise the same as
    /// [`resume`](Self::resume).
    pub fn resume_with_answers(
        mut self,
        interrupted: GenerateResponse,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Self {
        let mut request = interrupted.request.unwrap_or_default();
        request.messages.extend(interrupted.message);
        let messages = std::mem::take(&mut request.messages);
        self.keep_settings(GenerateOptions::from_request(request));
        self.resume_at(messages, answers)
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `resume_with_answers`")]
    pub fn resume_with(
        self,
        interrupted: GenerateResponse,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Self {
        self.resume_with_answers(interrupted, answers)
    }

    /// Continues from `messages`, the last of which contains the open questions.
    pub(super) fn resume_at(
        mut self,
        messages: Vec<Message>,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Self {
        self.prompt.clear();
        self.options.messages = messages;
        let resume = self.options.resume.get_or_insert_default();
        for answer in answers {
            if let Err(error) = resume.push_answer(answer) {
                self.config_error = Some(error);
            }
        }
        self
    }

    /// Merges the settings. Keys in the `config` of this request take precedence; all other settings are taken from the
    /// interrupted run.
    fn keep_settings(&mut self, of_run: GenerateOptions) {
        let options = &mut self.options;
        let own = options.config.take();
        let config =
            of_run.config.into_iter().chain(own).flatten().collect::<serde_json::Map<_, _>>();
        options.config = Some(config).filter(|config| !config.is_empty());
        options.tool_choice = of_run.tool_choice.or(options.tool_choice.take());
        options.output = of_run.output.or(options.output.take());
        if !of_run.docs.is_empty() {
            options.docs = of_run.docs;
        }
    }
}
