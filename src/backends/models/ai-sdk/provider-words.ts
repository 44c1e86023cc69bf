import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { parseJson } from '../../../foundation/kernel/wire/parse-json.ts';
import { withoutKeys } from '../../../foundation/telemetry/redaction.ts';

const max = {
  /** Length of the body that is read, in characters. */
  body: 16_000,
  /** Depth of the objects that are read. */
  depth: 4,
  said: 300,
} as const;

/**
 * Returns what a provider says in the body of an error: one line of at most 300 characters, without keys; `undefined`
 * if it says nothing.
 */
export function providerMessage(body: string, key: string | undefined): string | undefined {
  const read = body.slice(0, max.body);
  const words = visibleLine(messageIn(parseJson(read), 0) || withoutTags(read))
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const safe = withoutKeys(words, key ?? '');
  return safe === '' ? undefined : shorten(safe, max.said);
}

/** Patterns of the errors for a request that is longer than the context of the model. */
const tooLong =
  /context[ _-]?(?:length|window|size|limit)|(?:prompt|input|request)(?: is)? too (?:long|large)|request_too_large|input token count|maximum (?:prompt|model) length|max_tokens must be at least 1, got -|reduce the length/iu;

/** Returns whether the body of an error says that the request is longer than the context of the model. */
export function saysTooLong(body: string): boolean {
  return tooLong.test(body.slice(0, max.body));
}

/** Returns whether the body of an error refuses the parameter `max_tokens` in favour of `max_completion_tokens`. */
export function refusesMaxTokens(body: string): boolean {
  const read = body.slice(0, max.body);
  return /max_tokens/u.test(read) && /max_completion_tokens/u.test(read) && !tooLong.test(read);
}

/** Finds the message in the forms that services give their errors. */
function messageIn(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > max.depth) return '';
  if (Array.isArray(value)) return messageIn(value[0], depth + 1);
  const { error, errors, message, detail, msg, metadata } = value as Readonly<Record<string, unknown>>;
  // An error beside a message is often only the name of the status.
  const places = typeof error === 'object' ? [error, message] : [message, error];
  const own =
    [...places, detail, msg, errors].map((place) => messageIn(place, depth + 1)).find(Boolean) ?? '';
  const behind = messageBehind(metadata, depth);
  return own === '' || behind === '' ? own : `${withoutEnd(own, '.:')}: ${behind}`;
}

/** Returns the message of the service behind a gateway, which OpenRouter passes on as a text. */
function messageBehind(metadata: unknown, depth: number): string {
  if (typeof metadata !== 'object' || metadata === null || !('raw' in metadata)) return '';
  const { raw } = metadata;
  if (typeof raw !== 'string') return '';
  return messageIn(parseJson(raw) ?? raw, depth + 1) || raw;
}

/** Returns the text of a page, such as that of a proxy. */
function withoutTags(text: string): string {
  return text.replaceAll(/<[^<>]{0,200}>/gu, ' ');
}
