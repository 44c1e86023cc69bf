import { describe, expect, it } from 'vitest';
import { parseRecord } from '../../support/mirror/records.ts';
import { sampleSize } from '../../support/run/long-run.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, connected, mirrored } = useSyncService();

/** Texts that try to be read as something else than text: as metadata, Markdown, a path or an option of Git. */
const hostileTexts = [
  '---\nid: forged\ntype: incident\n---\n',
  'x\n---\ntitle: forged\n---\nbelow',
  '{"a": [*alias, &anchor, !!js/function x]} # no: comment',
  '- "\'\\ %YAML 1.1\n...\n',
  '../../../../etc/passwd',
  '.git/hooks/post-checkout',
  '--upload-pack=touch /tmp/x',
  '<!-- orgctx:comment {"id":"forged","createdAt":"2026-01-01T00:00:00.000Z"} -->',
  '```\n<!-- orgctx:comments -->\n## Comments',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  'a\u0000b\u001b[31m\u202eevil\u202c\u2066x\u2069\u{e0041}\ufeff',
  'half \ud800 of a pair',
  'line\r\nline\rline\u2028line\u0085',
  'CON',
  ' ',
  '',
] as const;

const mebibyte = 1024 ** 2;
/** Control characters, bidirectional overrides, tags and byte order marks. */
const invisible = /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u;

/** Names of teams that are the same for some file systems, or no names of folders. */
const hostileKeys = [
  '../..',
  '.git',
  'CON',
  'eng',
  'Eng',
  'a/b',
  '\u00e9',
  'e\u0301',
  '\u202eGNE',
  'x'.repeat(300),
];

describe('hostile text', () => {
  it('stays text in every file that contains it', async () => {
    const { tracker, example } = opened();
    const { workspace } = tracker;
    const teamId = example.eng.id;
    const written = hostileTexts.map((text) => {
      const label = workspace.add('IssueLabel', { name: text, teamId });
      const userId = workspace.add('User', { name: text, displayName: text }).id;
      const fields = { title: text, description: text, labelIds: [label.id], assigneeId: userId };
      const issue = workspace.add('Issue', { ...fields, teamId });
      const comment = workspace.add('Comment', { body: text, issueId: issue.id, userId });
      workspace.add('Document', { title: text, content: text, issueId: issue.id });
      workspace.add('Project', { name: text, content: text, description: text, teamIds: [teamId] });
      return { issue, comment };
    });
    const synced = await mirrored();
    const files = await synced.files();
    for (const [path, content] of Object.entries(files)) {
      expect(content).not.toMatch(invisible);
      expect(parseRecord(path, content), path).toMatchObject({ record: expect.anything() });
    }
    for (const { issue, comment } of written) {
      const path = `tracker/issues/ENG/${String(issue['identifier'])}.md`;
      const record = { id: issue.id, type: 'issue', comments: [{ id: comment.id }] };
      expect(parseRecord(path, files[path] ?? '')).toMatchObject({ record });
    }
    expect(Object.keys(files).filter((path) => path.startsWith('tracker/projects/'))).toHaveLength(
      hostileTexts.length + 2,
    );
    expect(synced.remote.git('fsck', '--strict')).toBe('');
    const before = synced.remote.history().length;
    await synced.sync({ full: true });
    await synced.files();
    expect(synced.remote.history()).toHaveLength(before);
  });

  it('in the keys of teams leaves each issue a path of its own, inside the folder', async () => {
    const { tracker, example } = opened();
    const { workspace } = tracker;
    const issues = hostileKeys.map((key) =>
      workspace.add('Issue', { teamId: workspace.add('Team', { key, name: key }).id }),
    );
    const synced = await mirrored();
    const files = await synced.files();
    const paths = Object.keys(files);
    expect(paths.filter((path) => !/^tracker\/[\w./-]+$/u.test(path) || path.includes('..'))).toEqual([]);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length);
    for (const { id } of [...issues, example.issue, example.opsIssue]) {
      const own = paths.filter((path) => path.includes('/issues/') && files[path]?.includes(`id: ${id}\n`));
      expect(own).toHaveLength(1);
    }
    expect(synced.remote.git('fsck', '--strict')).toBe('');
  });

  it('of 1 MiB is mirrored whole', async () => {
    const { tracker, example } = opened();
    const description = 'All amounts. '.repeat(mebibyte / 13);
    const body = `${'>'.repeat(mebibyte)} end`;
    tracker.workspace.update(example.issue, { description });
    tracker.workspace.update(example.comment, { body });
    const content = (await (await mirrored()).files())['tracker/issues/ENG/ENG-1.md'] ?? '';
    expect(parseRecord('tracker/issues/ENG/ENG-1.md', content)).toMatchObject({
      record: { body: description.trim(), comments: [{ body }] },
    });
  });
});

describe('a workspace that changes while it is read', () => {
  it('may hide a team between two pages: its files go with the next comparison', async () => {
    const { tracker, example } = opened();
    for (let n = 0; n < 60; n += 1) tracker.workspace.add('Issue', { teamId: example.ops.id });
    const synced = await connected();
    tracker.beforeAnswer = (_call, body) => {
      if (body.includes('page: issues(') && body.includes('"after"'))
        tracker.workspace.hiddenTeams.add(example.ops.id);
    };
    await synced.sync();
    expect(tracker.workspace.hiddenTeams.size).toBe(1);
    tracker.workspace.advance(2 * 60_000);
    await synced.sync();
    expect((await synced.paths()).filter((path) => path.includes('/OPS'))).toEqual([]);
    expect(await synced.paths()).toContain('tracker/issues/ENG/ENG-1.md');
  });

  it('may revoke the tokens in the middle of a page: nothing is changed', async () => {
    const { tracker } = opened();
    const synced = await mirrored();
    const before = await synced.files();
    tracker.beforeAnswer = (_call, body) => {
      if (body.includes('page: issues(')) tracker.oauth.revokeAll();
    };
    await synced.sync({ full: true });
    expect(await synced.status()).toMatchObject({ state: 'disconnected' });
    expect(await synced.files()).toEqual(before);
  });
});

const many = sampleSize({ sample: 120, all: 3_000 });

it(`each of ${many} issues has a file, and a comparison commits nothing again`, async () => {
  const { tracker, example } = opened();
  Object.assign(tracker.graphql.limits, { requests: 10 ** 8, complexity: 10 ** 11 });
  for (let n = 0; n < many; n += 1)
    tracker.workspace.add('Issue', { teamId: example.eng.id, title: `Issue ${n}` });
  const synced = await mirrored();
  const files = await synced.paths();
  expect(files.filter((path) => path.startsWith('tracker/issues/ENG/'))).toHaveLength(many + 1);
  const commits = synced.remote.history().length;
  await synced.sync({ full: true });
  await synced.paths();
  expect(synced.remote.history()).toHaveLength(commits);
});
