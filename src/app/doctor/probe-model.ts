import { ModelFailure, type ModelTurn } from '../../backends/models/port.ts';
import { modelLimits } from '../../features/advisor/advisor-deps.ts';
import { ExternalServiceError } from '../../foundation/kernel/errors.ts';
import type { Settings } from '../open/open-database.ts';
import { openModel } from '../open/open-model.ts';

/** Below the time-out of the check, so that the check can say what did not respond. */
const timeoutMs = 20_000;

/** The word at the beginning of the prompt. A server that cuts the prompt without an error cuts the beginning. */
const word = 'kingfisher';

/** Length of the sources, statements and names in the prompt of a usual question, in characters. */
const promptLength = 30_000;

const sentence = 'The lease of a job ends thirty seconds after the last heartbeat of its worker.';

/** A request of the size of a usual question. It contains no data of an organization. */
const turn: ModelTurn = {
  instructions:
    'Call the tool report once, with the first word of the message. Do not answer in any other way.',
  messages: [{ role: 'user', text: `${word}\n\n${linesOf(promptLength)}\n\nCall the tool report now.` }],
  tools: [
    {
      name: 'report',
      description: 'Reports the first word of the message.',
      parameters: {
        type: 'object',
        properties: { word: { type: 'string', description: 'The first word of the message.' } },
        required: ['word'],
      },
    },
  ],
  mayCall: true,
  maxOutputTokens: modelLimits.outputTokensOfTurn,
};

function linesOf(length: number): string {
  const count = Math.ceil(length / (sentence.length + 6));
  return Array.from({ length: count }, (_, index) => `${index + 1}. ${sentence}`).join('\n');
}

/** Returns a function that lets the language model call a tool; `undefined` if none is configured. */
export function modelProbe(settings: Settings, signal: AbortSignal): (() => Promise<void>) | undefined {
  if (settings.config.model === undefined) return undefined;
  return async () => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const problem = await ask(settings, AbortSignal.any([signal, timeout])).catch((error: unknown) => {
      signal.throwIfAborted();
      throw explain(error, timeout.aborted);
    });
    if (problem !== undefined) throw failed(problem, { retryable: false });
  };
}

/** Asks the model, and returns what is wrong with its answer. */
async function ask(settings: Settings, signal: AbortSignal): Promise<string | undefined> {
  const opened = openModel(settings);
  let report: string | undefined;
  let hasRetracted = false;
  try {
    for await (const event of opened?.languageModel.write(turn, signal) ?? []) {
      if (event.kind === 'call') report ??= event.call.arguments;
      else if (event.kind === 'retract') hasRetracted = true;
    }
  } finally {
    await opened?.close();
  }
  if (report === undefined)
    return 'The language model answers, but did not call the tool that it was told to call. Choose a model that calls tools, and turn on tool calls at its server.';
  if (!report.toLowerCase().includes(word))
    return 'The language model did not see the beginning of a prompt of usual size. Raise the length of the context at its server (Ollama: OLLAMA_CONTEXT_LENGTH).';
  return hasRetracted
    ? 'The language model writes its thinking as part of the answer. Let its server separate it (vLLM: --reasoning-parser).'
    : undefined;
}

function explain(error: unknown, isTimeOut: boolean): unknown {
  if (isTimeOut) {
    const message = `The language model did not respond within ${timeoutMs / 1000} seconds.`;
    return failed(message, { retryable: true });
  }
  if (!(error instanceof ModelFailure)) return error;
  const { reason, status, said, outbound } = error;
  const withStatus = status === undefined ? '' : ` with status ${status}`;
  const messages: Readonly<Record<ModelFailure['reason'], string>> = {
    timeout: 'The language model did not respond in time.',
    unreachable:
      outbound?.isOfProxy === true || outbound?.reason === 'tls'
        ? 'The language model cannot be reached.'
        : 'Nothing responds at the address of the language model. Check MODEL_BASE_URL.',
    rate_limited:
      'The provider of the language model limits the number of requests, or its credit is used up.',
    refused: `The provider refused the request${withStatus}. ${adviceFor(status)}`,
    too_long:
      'The prompt of a usual question is too long for the language model. Raise the length of the context at its server, or choose another model.',
    failed: `The provider of the language model failed${withStatus}.`,
    invalid: 'The response is not that of the API that MODEL_PROVIDER names. Check MODEL_BASE_URL.',
  };
  const words = said === undefined ? '' : ` The provider says: ${said}`;
  const cause = outbound === undefined ? '' : ` ${outbound.message}`;
  const isFinal = reason === 'refused' || reason === 'invalid' || reason === 'too_long';
  return failed(`${messages[reason]}${words}${cause}`, { retryable: !isFinal });
}

function adviceFor(status: number | undefined): string {
  if (status === 401 || status === 403) return 'Check MODEL_API_KEY.';
  return status === 404 ? 'Check MODEL_NAME and MODEL_BASE_URL.' : 'Check the MODEL_ settings.';
}

function failed(message: string, options: { readonly retryable: boolean }): ExternalServiceError {
  return new ExternalServiceError('language model', message, options);
}
