import type { HttpClient } from '../../foundation/net/http.ts';
import type { OutboundError } from '../../foundation/net/outbound-error.ts';

/** A language model. It writes text and may ask for calls of tools; the caller runs them and starts the next turn. */
export interface LanguageModel {
  /** The name of the model at its provider. */
  readonly name: string;
  /**
   * Writes one turn. Yields pieces of text and calls as they arrive, and `end` last.
   * @throws ModelFailure; the reason of `signal` if that was aborted
   */
  write(turn: ModelTurn, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelTurn {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  /** All tools that the messages mention, also if none may be called in this turn. */
  readonly tools: readonly ModelTool[];
  readonly mayCall: boolean;
  readonly maxOutputTokens: number;
  /**
   * True if an earlier turn of the same question led to `retract`: the text is held back until the thinking ends. It is
   * known for one question only, because the text of one caller must not change what another one gets.
   */
  readonly startsInThinking?: boolean;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tools'; readonly results: readonly ModelResult[] };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A call that the model asks for. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it: not checked. */
  readonly arguments: string;
  /** Data that some providers require to get back with the call. */
  readonly metadata?: unknown;
}

/** The result of a call. */
export interface ModelResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export type ModelEvent =
  | { readonly kind: 'text'; readonly text: string }
  /** The text of the turn so far is no part of the answer: the model was thinking. */
  | { readonly kind: 'retract' }
  | { readonly kind: 'call'; readonly call: ModelCall }
  /** `isCut`: the provider ended the text at `maxOutputTokens`. */
  | { readonly kind: 'end'; readonly isCut: boolean };

/**
 * The reason of a failed turn. `refused`: the provider does not accept the request. `too_long`: the request is longer
 * than the context of the model. `invalid`: the response has no meaning.
 */
export type ModelFailureReason =
  | 'timeout'
  | 'unreachable'
  | 'rate_limited'
  | 'refused'
  | 'too_long'
  | 'failed'
  | 'invalid';

/** A turn that failed. It holds neither the request, which contains passages of sources, nor a key. */
export class ModelFailure extends Error {
  readonly reason: ModelFailureReason;
  /** The HTTP status of a response that is an error. */
  readonly status: number | undefined;
  /**
   * The fault of the answer, or the provider's own words: at most 300 characters without keys. They are for operators,
   * not for those who ask.
   */
  readonly said: string | undefined;

  /** The error of the request if there was no valid response. It is for operators, like `said`. */
  readonly outbound: OutboundError | undefined;

  constructor(
    reason: ModelFailureReason,
    { status, said, outbound }: Partial<Pick<ModelFailure, 'status' | 'said' | 'outbound'>> = {},
  ) {
    super(`The language model failed (${status === undefined ? reason : `${reason}, status ${status}`}).`);
    this.name = 'ModelFailure';
    this.reason = reason;
    this.status = status;
    this.said = said;
    this.outbound = outbound;
  }
}

/** The access to one model of a provider. */
export interface ModelAccess {
  readonly url: string;
  readonly key: string | undefined;
  readonly name: string;
}

/** Limits of one response of a provider. */
export interface ResponseLimits {
  /** Maximum time without a byte, in milliseconds. */
  readonly stallMs: number;
  readonly maxBytes: number;
}

/** A kind of provider. */
export interface ModelProvider {
  open(access: ModelAccess, http: HttpClient, limits: ResponseLimits): LanguageModel;
}
