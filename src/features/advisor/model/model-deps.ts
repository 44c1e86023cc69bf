import type { LanguageModel } from '../../../backends/models/port.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';

/** The language model that writes answers. */
export interface ModelDeps {
  readonly languageModel: LanguageModel;
  readonly log: Pick<Logger, 'warn'>;
  /** Default: `modelLimits`. */
  readonly limits?: ModelLimits;
}

/** Limits of one answer. Tokens are counted as about four characters each, over all turns. */
export interface ModelLimits {
  /** Maximum duration, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of calls of tools. */
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokensOfTurn: number;
  /** Maximum length of the answer, in characters. */
  readonly answerCharacters: number;
}

/** An answer must end within 50 s, which includes the collection of the evidence. */
export const modelLimits: ModelLimits = {
  timeoutMs: 40_000,
  steps: 8,
  inputTokens: 120_000,
  outputTokensOfTurn: 4_096,
  answerCharacters: 16_000,
};
