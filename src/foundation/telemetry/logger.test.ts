import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';

const hush = 'hush-0123456789';

/** Removes the colours that pino-pretty adds by itself. */
const withoutColors = (text: string): string => stripVTControlCharacters(text);

function captured(pretty = false) {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    name: 'serve',
    pretty,
    destination: { write: (line: string) => void lines.push(line) },
  });
  return { log, lines };
}

describe('the logger', () => {
  it('writes one JSON object per line, with the level as a word, the time in ISO 8601 and the message', () => {
    const { log, lines } = captured();
    log.info({ port: 3000 }, 'listening');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      name: 'serve',
      port: 3000,
      msg: 'listening',
    });
  });

  it('skips lines below its level', () => {
    const { log, lines } = captured();
    log.debug('never mind');
    expect(lines).toEqual([]);
  });

  it('writes human-readable lines when pretty', () => {
    const { log, lines } = captured(true);
    log.warn({ port: 3000 }, 'busy');
    expect(lines.join('')).toMatch(/WARN.*busy[\s\S]*port.*3000/);
  });

  it.each([
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'password',
    'newPassword',
    'token',
    'access_token',
    'refreshToken',
    'secret',
    'OIDC_CLIENT_SECRET',
    'AUTH_SECRET',
    'CONNECTION_SECRETS_ENCRYPTION_KEY',
    'DATABASE_URL',
    'apiKey',
    'X-Api-Key',
    'privateKey',
    'Tracker-Signature',
  ])('redacts the value of %s at the top level, nested, in lists and in the fields of a child', (name) => {
    for (const pretty of [false, true]) {
      const { log, lines } = captured(pretty);
      log.info({ [name]: hush }, 'top');
      log.info({ request: { headers: { [name]: hush } } }, 'nested');
      log.info({ list: [{ deep: { deeper: [{ [name]: { value: hush } }] } }] }, 'in lists');
      log.child({ [name]: hush, inner: { [name]: hush } }).info('child');
      expect(lines.join('')).toContain('[redacted]');
      expect(lines.join('')).not.toContain(hush);
    }
  });

  it('redacts secrets in the message, in an error and in its causes', () => {
    const { log, lines } = captured();
    const cause = new Error(`GET https://x.example/?access_token=${hush} failed`);
    log.error(
      { err: new Error(`Bearer ${hush} was refused`, { cause }) },
      `clone of https://me:${hush}@git.example`,
    );
    expect(JSON.parse(lines[0] ?? '').err.type).toBe('Error');
    expect(lines.join('')).not.toContain(hush);
  });

  it.each([
    ['C0', '\u001B[2J\u0007'],
    ['DEL', '\u007F'],
    ['C1', '\u009B2J'],
    ['bidirectional overrides', '\u202Eexe.\u2066'],
    ['zero-width characters', '\u200B\uFEFF'],
    ['tag characters', '\u{E0041}'],
    ['line separators', '\u2028\u2029'],
  ])('escapes %s in the message, in names, in values, in errors and in their causes', (_what, hidden) => {
    for (const pretty of [false, true]) {
      const { log, lines } = captured(pretty);
      const error = new Error(`e${hidden}e`, { cause: new Error(`c${hidden}c`) });
      log.warn({ [`n${hidden}n`]: hidden, list: [{ deep: hidden }], err: error }, `m${hidden}m`);
      log.child({ bound: hidden }).info('child');
      const written = lines.join('');
      for (const character of hidden) {
        if (/[^\x20-\x7e]/u.test(character)) expect(withoutColors(written)).not.toContain(character);
      }
      const escape = String.raw`\u${hidden.codePointAt(0)! > 0xffff ? 'db40' : hidden.charCodeAt(0).toString(16).padStart(4, '0')}`;
      expect(written).toContain(escape);
    }
  });

  it('redacts values below the maximum depth', () => {
    const { log, lines } = captured();
    let deep: object = { plain: `${hush} and a secret` };
    for (let depth = 0; depth < 20; depth += 1) deep = { deep };
    log.info({ deep }, 'deep');
    expect(lines.join('')).not.toContain(hush);
  });
});

it.runIf(existsSync('/dev/full'))(
  'drops lines that a full disk cannot take, and the process works on',
  () => {
    const program = `
    const { createLogger } = await import(${JSON.stringify(new URL('logger.ts', import.meta.url).href)});
    const log = createLogger({ level: 'info', name: 'serve', pretty: false });
    for (let line = 0; line < 3; line += 1) log.info('never written');
    process.stderr.write('still working');
  `;
    const full = openSync('/dev/full', 'w');
    const words = ['--input-type=module', '--eval', program];
    const { status, stderr } = spawnSync(process.execPath, words, { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect([status, stderr.toString()]).toEqual([0, 'still working']);
  },
);
