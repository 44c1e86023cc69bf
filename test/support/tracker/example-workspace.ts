import type { Row, Workspace } from '../../standins/tracker/model.ts';

/** A workspace with an entity of every family, in two teams. */
export interface ExampleWorkspace {
  readonly eng: Row;
  readonly ops: Row;
  readonly bug: Row;
  readonly project: Row;
  readonly initiative: Row;
  readonly cycle: Row;
  readonly issue: Row;
  readonly opsIssue: Row;
  readonly comment: Row;
  readonly document: Row;
  readonly update: Row;
  readonly customer: Row;
}

export function fillWorkspace(workspace: Workspace): ExampleWorkspace {
  const eng = workspace.add('Team', { key: 'ENG', name: 'Engineering' });
  const ops = workspace.add('Team', { key: 'OPS', name: 'Operations' });
  const bug = workspace.add('IssueLabel', { name: 'Bug', teamId: eng.id });
  const userId = workspace.viewer.id;
  const project = workspace.add('Project', {
    name: 'Search',
    slugId: 'aaaaaaaaaaaa',
    teamIds: [eng.id],
    memberIds: [userId],
    leadId: userId,
  });
  const initiative = workspace.add('Initiative', { slugId: 'bbbbbbbbbbbb', projectIds: [project.id] });
  const cycle = workspace.add('Cycle', { number: 7, teamId: eng.id });
  const issue = workspace.add('Issue', {
    title: 'Ranking is slow',
    teamId: eng.id,
    labelIds: [bug.id],
    projectId: project.id,
    cycleId: cycle.id,
    assigneeId: userId,
  });
  const opsIssue = workspace.add('Issue', { title: 'Disk is full', teamId: ops.id });
  const comment = workspace.add('Comment', { body: 'Seen twice', issueId: issue.id, userId });
  workspace.add('Attachment', { issueId: issue.id, title: 'Trace' });
  const document = workspace.add('Document', {
    slugId: 'cccccccccccc',
    title: 'Plan',
    projectId: project.id,
  });
  const text = workspace.add('DocumentContent', { documentId: document.id });
  workspace.add('Comment', { body: 'On the plan', documentContentId: text.id, userId });
  const update = workspace.add('ProjectUpdate', { body: 'On track', projectId: project.id });
  workspace.add('Comment', { body: 'Good', projectUpdateId: update.id, userId });
  workspace.add('InitiativeUpdate', { body: 'At risk', initiativeId: initiative.id });
  const customer = workspace.add('Customer', { slugId: 'dddddddddddd', name: 'Umbrella' });
  workspace.add('CustomerNeed', { content: 'Faster, please', issueId: issue.id, customerId: customer.id });
  return { eng, ops, bug, project, initiative, cycle, issue, opsIssue, comment, document, update, customer };
}
