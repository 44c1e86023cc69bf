import { describe, expect, it } from 'vitest';
import { printRecord, recordsOf } from '../../../../test/support/mirror/records.ts';
import { measureProcessor } from '../../../../test/support/run/processor-time.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { HistoryCommit } from '../../../foundation/git/objects/history/commit-history.ts';
import { PackageExports } from '../packages/exported-names.ts';
import { RepositoryFiles } from '../projection/repository-files.ts';
import { addCatalog } from './catalog.ts';
import { commitFacts, RenamedPaths } from './commit-facts.ts';
import { FactList } from './fact-list.ts';
import { fileFacts } from './file-facts.ts';
import { addPerson, parseMailmap } from './people.ts';
import type { RecordSource } from './record-facts.ts';
import { addReferences, type ReferenceOptions } from './text-references.ts';

function references(text: string, options: ReferenceOptions = {}): readonly string[] {
  const facts = new FactList();
  addReferences(facts, 'issue:c:1', [{ field: 'body', text }], options);
  return facts.mentions.map(({ kind, name, confidence }) => `${kind} ${name} ${confidence}`);
}

describe('references in a text', () => {
  it('are identifiers, with a verb that closes', () => {
    expect(references('Fixes ENG-12, see OPS-3. ENG-12 again')).toEqual([
      'closes ENG-12 100',
      'mentions OPS-3 60',
      'mentions ENG-12 60',
    ]);
    expect(references('CVE-2024-1234 xENG-1 ENG-1234567 ENG-1a eng-5 FOO_ENG-1')).toEqual([]);
  });

  it('are not the unit itself', () => {
    expect(references('ENG-1 blocks ENG-1', { except: ['ENG-1'] })).toEqual([]);
  });

  it('are addresses of pull requests', () => {
    expect(references('https://git.example.com/Acme/Shop/pull/431/files')).toEqual([
      'mentions pull:git.example.com/acme/shop#431 100',
    ]);
    expect(references('https://gitlab.com/a/b/c/-/merge_requests/7')).toEqual([
      'mentions pull:gitlab.com/a/b/c#7 100',
    ]);
  });

  it('are paths and names of two words in backquotes', () => {
    expect(references('`src/a.ts:12` `renewLease()` `main` `lease_ms` `a b`', { code: true })).toEqual([
      'mentions path:src/a.ts 80',
      'mentions name:renewLease 80',
      'mentions name:lease_ms 80',
    ]);
  });

  it('are stack frames of several languages', () => {
    const names = (text: string) => references(text, { frames: true }).map((line) => line.split(' ')[1]);
    expect(names('    at run (/srv/app/src/a.ts:12:5)')).toContain('path:src/a.ts');
    expect(names('  File "/srv/app/b.py", line 3, in f')).toContain('path:app/b.py');
    expect(names('\tat com.acme.Cart.total(Cart.java:41)')).toContain('path:com/acme/Cart.java');
    expect(names('\t/go/src/acme/c.go:7 +0x1d')).toContain('path:acme/c.go');
    expect(names('C:\\work\\app\\d.cs:9')).toContain('path:app/d.cs');
  });

  it('are bounded, and take linear time in hostile text', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `ENG-${index}`).join(' ');
    expect(references(many).length).toBeLessThanOrEqual(501);
    expect(references('ENG-1 '.repeat(10_000))).toHaveLength(1);
    for (const text of ['`', 'https://a/', '/a.b', 'at a.', 'A-1-', 'File "'])
      references(text.repeat(40_000), { code: true, frames: true });
  });
});

