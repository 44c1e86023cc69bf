/** A request for one turn, as both shapes of the service understand it. */
export interface ReceivedTurn {
  readonly shape: 'openai' | 'anthropic';
  readonly instructions: string;
  /** The texts of all messages and results, in their order. */
  readonly texts: readonly string[];
  /** Names of the tools that may be called; none if the request forbids calls. */
  readonly tools: readonly string[];
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  /** Ids of the calls whose results are there. */
  readonly results: readonly string[];
  readonly maxTokens: number;
  /** The name of the limit of tokens in the request. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  readonly isStream: boolean;
}

/** A turn that the model writes: text in pieces, then calls. */
export interface WrittenTurn {
  readonly text?: string | readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Default: `calls` if there are any, else `stop`. */
  readonly end?: 'stop' | 'calls' | 'length';
  /** An event with an error that ends the stream after the text, as the provider sends it. */
  readonly error?: object;
}

/** A response with an error, as a provider sends it. */
export interface RefusedTurn {
  readonly status: number;
  readonly body: object | string;
}

/** What the service does instead of a turn. */
export const failures = [
  /** Accepts the request and sends nothing. */
  'hang',
  /** Sends text, then nothing more. */
  'stall',
  /** Sends bytes that are no events. */
  'garbage',
  /** Sends a page, as a proxy or captive portal does. */
  'page',
  'rate-limit',
  'failure',
  /** Sends text, then an error event. */
  'error-event',
  /** Closes the connection in the middle of an event. */
  'break',
  /** Ends the stream without the event that ends a turn. */
  'no-end',
  'empty',
  /** Sends words until the client closes the connection. */
  'endless',
  /** Sends a turn with one text of eight million characters. */
  'huge',
] as const;

export type Failure = (typeof failures)[number];

export type Reply = WrittenTurn | RefusedTurn | Failure;

/** Refuses a request. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function piecesOf({ text = [] }: WrittenTurn): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

export function endOf({ end, calls = [] }: WrittenTurn): 'stop' | 'calls' | 'length' {
  return end ?? (calls.length > 0 ? 'calls' : 'stop');
}

/** Checks that each call has its result and each result its call, as the providers do. */
export function checkPairs({ calls, results }: Pick<ReceivedTurn, 'calls' | 'results'>): void {
  const ids = calls.map(({ id }) => id);
  if (ids.some((id) => !results.includes(id)) || results.some((id) => !ids.includes(id)))
    throw new Refused(400, 'a tool call has no result, or a result no call');
}
