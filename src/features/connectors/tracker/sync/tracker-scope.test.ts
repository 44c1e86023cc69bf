import { describe, expect, it } from 'vitest';
import { trackerConfigurationShape } from '../configuration.ts';
import { document } from '../kinds/document.ts';
import { issue as issueKind } from '../kinds/issue.ts';
import { label as labelKind } from '../kinds/label.ts';
import type { ScopeFacts, TrackerKind } from '../kinds/tracker-kind.ts';
import { user } from '../kinds/user.ts';
import { enabledKinds, isInScope, missingTeams, resolveScope, widenedBy } from './tracker-scope.ts';

const teams = [
  { id: 'team-1', key: 'ENG', visibility: 'public' },
  { id: 'team-2', key: 'OPS', visibility: 'private' },
  { id: 'team-3', key: 'SEC', visibility: 'restricted' },
];

const configured = (scope: object = {}, content: object = {}) =>
  trackerConfigurationShape.parse({ scope: { teams: ['*'], ...scope }, content });

const namesIn = (configuration: ReturnType<typeof configured>) =>
  enabledKinds(configuration).map(({ name }) => name);

const issue: ScopeFacts = {
  teams: ['team-1'],
  projects: ['project-1', 'slug1'],
  labels: ['label-1', 'Bug'],
  state: 'started',
  updatedAt: '2026-05-01T00:00:00.000Z',
  archived: false,
  trashed: false,
};

const admits = (scope: object, facts: Partial<ScopeFacts> = {}, kind: TrackerKind = issueKind) =>
  isInScope(resolveScope(configured(scope), teams), kind, { ...issue, ...facts });

describe('a scope', () => {
  it.each<[string, object, Partial<ScopeFacts>, boolean]>([
    ['everything', {}, {}, true],
    ['a team by its key', { teams: ['eng'] }, {}, true],
    ['a team by its id', { teams: ['team-1'] }, {}, true],
    ['another team', { teams: ['OPS'] }, {}, false],
    ['a private team', {}, { teams: ['team-2'] }, false],
    ['a team inside a private one', { teams: ['SEC'] }, { teams: ['team-3'] }, false],
    ['private teams that are included', { includePrivateTeams: true }, { teams: ['team-2'] }, true],
    ['a team that the account no longer sees', {}, { teams: ['gone'] }, false],
    ['one of several teams', {}, { teams: ['team-2', 'team-1'] }, true],
    ['a project by its slug', { projects: ['SLUG1'] }, {}, true],
    ['another project', { projects: ['other'] }, {}, false],
    ['no project', { projects: ['slug1'] }, { projects: [] }, false],
    ['a label', { labels: { include: ['bug'] } }, {}, true],
    ['another label', { labels: { include: ['other'] } }, {}, false],
    ['an excluded label', { labels: { include: ['bug'], exclude: ['label-1'] } }, {}, false],
    ['a state', { states: ['started'] }, {}, true],
    ['another state', { states: ['completed'] }, {}, false],
    ['what changed since', { since: '2026-05-01' }, {}, true],
    ['what did not change since', { since: '2026-05-02' }, {}, false],
    ['archived', {}, { archived: true }, false],
    ['archived, which is included', { includeArchived: true }, { archived: true }, true],
    ['trash', { includeArchived: true }, { trashed: true }, false],
  ])('decides about an issue: %s', (_, scope, facts, expected) => {
    expect(admits(scope, facts)).toBe(expected);
  });

  it('admits what belongs to no team if it names all of them', () => {
    const facts = { teams: [], projects: [], labels: [], state: undefined };
    expect([admits({}, facts, document), admits({ teams: ['ENG'] }, facts, document)]).toEqual([true, false]);
    expect(admits({ teams: ['ENG'] }, facts, labelKind)).toBe(true);
    expect(admits({ teams: ['ENG'] }, facts, user)).toBe(true);
  });

  it('limits issues, not what they refer to, by labels, states, projects and dates', () => {
    const scope = {
      projects: ['x'],
      states: ['completed'],
      labels: { include: ['x'] },
      since: '2999-01-01',
    };
    const label = { state: undefined, labels: [], projects: [] };
    expect(admits(scope, label, labelKind)).toBe(true);
  });

  it('has the families that the content names', () => {
    expect(namesIn(configured({}, { documents: false, projectUpdates: false }))).toEqual([
      'team',
      'user',
      'issue-label',
      'project',
      'initiative',
      'cycle',
      'issue',
    ]);
  });
});

describe('teams that a scope names in vain', () => {
  it.each<[object, string | undefined]>([
    [{ teams: ['*'] }, undefined],
    [{ teams: ['eng', 'TEAM-1'] }, undefined],
    [{ teams: ['ENG', 'NGE', 'x\u001b[2J'] }, 'the account shows no team NGE, x[2J'],
    [{ teams: ['OPS'], includePrivateTeams: true }, undefined],
    [
      { teams: ['OPS', 'SEC', 'X'] },
      'the account shows no team X; includePrivateTeams is off, and OPS, SEC is private',
    ],
    [{ teams: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, 'the account shows no team a, b, c, d, e and 2 more'],
  ])('are named: %j', (scope, reason) => {
    expect(missingTeams(configured(scope), teams)).toBe(reason);
  });
});

describe('a changed configuration', () => {
  const all = namesIn(configured());

  it.each<[string, object, object, unknown]>([
    ['nothing', {}, {}, []],
    ['fewer teams', { teams: ['A', 'B'] }, { teams: ['a'] }, []],
    ['a project in place of all', {}, { projects: ['x'] }, []],
    ['a later date', { since: '2025-01-01' }, { since: '2026-01-01' }, []],
    ['another excluded label', {}, { labels: { exclude: ['x'] } }, []],
    ['all projects in place of one', { projects: ['x'] }, {}, all],
    ['another project', { projects: ['x'] }, { projects: ['y'] }, all],
    ['another state', { states: ['started'] }, { states: ['started', 'triage'] }, all],
    ['no date', { since: '2025-01-01' }, {}, all],
    ['a label that is no longer excluded', { labels: { exclude: ['x'] } }, {}, all],
    ['archived ones', {}, { includeArchived: true }, all],
    ['private teams', {}, { includePrivateTeams: true }, all],
  ])('adds what was out of scope: %s', (_, former, next, expected) => {
    expect(widenedBy(configured(former), configured(next))).toEqual({ families: expected });
  });

  it('adds the new teams alone', () => {
    const added = widenedBy(configured({ teams: ['A'] }), configured({ teams: ['a', 'B'] }));
    expect(added).toEqual({ families: all, added: ['B'] });
  });

  it('reads customers again if another scope may admit other requests of them', () => {
    const content = { customerRequests: true };
    const [former, next] = [configured({}, content), configured({ teams: ['ENG'] }, content)];
    expect(widenedBy(former, next)).toEqual({ families: ['customer'] });
    expect(widenedBy(former, former)).toEqual({ families: [] });
  });

  it('adds the new families alone', () => {
    expect(widenedBy(configured({}, { cycles: false }), configured())).toEqual({ families: ['cycle'] });
  });

  it('renders everything again if the files have other content', () => {
    expect(widenedBy(configured(), configured({}, { comments: false }))).toBe('rendering');
  });
});