describe('people', () => {
  it('are joined by .mailmap, and never by a name alone', () => {
    const mailmap = parseMailmap(
      '# x\nAda <ada@new.org> <ada@old.org>\nAda <ada@new.org> Typo <typo@x.org>\n',
    );
    const facts = new FactList();
    const keyOf = (name: string, email: string) => addPerson(facts, mailmap({ name, email }));
    expect(keyOf('A', 'ADA@old.org')).toBe(keyOf('Ada', 'ada@new.org'));
    expect(keyOf('Typo', 'typo@x.org')).toBe(keyOf('Ada', 'ada@new.org'));
    expect(keyOf('Other', 'typo@x.org')).not.toBe(keyOf('Ada', 'ada@new.org'));
    expect(keyOf('Ada', '')).toBeUndefined();
    expect(keyOf('GitHub', 'noreply@github.com')).toBeUndefined();
    expect(keyOf('Ada', '12+Ada-L@users.noreply.github.com')).toBe('person:github.com:ada-l');
    expect(JSON.stringify(facts)).not.toContain('@new.org');
  });

  it('are the same as owners of files and as authors of commits', () => {
    const owners = ['ada@new.org', '12+Ada-L@users.noreply.github.com', 'noreply@github.com'];
    const files = new RepositoryFiles(temporaryFolder());
    const rules = [{ pattern: '*', owners }];
    const file = { path: 'a.ts', language: 'TypeScript', parsed: undefined, text: undefined, owners: rules };
    const { symbols, uniqueEnd } = files;
    const facts = fileFacts(
      {
        repositoryId: 'r',
        host: 'github.com',
        symbols,
        exports: new PackageExports(files.packages, symbols),
        uniqueEnd,
        sources: [],
      },
      file,
    );
    const authors = new FactList();
    const keys = owners.flatMap((email) => addPerson(authors, { name: 'Ada', email }) ?? []);
    expect(keys).toHaveLength(2);
    expect(facts.edges.filter(({ kind }) => kind === 'owned_by').map(({ to }) => to)).toEqual(keys);
    expect(facts.nodes.slice(1).map(({ name }) => name)).toEqual(['ada', 'Ada-L']);
  });

  it('are one person if .mailmap merges everybody, whatever the number of lines', () => {
    const lines = Array.from(
      { length: 60_000 },
      (_, index) => `One <one@example.com> <p${index}@example.com>\n`,
    );
    const mailmap = parseMailmap(lines.join(''));
    const facts = new FactList();
    const keys = Array.from({ length: 50_000 }, (_, index) =>
      addPerson(facts, mailmap({ name: `P${index}`, email: `P${index}@example.com` })),
    );
    expect(new Set(keys).size).toBe(1);
  });
});

const commit: HistoryCommit = {
  id: 'a'.repeat(40),
  parent: undefined,
  time: 1,
  author: { name: 'Ada', email: 'ada@example.com' },
  committer: { name: 'Host', email: 'host@example.com' },
  message: 'Merge pull request #12 from acme/eng-7-totals\n\nCo-authored-by: Grace <grace@example.com>\n',
  paths: ['a.ts'],
  changed: 1,
};
const place = {
  repositoryId: 'r',
  hosted: 'github.com/acme/shop',
  mailmap: parseMailmap(''),
  renames: new RenamedPaths(),
};

describe('a commit', () => {
  it('belongs to the pull request of its subject, whose branch names an issue', () => {
    const facts = commitFacts(place, commit);
    expect(facts.edges.map(({ kind, to }) => `${kind} ${to.split(':', 1)[0]}`)).toEqual([
      'authored_by person',
      'committed_by person',
      'authored_by person',
      'touches file',
      'part_of pr',
      'alias_of pr',
    ]);
    expect(facts.edges.find(({ kind }) => kind === 'alias_of')?.from).toBe(
      'alias:pull:github.com/acme/shop#12',
    );
    expect(facts.mentions).toContainEqual(
      expect.objectContaining({ name: 'ENG-7', rule: 'branch', confidence: 90 }),
    );
    const squashed = commitFacts(place, { ...commit, message: 'Totals (#13)' });
    expect(squashed.edges).toContainEqual(
      expect.objectContaining({ to: 'pr:r:13', rule: 'squash-suffix', confidence: 95 }),
    );
  });
});

describe('a commit of files that were renamed later', () => {
  it('touches the files by their present paths, and says why', () => {
    const renames = new RenamedPaths();
    renames.add({ path: 'b.ts', from: 'a.ts' });
    const { edges } = commitFacts({ ...place, renames }, { ...commit, paths: ['a.ts', 'c.ts'] });
    expect(edges.filter(({ kind }) => kind === 'touches')).toMatchObject([
      { to: 'file:r:b.ts', rule: 'rename', evidence: 'renamed from a.ts', confidence: 90 },
      { to: 'file:r:c.ts', rule: 'diff', evidence: 'c.ts', confidence: 100 },
    ]);
  });
});

describe('a commit of more paths than are linked', () => {
  it('says so', () => {
    const propsOf = (changed: number) => commitFacts(place, { ...commit, changed }).nodes[0]?.props;
    expect(propsOf(1)).toMatchObject({ changed: 1, truncated: undefined });
    expect(propsOf(1_010)).toMatchObject({ changed: 1_010, truncated: true });
  });
});

describe('a commit that reverts another one', () => {
  it('mentions the issue that the other one closed', () => {
    const facts = commitFacts(place, { ...commit, message: 'Revert "Fixes ENG-12: totals"\n\nFixes OPS-3.' });
    expect(facts.mentions.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'mentions ENG-12',
      'closes OPS-3',
    ]);
  });
});

