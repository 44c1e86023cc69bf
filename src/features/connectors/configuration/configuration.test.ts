import { describe, expect, it } from 'vitest';
import { toy } from '../../../../test/standins/toy-connector.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { connectors } from '../registry.ts';
import { configBranch, issueText, parseConfig, renderConfig } from './config-file.ts';

const connectionId = '0190f3a0-0000-7000-8000-0000abcd1234' as ConnectionId;
const of = { connector: toy, connectionId };
const head = `version: 1\nconnection: ${connectionId}\n`;

function issuesOf(text: string | Buffer): readonly string[] {
  return (parseConfig(Buffer.from(text), of).issues ?? []).map(issueText);
}

describe('a configuration file', () => {
  it('is read with the defaults of what is absent', () => {
    expect(parseConfig(Buffer.from(`${head}scope: {boxes: [red]}\n`), of)).toEqual({
      configuration: { scope: { boxes: ['red'], broken: false }, content: { bricks: true } },
    });
  });

  it.each([
    [
      'an unknown key, with the closest one',
      `${head}scope:\n  boxs: [red]\n  boxes: [a]\n`,
      ['4:3: unknown key boxs (did you mean boxes?)'],
    ],
    [
      'an unknown key of its own',
      `${head}scope: {boxes: [a]}\nteems: 1\n`,
      ['4:1: unknown key teems (known keys: version, connection, workspace, scope, content)'],
    ],
    ['a missing block', head, ['1:1: scope is missing']],
    [
      'a wrong type',
      `${head}scope:\n  boxes: red\n`,
      ['4:10: scope.boxes: invalid input: expected array, received string'],
    ],
    [
      'several errors at once',
      `version: 2\nconnection: ${connectionId}\nscope: {boxes: [], broken: 1}\n`,
      [
        '1:10: version: must be 1',
        '3:16: scope.boxes: must name at least one box',
        '3:28: scope.broken: invalid input: expected boolean, received number',
      ],
    ],
    [
      'the id of another connection',
      'version: 1\nconnection: another\nscope: {boxes: [a]}\n',
      [`2:13: connection must be ${connectionId}, the id of this connection`],
    ],
    ['tabs', `${head}scope:\n\tboxes: [a]\n`, ['4:1: tabs are not allowed for indentation; use spaces']],
    [
      'a key that is there twice',
      `${head}scope: {boxes: [a]}\nversion: 1\n`,
      ['4:1: this key is there already'],
    ],
    [
      'anchors and aliases',
      `${head}scope: {boxes: [&a red, *a]}\n`,
      ['3:20: anchors (&) are not allowed', '3:25: aliases (*) are not allowed'],
    ],
    ['tags', `${head}scope: {boxes: [!!str red]}\n`, ['3:23: tags (!) are not allowed']],
    [
      'several documents',
      `${head}scope: {boxes: [a]}\n---\na: 1\n`,
      ['4:1: the file must be one document; remove the line `---` in the middle'],
    ],
    ['no map', '- a\n', ['1:1: : invalid input: expected object, received array']],
    ['nothing', '', ['1:1: version: must be 1', '1:1: connection is missing', '1:1: scope is missing']],
    ['bytes that are no text', Buffer.from([0xff, 0xfe]), ['1:1: the file is not UTF-8 text']],
    ['1 MiB', `#${'x'.repeat(1024 ** 2)}`, ['1:1: the file is larger than 64 KiB']],
    ['deep brackets', `a: ${'['.repeat(60_000)}`, ['1:1: the file is nested too deeply']],
    ['deep entries', `${'- '.repeat(30_000)}a`, ['1:1: the file is nested too deeply']],
  ])('is refused for %s', (_title, text, expected) => {
    expect(issuesOf(text)).toEqual(expected);
  });

  it.each([
    ['deep indentation', Array.from({ length: 350 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
    ['many keys', Array.from({ length: 8_000 }, (_, index) => `k${index}:`).join('\n')],
    ['many aliases', `a: &a [x]\nb: [${'*a,'.repeat(15_000)}]`],
  ])('is refused with few errors, and without much time, for %s', (_title, text) => {
    const started = process.threadCpuUsage();
    const { length } = issuesOf(text);
    const { user, system } = process.threadCpuUsage(started);
    // With the parser's own comparison of keys it was two minutes.
    expect([length >= 1, length <= 20, user + system < 3_000_000]).toEqual([true, true, true]);
  });

  it('that is new says what each part means, and is valid for each connector', () => {
    const scopes: Readonly<Record<string, object>> = {
      tracker: { teams: ['ENG'] },
      oncall: { services: [{ id: 'P1', name: 'API' }] },
      toy: { boxes: ['red'] },
    };
    for (const connector of [...connectors, toy]) {
      const account = { id: 'a1', name: 'Acme' };
      const scope = { ...scopes[connector.kind] };
      const text = renderConfig({ connector, connectionId, account, scope }, undefined);
      expect(text).toMatch(/^# \w+\/config\.yaml: /);
      for (const comment of Object.values(connector.configuration.comments))
        expect(text).toContain(`# ${comment}\n`);
      expect(
        parseConfig(Buffer.from(text), { connector, connectionId }).configuration?.['scope'],
      ).toMatchObject(scope);
    }
  });

  it('says which workspace it is of by its id and the name in its address', () => {
    const connector = connectors.find(({ kind }) => kind === 'tracker') ?? toy;
    const content = { connector, connectionId, scope: { teams: ['ENG'] } };
    const account = { id: 'w1', name: 'Acme Inc', url: 'https://linear.app/acme' };
    const text = renderConfig({ ...content, account }, undefined);
    expect(text).toContain('\nworkspace:\n  id: w1\n  urlKey: acme\n');
    expect(parseConfig(Buffer.from(text), { connector, connectionId }).issues).toBeUndefined();
    const renamed = { ...account, url: 'https://linear.app/umbrella' };
    expect(renderConfig({ ...content, account: renamed }, Buffer.from(text))).toContain(
      '\nworkspace:\n  id: w1\n  urlKey: umbrella\n',
    );
    const misspelt = parseConfig(Buffer.from(text.replace('urlKey', 'urlkey')), { connector, connectionId });
    expect(misspelt.issues?.map(issueText)).toEqual([
      expect.stringContaining('unknown key urlkey (did you mean urlKey?)'),
    ]);
  });

  it('that is changed keeps comments, order and other blocks', () => {
    const before = [
      '# ours',
      'version: 1',
      'connection: another # old',
      'content: {bricks: false} # no bricks',
      'scope:',
      '  # the boxes',
      '  boxes: [red] # only red',
      '  broken: true',
      '',
    ].join('\n');
    const content = { connector: toy, connectionId, account: undefined, scope: { boxes: ['blue'] } };
    expect(renderConfig(content, Buffer.from(before)).split('\n')).toEqual([
      '# ours',
      'version: 1',
      `connection: ${connectionId} # old`,
      'content: { bricks: false } # no bricks',
      'scope:',
      '  # the boxes',
      '  boxes: [ blue ]',
      '',
    ]);
  });

  it.each([
    [
      'is too large',
      `${head}scope:\n${Array.from({ length: 20_000 }, (_, index) => ` k${index}:\n`).join('')}`,
    ],
    ['has the same key often', `${head}scope:\n${' k1:\n'.repeat(15_000)}`],
    ['is nested too deeply', `${head}scope: ${'['.repeat(20_000)}`],
    ['has an alias', `${head}content: &a {}\nscope: *a\n`],
  ])('that %s is replaced without much time', (_title, before) => {
    const content = { connector: toy, connectionId, account: undefined, scope: { boxes: ['blue'] } };
    const started = process.threadCpuUsage();
    const after = renderConfig(content, Buffer.from(before));
    const { user, system } = process.threadCpuUsage(started);
    expect(after).toBe(renderConfig(content, undefined));
    expect(user + system).toBeLessThan(3_000_000);
  });

  it('keeps little of a large scope without much time', () => {
    const many = Array.from({ length: 6_000 }, (_, index) => `  k${index}: 1\n`).join('');
    const content = { connector: toy, connectionId, account: undefined, scope: { boxes: ['blue'] } };
    const started = process.threadCpuUsage();
    const after = renderConfig(content, Buffer.from(`${head}scope:\n  boxes: [blue] # ours\n${many}`));
    const { user, system } = process.threadCpuUsage(started);
    expect(after).toBe(`${head}scope:\n  boxes: [ blue ] # ours\n`);
    expect(user + system).toBeLessThan(3_000_000);
  });

  it('is proposed on a new branch after its former one was merged', () => {
    const pull = { number: 1, url: '', validatedCommit: undefined, commented: false };
    const first = configBranch('toy', connectionId, undefined);
    expect(first).toBe('orgctx/toy-abcd1234');
    expect(configBranch('toy', connectionId, { ...pull, branch: first, state: 'closed' })).toBe(first);
    const second = configBranch('toy', connectionId, { ...pull, branch: first, state: 'merged' });
    expect(second).toBe('orgctx/toy-abcd1234-2');
    expect(configBranch('toy', connectionId, { ...pull, branch: second, state: 'merged' })).toBe(
      'orgctx/toy-abcd1234-3',
    );
  });
});
