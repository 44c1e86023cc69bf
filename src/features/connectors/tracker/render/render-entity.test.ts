import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRecord, printRecord } from '../../../../../test/support/mirror/records.ts';
import { measureProcessor } from '../../../../../test/support/run/processor-time.ts';
import { entityArbitrary, someEntity } from '../../../../../test/support/tracker/entity-arbitrary.ts';
import { writablePathError } from '../../../../foundation/git/writing/writable-path.ts';
import type { RenderedEntity } from '../../entities/entity.ts';
import type { Answer } from '../kinds/family.ts';
import { issue } from '../kinds/issue.ts';
import { kinds } from '../kinds/kinds.ts';
import { attachment, comment, customerNeed } from '../kinds/part-kinds.ts';
import type { EntityDetails, TrackerEntity } from '../kinds/tracker-kind.ts';
import { renderEntity } from './render-entity.ts';

const options = { uploadsOrigin: 'https://uploads.example', uploads: true, embedded: true };
const none: EntityDetails = { comments: [], needs: [] };
const details: fc.Arbitrary<EntityDetails> = fc.record({
  comments: fc.array(entityArbitrary(comment), { maxLength: 3 }),
  needs: fc.array(entityArbitrary(customerNeed), { maxLength: 3 }),
});

function recordOf({ content }: RenderedEntity) {
  if ('list' in content) throw new Error('this is an item of a list');
  return content.record;
}

type Issue = Answer<typeof issue.shape>;

const issueWith = (fields: Partial<Issue>, further = options): RenderedEntity =>
  renderEntity(issue, { ...someEntity(issue), ...fields }, none, further);

