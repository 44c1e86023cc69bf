import type { Row, Workspace } from '../../standins/tracker/model.ts';
import type { Random } from '../connectors/random.ts';

type Change = (workspace: Workspace, random: Random) => void;

/** Applies `act` to a random entity of a type, if there is one. */
function toAny(type: string, act: (row: Row, workspace: Workspace, random: Random) => unknown): Change {
  return (workspace, random) => {
    const row = random.pick(workspace.all(type));
    if (row !== undefined) act(row, workspace, random);
  };
}

const idOf = (workspace: Workspace, random: Random, type: string) => random.pick(workspace.all(type))?.id;

/** A text that links to another entity. */
function textOf(workspace: Workspace, random: Random): string {
  const target = random.pick([...workspace.all('Issue'), ...workspace.all('Document')]);
  return `Text ${random.below(1_000)}, see ${String(target?.['url'])}`;
}

const addIssue: Change = (workspace, random) => {
  workspace.add('Issue', {
    teamId: idOf(workspace, random, 'Team'),
    projectId: random.below(2) === 0 ? null : idOf(workspace, random, 'Project'),
    labelIds: [idOf(workspace, random, 'IssueLabel')].filter(Boolean),
    description: textOf(workspace, random),
  });
};

const addComment = toAny('Issue', ({ id: issueId }, workspace, random) => {
  workspace.add('Comment', { issueId, userId: workspace.viewer.id, body: textOf(workspace, random) });
});

/** What can happen in a workspace. Frequent changes stand here several times. */
const changes: readonly Change[] = [
  addIssue,
  addIssue,
  addComment,
  addComment,
  toAny('Issue', (row, w, r) => w.update(row, { title: `Title ${r.below(1_000)}` })),
  toAny('Issue', (row, w, r) => w.update(row, { description: textOf(w, r) })),
  toAny('Issue', (row, w, r) => w.update(row, { parentId: idOf(w, r, 'Issue') })),
  toAny('Issue', (row, w) => w.trash(row)),
  toAny('Issue', (row, w) => w.restore(row)),
  toAny('Issue', (row, w) => w.archive(row)),
  toAny('Issue', (row, w) => w.purge(row)),
  toAny('Issue', (row, w, r) => {
    const team = r.pick(w.all('Team'));
    if (team !== undefined) w.move(row, team);
  }),
  toAny('Comment', (row, w, r) => w.update(row, { body: textOf(w, r) })),
  toAny('Comment', (row, w) => w.purge(row)),
  toAny('Document', (row, w, r) => w.update(row, { content: textOf(w, r) })),
  toAny('Project', (row, w, r) => w.update(row, { name: `Project ${r.below(100)}` })),
  toAny('IssueLabel', (row, w, r) => w.update(row, { name: `Label ${r.below(100)}` }, { quiet: true })),
  toAny('User', (row, w, r) => w.update(row, { name: `User ${r.below(100)}` }, { quiet: true })),
  toAny('Issue', ({ id: issueId }, w, r) => w.add('Attachment', { issueId, title: `File ${r.below(100)}` })),
  toAny('Project', ({ id: projectId }, w, r) => w.add('ProjectUpdate', { projectId, body: textOf(w, r) })),
  toAny('Issue', ({ id: issueId }, w, r) => {
    w.add('CustomerNeed', { issueId, customerId: idOf(w, r, 'Customer'), content: textOf(w, r) });
  }),
  (w, r) => {
    const team = idOf(w, r, 'Team');
    if (team !== undefined && !w.hiddenTeams.delete(team)) w.hiddenTeams.add(team);
  },
];

/** Makes one random change. */
export function changeAnything(workspace: Workspace, random: Random): void {
  random.pick(changes)?.(workspace, random);
}
