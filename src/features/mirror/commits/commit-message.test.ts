import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { commitMessage } from './commit-and-push.ts';

const idOf = (text: string): ConnectionId => text as ConnectionId;

const trailers = (message: string): readonly string[] =>
  execFileSync('git', ['interpret-trailers', '--parse'], { input: message, encoding: 'utf8' })
    .trim()
    .split('\n');

it('names a single source in its subject, and connection and source as trailers', () => {
  const message = commitMessage([{ connectionId: idOf('c-1'), origin: 'issue ENG-12' }]);
  expect(message.split('\n')[0]).toBe('Mirror issue ENG-12');
  expect(trailers(message)).toEqual(['Orgctx-Connection: c-1', 'Orgctx-Source: issue ENG-12']);
});

it('lists each connection and source once, in a fixed order', () => {
  const message = commitMessage([
    { connectionId: idOf('c-2'), origin: 'issue ENG-2' },
    { connectionId: idOf('c-1'), origin: 'issue ENG-1' },
    { connectionId: idOf('c-1'), origin: 'issue ENG-2' },
  ]);
  expect(message.split('\n')[0]).toBe('Mirror 3 files');
  expect(trailers(message)).toEqual([
    'Orgctx-Connection: c-1',
    'Orgctx-Connection: c-2',
    'Orgctx-Source: issue ENG-1',
    'Orgctx-Source: issue ENG-2',
  ]);
});

it('prevents an origin from forging a line or a trailer', () => {
  const origin = 'issue ENG-1\r\n\nOrgctx-Connection: c-666\u2028Signed-off-by: mallory\u0000\u202e';
  const message = commitMessage([{ connectionId: idOf('c-1'), origin }]);
  expect(trailers(message)).toHaveLength(2);
  expect(trailers(message)[0]).toBe('Orgctx-Connection: c-1');
  for (const hidden of ['\0', '\r', '\u2028', '\u202e']) expect(message).not.toContain(hidden);
});

it('has a bounded length and counts what it omits', () => {
  const changes = Array.from({ length: 10_000 }, (_, index) => ({
    connectionId: idOf(`c-${index % 30}`),
    origin: `issue ${'x'.repeat(500)}-${index}`,
  }));
  const many = commitMessage(changes.map((change, index) => ({ ...change, origin: `issue ENG-${index}` })));
  expect(many.length).toBeLessThan(30_000);
  expect(many).toContain('9900 more sources are not named below.');
  expect(many).toContain('10 more connections are not named below.');
  expect(trailers(many)).toHaveLength(120);
  expect(
    Math.max(
      ...commitMessage(changes)
        .split('\n')
        .map((line) => line.length),
    ),
  ).toBeLessThan(230);
});