describe('the co-authors of a commit', () => {
  const authorsOf = (body: string) =>
    commitFacts(place, { ...commit, message: `Count totals\n\n${body}` }).edges.filter(
      ({ rule }) => rule === 'co-author',
    ).length;

  it('are those of its lines', () => {
    expect(
      authorsOf('Co-authored-by:Grace <grace@example.com>  \nco-authored-by: <joan@example.com>\n'),
    ).toBe(2);
    expect(authorsOf('See Co-authored-by: Grace <grace@example.com>\n')).toBe(0);
    expect(authorsOf('Co-authored-by:\nGrace <grace@example.com>\n')).toBe(0);
  });

  it('are limited in number, and take linear time in hostile messages', () => {
    const lines = Array.from({ length: 50_000 }, (_, n) => `Co-authored-by: P <p${n}@example.com>\n`);
    expect(authorsOf(lines.join(''))).toBe(100);
    const processorMs = measureProcessor();
    for (const end of [' ', '\n'])
      authorsOf(
        `Co-authored-by:${end.repeat(1_000)}\nCo-authored-by: a<b>${end.repeat(1_000)}x\n`.repeat(1_000),
      );
    expect(processorMs()).toBeLessThan(1_000);
  });
});

describe('the name of a commit', () => {
  const nameOf = (message: string) =>
    commitFacts(place, { ...commit, message }).nodes.find(({ key }) => key.startsWith('commit:'))?.name;

  it('is its subject', () => {
    expect(nameOf('Count totals\n\nThey were wrong.')).toBe('Count totals');
    expect(nameOf(commit.message)).toBe('Merge pull request #12 from acme/eng-7-totals');
    expect(nameOf('')).toBe('a'.repeat(12));
  });

  it('is the title of the pull request that it merges', () => {
    const merge = 'Merge pull request #12 from acme/totals';
    expect(nameOf(`${merge}\n\nCount totals\n\nThey were wrong.`)).toBe('Count totals (#12)');
    expect(nameOf(`${merge}\n\nfix: count totals`)).toBe('fix: count totals (#12)');
  });
});

describe('a catalog', () => {
  it('names services, their owners and their services of the on-call tool', () => {
    const facts = new FactList();
    const text =
      'kind: Component\nmetadata:\n  name: shop\n  annotations: {x.io/service-id: P1}\nspec: {owner: user:ada}\n---\nkind: Group\n';
    addCatalog(facts, 'r', 'catalog-info.yaml', text);
    expect(facts.nodes.map(({ key }) => key)).toEqual(['service:catalog:r/shop', 'person:catalog:ada']);
    expect(facts.mentions.map(({ from, name }) => `${from} ${name}`)).toEqual([
      'repo:r service:P1',
      'service:catalog:r/shop service:P1',
    ]);
    const before = facts.nodes.length;
    for (const bad of ['{', 'a: &a [*a]', 'kind: Component', `x: ${'['.repeat(50_000)}`])
      addCatalog(facts, 'r', 'x', bad);
    expect(facts.nodes).toHaveLength(before);
  });
});

describe('a mirrored record', () => {
  const { path, content } = printRecord({
    type: 'issue',
    id: 'i1',
    identifier: 'ENG-1',
    previousIdentifiers: ['OPS-2'],
    title: 'One',
    team: 'ENG',
    state: { name: 'Done', type: 'completed' },
    createdAt: '2025-01-01T00:00:00Z',
    updatedAt: '2025-01-01T00:00:00Z',
    relations: [
      { type: 'duplicatedBy', issue: 'ENG-9' },
      { type: 'inspiredBy', issue: 'ENG-8' },
      { type: 'blocks', issue: 'ENG-1' },
    ],
    body: 'ENG-1 breaks `src/a.ts`',
  });
  const files = new RepositoryFiles(temporaryFolder());
  const facts = (sources: readonly RecordSource[]): FactList =>
    fileFacts(
      {
        repositoryId: 'r',
        host: 'github.com',
        symbols: files.symbols,
        exports: new PackageExports(files.packages, files.symbols),
        uniqueEnd: files.uniqueEnd,
        sources,
      },
      { path, language: 'Markdown', parsed: undefined, text: content, owners: [] },
    );

  it('is an issue in a bound repository, and a plain file elsewhere', () => {
    const { nodes, mentions } = facts([{ connectionId: 'c', records: recordsOf('tracker') }]);
    expect(nodes.map(({ key }) => key)).toEqual([
      `file:r:${path}`,
      'issue:c:i1',
      'alias:ENG-1',
      'alias:OPS-2',
    ]);
    expect(nodes[1]?.props['open']).toBe(false);
    expect(mentions.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'duplicated_by ENG-9',
      'relates_to ENG-8',
      'mentions path:src/a.ts',
    ]);
    for (const sources of [[], [{ connectionId: 'c', records: recordsOf('oncall') }]])
      expect(facts(sources).nodes.map(({ key }) => key)).toEqual([`file:r:${path}`]);
  });
});
