/** What usually helps, by the code of the error; codes are those of docs/reference/error-codes.md. */
const ADVICE: Readonly<Record<string, string>> = {
  MODEL_TIMEOUT: "The model took too long. A retry often works; a longer timeout is set on the handler.",
  MODEL_RATE_LIMITED: "The provider refuses for now. Retry in a while, or lower how much runs at once.",
  MODEL_QUOTA_EXCEEDED: "The quota or credit at the provider is used up. Top it up, then retry.",
  MODEL_OVERLOADED: "The model is overloaded. Retry in a while, or name a fallback model.",
  MODEL_UNAVAILABLE: "The provider could not be reached. Retry when it answers again.",
  MODEL_AUTHENTICATION: "The key is missing or refused. Set it for the server, then retry.",
  MODEL_NOT_FOUND: "The provider has no such model. Change the manifest's model, then start again.",
  MODEL_NOT_ALLOWED: "The model is not among those allowed. Change the manifest, then start again.",
  MODEL_REFUSED: "The model declined to answer. Read the input; skip the task, or change the instructions.",
  CONTEXT_LENGTH_EXCEEDED: "The prompt is longer than the model reads. Shorten what goes in.",
  OUTPUT_INVALID: "The answers did not fit the output schema. Compare the attempts; loosen the schema or the prompt.",
  OUTPUT_TRUNCATED: "The answer was cut off. Raise max_tokens.",
  INVALID_INPUT: "A field of the task is wrong. Look at its input; a retry alone does not help.",
  TEMPLATE_ERROR: "The template is wrong. Mend it in the manifest, then start again.",
  MISSING_VARIABLE: "A variable of the template is missing from the event. Look at the input.",
  TOOL_NOT_FOUND: "There is no such tool on this server.",
  COST_LIMIT_EXCEEDED: "The call would cost more than it may. Raise max_cost_usd, or skip the task.",
  COST_LIMIT_REACHED: "A budget of the manifest is used up. Raise it, or give up.",
  APPROVAL_DOES_NOT_STAND: "The approval was taken back or the action has changed since. It needs a new approval.",
  HANDLER_TIMED_OUT: "The handler ran longer than its timeout. Retry, or raise the timeout.",
  EXPRESSION_FAILED: "A condition could not be computed from the event. Look at the input.",
  HOP_LIMIT: "Events went in a circle too often. Look at the graph for the cycle.",
};

export function adviceOn(errorType: string | null): string {
  const fallback = "Look at the error and the input. Retry when the cause is gone, or skip the task to go on without it.";
  return errorType === null ? fallback : (ADVICE[errorType] ?? fallback);
}
