import { ModelFailure, type ModelTurn } from '../../backends/models/port.ts';
import { ExternalServiceError } from '../../foundation/kernel/errors.ts';
import type { Settings } from '../open/open-database.ts';
import { openModel } from '../open/open-model.ts';

/** Below the time-out of a check, so that the check can say what did not respond. */
const timeoutMs = 8_000;

/** The shortest useful request. It contains no data of an organization. */
const turn: ModelTurn = {
  instructions: 'Reply with the word ok.',
  messages: [{ role: 'user', text: 'Are you there?' }],
  tools: [],
  mayCall: false,
  maxOutputTokens: 64,
};

/** Returns a function that asks the language model for one word; `undefined` if none is configured. */
export function modelProbe(settings: Settings, signal: AbortSignal): (() => Promise<void>) | undefined {
  if (settings.config.model === undefined) return undefined;
  return async () => {
    const opened = openModel(settings);
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const events = opened?.languageModel.write(turn, AbortSignal.any([signal, timeout])) ?? [];
      for await (const { kind } of events) if (kind === 'end') break;
    } catch (error) {
      signal.throwIfAborted();
      throw explain(error, timeout.aborted);
    } finally {
      await opened?.close();
    }
  };
}

function explain(error: unknown, isTimeOut: boolean): unknown {
  if (isTimeOut) return failed(`The language model did not respond within ${timeoutMs / 1000} seconds.`);
  if (!(error instanceof ModelFailure)) return error;
  const { reason, status } = error;
  const messages: Readonly<Record<ModelFailure['reason'], string>> = {
    timeout: 'The language model did not respond in time.',
    unreachable: 'Nothing responds at the address of the language model. Check MODEL_BASE_URL.',
    rate_limited:
      'The provider of the language model limits the number of requests, or its credit is used up.',
    refused: `The provider refused the request with status ${status}. ${adviceFor(status)}`,
    failed: `The provider of the language model failed with status ${status}.`,
    invalid: 'The response is not that of the API that MODEL_PROVIDER names. Check MODEL_BASE_URL.',
  };
  return failed(messages[reason], reason !== 'refused' && reason !== 'invalid');
}

function adviceFor(status: number | undefined): string {
  if (status === 401 || status === 403) return 'Check MODEL_API_KEY.';
  return status === 404 ? 'Check MODEL_NAME and MODEL_BASE_URL.' : 'Check the MODEL_ settings.';
}

function failed(message: string, retryable = true): ExternalServiceError {
  return new ExternalServiceError('language model', message, { retryable });
}
