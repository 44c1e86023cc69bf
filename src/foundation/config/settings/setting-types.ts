import { isIP } from 'node:net';
import { z } from 'zod';
import type { LogLevel } from '../config.ts';
import type { SettingType } from './setting.ts';

/**
 * Creates a setting type from a parser. If the parser returns `undefined`, the error message states the rule and
 * never contains the text.
 */
export function parsedText<Value>(
  requirement: string,
  read: (text: string) => Value | undefined,
): SettingType<Value> {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    // No `input`: the text of a setting must not appear in an error.
    context.issues.push({ code: 'custom', message: `must be ${requirement}`, input: undefined });
    return z.NEVER;
  });
}

/** Text without control characters. */
export const plainText: SettingType<string> = parsedText('text without control characters', (text) =>
  /\p{Cc}/u.test(text) ? undefined : text,
);

/** A name such as a kind. */
export const word: SettingType<string> = parsedText('a word of lower-case letters', (text) =>
  /^[a-z]{1,30}$/.test(text) ? text : undefined,
);

/** Visible ASCII characters: a value that is sent in the header of a request. */
export const headerText = parsedText('visible ASCII characters without spaces', (text) =>
  /^[\x21-\x7E]+$/.test(text) ? text : undefined,
);

/** Text with any characters: keys and certificates have line breaks. */
export const anyText: SettingType<string> = z.string();

export const strongSecret = parsedText('at least 32 characters long', (text) =>
  text.length >= 32 ? text : undefined,
);

export const strongSecrets = parsedText('a comma list of keys of at least 32 characters', (text) => {
  const keys = commaList(text);
  return keys.every((key) => key.length >= 32) ? keys : undefined;
});

export const portNumber = wholeNumber(0, 65_535);

function wholeNumber(min: number, max: number): SettingType<number> {
  return parsedText(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

/** Returns a type for a duration in seconds, at most ten years: anything longer is a mistake. */
export function seconds(min: number): SettingType<number> {
  return wholeNumber(min, 315_360_000);
}

/** Returns a type for a duration in days, at most ten years. */
export function days(min: number): SettingType<number> {
  return wholeNumber(min, 3_650);
}

export const flag = parsedText('true or false', (text) => {
  const known: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
  return known[text.toLowerCase()];
});

export function oneOf<const Choice extends string>(...choices: readonly Choice[]): SettingType<Choice> {
  return parsedText(`one of ${choices.join(', ')}`, (text) => choices.find((choice) => choice === text));
}

export const logLevel: SettingType<LogLevel> = oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace');

export const hostName = parsedText('a host name or an IP address to listen on', (text) =>
  isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined,
);

const mailDomain = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

export const domains = parsedText('a comma list of mail domains such as example.com', (text) => {
  const names = commaList(text.toLowerCase());
  return names.every((name) => mailDomain.test(name)) ? names : undefined;
});

export const organizations = parsedText('a comma list of slugs or ids of organizations', (text) => {
  const names = commaList(text);
  return names.every((name) => /^[A-Za-z\d][\w-]*$/.test(name)) ? names : undefined;
});

export const hostList = parsedText('a list of hosts, separated by commas', (text) =>
  /\p{Cc}/u.test(text) ? undefined : text.split(/[,\s]+/).filter((entry) => entry !== ''),
);

/** Named ranges of Fastify's `trustProxy` (the package proxy-addr). */
const proxyRanges = new Set(['loopback', 'linklocal', 'uniquelocal']);

export const trustedProxies = parsedText(
  'true, false, a number of hops, or a comma list of addresses and CIDR ranges',
  (text): boolean | number | readonly string[] | undefined => {
    if (text === 'true' || text === 'false') return text === 'true';
    if (/^\d{1,2}$/.test(text)) return Number(text);
    const ranges = commaList(text);
    return ranges.every((range) => proxyRanges.has(range) || isAddressRange(range)) ? ranges : undefined;
  },
);

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Splits a comma-separated list. Trims the items and skips empty ones. */
export function commaList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