/** Reverses every list in a value. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed).toReversed();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, reversed(field)]));
}

describe.each(kinds)('a rendered entity of the kind $name', (kind) => {
  const cases = fc.tuple(entityArbitrary(kind), details);
  const forEvery = (check: (entity: TrackerEntity, given: EntityDetails) => void): void => {
    fc.assert(
      fc.property(cases, ([entity, given]) => check(entity, given)),
      { numRuns: 30 },
    );
  };

  it('is a record that its file gives back, at a path that may be written on every system', () => {
    forEvery((entity, given) => {
      const rendered = renderEntity(kind, entity, given, options);
      if ('list' in rendered.content) {
        expect(rendered.content.item.id).not.toBe('');
        return;
      }
      const { path, content } = printRecord(rendered.content.record);
      expect(parseRecord(path, content)).toEqual({
        kind: kind.record,
        record: rendered.content.record,
      });
      expect(writablePathError(path, ['tracker'])).toBeUndefined();
    });
  });

  it('does not depend on the order in which the provider lists its parts', () => {
    forEvery((entity, given) => {
      const one = renderEntity(kind, entity, given, options);
      const { previousIdentifiers } = entity as Partial<Issue>;
      const turned = {
        ...(reversed(entity) as TrackerEntity),
        ...(previousIdentifiers && { previousIdentifiers }),
      };
      const other = renderEntity(kind, turned, reversed(given) as EntityDetails, options);
      expect({ ...other, parts: [] }).toEqual({ ...one, parts: [] });
    });
  });
});

describe('the record of an issue', () => {
  it('has what the provider says about it, with comments and without noise', () => {
    const written = {
      ...someEntity(comment),
      id: 'c',
      body: 'Agreed.',
      url: 'https://linear.app/acme/issue/ENG-1#c',
    };
    const bot = { name: 'Robot' };
    const at = '2026-01-02T03:04:05.000Z';
    const entity: Issue = {
      ...someEntity(issue),
      priorityLabel: 'No priority',
      dueDate: '2026-02-01',
      previousIdentifiers: ['OLD-9'],
      relations: [{ id: 'r1', type: 'blocks', relatedIssue: { id: 'x', identifier: 'ENG-2' } }],
      inverseRelations: [
        { id: 'r2', type: 'blocks', issue: { id: 'y', identifier: 'ENG-3' } },
        { id: 'r3', type: 'related', issue: { id: 'z', identifier: 'ENG-4' } },
      ],
      needs: [
        { id: 'n1', customer: { id: 'k', slugId: 'initech' } },
        { id: 'n2', customer: undefined },
      ],
    };
    const given = {
      comments: [{ ...written, createdAt: at, updatedAt: at, user: undefined, botActor: bot }],
      needs: [],
    };
    const rendered = renderEntity(issue, entity, given, options);
    expect(recordOf(rendered)).toMatchObject({
      priority: undefined,
      due: '2026-02-01',
      previousIdentifiers: ['OLD-9'],
      relations: [
        { type: 'blockedBy', issue: 'ENG-3' },
        { type: 'blocks', issue: 'ENG-2' },
        { type: 'related', issue: 'ENG-4' },
      ],
      customers: ['initech'],
      comments: [{ id: 'c', author: { id: 'bot', name: 'Robot' }, updatedAt: undefined, body: 'Agreed.' }],
    });
    expect(rendered.parts).toEqual([{ kind: 'comment', id: 'c', updatedAt: at }]);
    expect(rendered.links.names).toEqual(['issue ENG-1', 'issue OLD-9']);
  });

  it('keeps no e-mail address of a person, and none of the bytes that would hide or forge something', () => {
    const rendered = issueWith({
      title: '---\n../../evil\u202e\u0000',
      description:
        '---\nid: forged\n---\n<!-- orgctx:comment {"id":"forged","createdAt":"2026-01-01T00:00:00Z"} -->',
      assignee: { id: 'u', name: 'ada@acme.example' },
    });
    const { path, content } = printRecord(recordOf(rendered));
    expect(path).toBe('tracker/issues/ENG/ENG-1.md');
    expect(content).not.toMatch(/acme\.example|[\u202e\0]/);
    const parsed = parseRecord(path, content);
    expect(parsed).toMatchObject({
      record: { id: someEntity(issue).id, title: '--- ../../evil', comments: [] },
    });
  });

  it('of 1 MiB takes no longer than its size', () => {
    const hostile = [
      '[',
      '![',
      '`',
      '<img src="',
      'https://linear.app/acme/issue/ENG-2 ',
      '\u0301',
      '<video ',
    ];
    const processorMs = measureProcessor();
    for (const piece of hostile) {
      const description = piece.repeat(Math.ceil(1024 ** 2 / piece.length));
      expect(recordOf(issueWith({ description })).type).toBe('issue');
    }
    expect(processorMs()).toBeLessThan(20_000);
  });
});

describe('the addresses of an entity', () => {
  const referencesOf = (description: string) =>
    issueWith({ description }).links.references.map(({ name }) => name);
  const assetsOf = (description: string, further = options) => issueWith({ description }, further).assets;

  it('name entities of the same workspace, in each form that the provider has', () => {
    const site = 'https://linear.app/acme';
    const addresses = [
      `${site}/issue/eng-2/some-title#comment-1`,
      `[text](${site}/project/big-thing-4f2a9c0d1e2b/overview)`,
      `<${site}/document/a-text-8d7c6b5a4f3e>`,
      `${site}/initiative/europe-0a1b2c3d4e5f.`,
      `${site}/team/ENG/cycle/7`,
    ];
    expect(referencesOf(addresses.join('\n'))).toEqual([
      'issue ENG-2',
      'project 4f2a9c0d1e2b',
      'document 8d7c6b5a4f3e',
      'initiative 0a1b2c3d4e5f',
      'cycle ENG/7',
    ]);
  });

  it('name nothing in other workspaces, on other hosts, in code, or where there is no entity', () => {
    const addresses = [
      'https://linear.app/other/issue/ENG-2',
      'https://linear.app.evil.example/acme/issue/ENG-2',
      'https://evil.example/acme/issue/ENG-2',
      '`https://linear.app/acme/issue/ENG-2`',
      '```\nhttps://linear.app/acme/issue/ENG-2\n```',
      'https://linear.app/acme/settings/account',
      'https://linear.app/acme/issue/',
    ];
    expect(referencesOf(addresses.join('\n'))).toEqual([]);
  });

  it('are assets if they are uploads, or embedded files of other hosts; a link is never followed', () => {
    const uploaded = 'https://uploads.example/a/b.png';
    const text = [
      `[file](${uploaded})`,
      '![shot](https://cdn.example/shot.png "title")',
      '<img alt="x" src="https://cdn.example/tag.png">',
      '<video controls src="https://cdn.example/film.mp4"></video>',
      'https://example.com/page [page](https://example.com/page.png)',
      '`![code](https://cdn.example/code.png)`',
      'https://uploads.example.evil.example/c.png',
      'https://git.example.com/acme/shop/pull/1',
    ].join('\n');
    const external = ['shot.png', 'tag.png', 'film.mp4'].map((name) => `https://cdn.example/${name}`);
    expect(assetsOf(text)).toEqual([uploaded, ...external]);
    expect(assetsOf(text, { ...options, uploads: false })).toEqual(external);
    expect(assetsOf(text, { ...options, embedded: false })).toEqual([uploaded]);
    const attachments = ['https://uploads.example/z.pdf', 'https://git.example.com/acme/shop/pull/1'].map(
      (url) => ({ ...someEntity(attachment), id: url, url }),
    );
    expect(issueWith({ attachments }).assets).toEqual(['https://uploads.example/z.pdf']);
  });

  it('are at most 500 references and 100 assets', () => {
    const lines = Array.from(
      { length: 1_000 },
      (_, n) => `https://linear.app/acme/issue/ENG-${n} https://uploads.example/${n}`,
    );
    const { links, assets } = issueWith({ description: lines.join('\n') });
    expect([links.references.length, assets.length]).toEqual([500, 100]);
  });
});
