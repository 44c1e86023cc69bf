import type { MirroredRecord, RecordType } from './record.ts';
import { safeName } from './safe-name.ts';

/** The folders of the files of each family. A title is never part of a path. */
const patterns: readonly (readonly [RecordType, RegExp])[] = [
  ['issue', /^tracker\/issues\/[^/]+\/[^/]+\.md$/u],
  ['document', /^tracker\/documents\/[^/]+\.md$/u],
  ['project', /^tracker\/projects\/[^/]+\/project\.md$/u],
  ['projectUpdate', /^tracker\/projects\/[^/]+\/updates\/[^/]+\.md$/u],
  ['initiative', /^tracker\/initiatives\/[^/]+\/initiative\.md$/u],
  ['initiativeUpdate', /^tracker\/initiatives\/[^/]+\/updates\/[^/]+\.md$/u],
  ['cycle', /^tracker\/cycles\/[^/]+\/[^/]+\.md$/u],
  ['customer', /^tracker\/customers\/[^/]+\.md$/u],
  ['labels', /^tracker\/labels\.yaml$/u],
  ['users', /^tracker\/users\.yaml$/u],
  ['teams', /^tracker\/teams\.yaml$/u],
  ['incident', /^oncall\/incidents\/[^/]+\/[^/]+\/[^/]+\.md$/u],
  ['services', /^oncall\/services\.yaml$/u],
];

/** Returns the family of the files at a path; `undefined` for configuration, assets and files of people. */
export function recordTypeAt(path: string): RecordType | undefined {
  return patterns.find(([, pattern]) => pattern.test(path))?.[0];
}

/** Returns the path of a record, from the root of the context repository. */
export function recordPath(record: MirroredRecord): string {
  switch (record.type) {
    case 'issue':
      return `tracker/issues/${upper(record.team)}/${upper(record.identifier)}.md`;
    case 'document':
      return `tracker/documents/${lower(record.slug)}.md`;
    case 'project':
      return `tracker/projects/${lower(record.slug)}/project.md`;
    case 'projectUpdate':
      return `tracker/projects/${lower(record.project)}/updates/${updateName(record)}.md`;
    case 'initiative':
      return `tracker/initiatives/${lower(record.slug)}/initiative.md`;
    case 'initiativeUpdate':
      return `tracker/initiatives/${lower(record.initiative)}/updates/${updateName(record)}.md`;
    case 'cycle':
      return `tracker/cycles/${upper(record.team)}/${record.number}.md`;
    case 'customer':
      return `tracker/customers/${lower(record.slug)}.md`;
    case 'incident':
      return `oncall/incidents/${record.createdAt.slice(0, 7).replace('-', '/')}/${upper(record.id)}.md`;
    case 'services':
      return 'oncall/services.yaml';
    case 'labels':
    case 'users':
    case 'teams':
      return `tracker/${record.type}.yaml`;
  }
}

const upper = (text: string) => safeName(text, 'upper');
const lower = (text: string) => safeName(text, 'lower');

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u;

/**
 * The day of an update and the first eight digits of its UUID; other ids are not shortened, because they may be equal.
 */
function updateName({ id, createdAt }: { readonly id: string; readonly createdAt: string }): string {
  return lower(`${createdAt.slice(0, 10)}-${uuid.test(id) ? id.slice(0, 8) : id}`);
}
