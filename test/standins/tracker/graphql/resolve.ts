import {
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import type { Row, Workspace } from '../model.ts';
import { notFound } from './errors.ts';
import { matches } from './filter.ts';
import { type PageArguments, pageOf } from './pages.ts';

type Arguments = PageArguments & {
  readonly id?: string;
  readonly filter?: Readonly<Record<string, unknown>> | null;
  readonly includeArchived?: boolean | null;
  readonly includeDisabled?: boolean | null;
};

/** Lists whose items do not name the entity by `<entity>Id`. */
const listFields: Readonly<Record<string, (row: Row, workspace: Workspace) => readonly Row[]>> = {
  'Issue.labels': (row, w) => rowsOf(w, 'IssueLabel', row['labelIds']),
  'Issue.children': (row, w) => w.all('Issue').filter((one) => one['parentId'] === row.id),
  'Issue.inverseRelations': (row, w) =>
    w.all('IssueRelation').filter((one) => one['relatedIssueId'] === row.id),
  'Project.teams': (row, w) => rowsOf(w, 'Team', row['teamIds']),
  'Project.accessibleTeams': (row, w) => rowsOf(w, 'Team', row['teamIds']),
  'Project.members': (row, w) => rowsOf(w, 'User', row['memberIds']),
  'Project.labels': (row, w) => rowsOf(w, 'ProjectLabel', row['labelIds']),
  'Project.initiatives': (row, w) =>
    w.all('Initiative').filter((one) => (one['projectIds'] as string[]).includes(row.id)),
  'ReleasePipeline.teams': (row, w) => rowsOf(w, 'Team', row['teamIds']),
  'Initiative.projects': (row, w) => rowsOf(w, 'Project', row['projectIds']),
};

/** Fields of filters that are no fields of the entity. */
const filterOnly: Readonly<Record<string, string>> = { accessibleTeams: 'Team' };

/** Types of references whose field has another name. */
const referenceTypes: Readonly<Record<string, string>> = {
  assignee: 'User',
  creator: 'User',
  updatedBy: 'User',
  lead: 'User',
  owner: 'User',
  relatedIssue: 'Issue',
  parentInitiative: 'Initiative',
};

export type BeforeField = (row: Row, field: string) => void;

/** Returns the resolver of every field: rows and references by their names, lists with filters and pages. */
export function fieldResolver(
  workspace: Workspace,
  beforeField: BeforeField,
): GraphQLFieldResolver<unknown, unknown> {
  return (source, rawArguments, _context, info) => {
    const given = rawArguments as Arguments;
    if (source === undefined || source === null) return resolveRoot(workspace, given, info);
    const row = source as Row;
    if (row.typename === undefined) return (source as Record<string, unknown>)[info.fieldName];
    beforeField(row, info.fieldName);
    const named = getNamedType(info.returnType).name;
    if (named.endsWith('Connection')) {
      const rows = listOf(workspace, row, info.fieldName, named.replace(/Connection$/, ''));
      return page(workspace, rows, given, info);
    }
    return valueOf(workspace, row, info.fieldName, info.returnType);
  };
}

function resolveRoot(workspace: Workspace, given: Arguments, info: GraphQLResolveInfo): unknown {
  const { name } = getNamedType(info.returnType);
  if (info.fieldName === 'viewer') return workspace.viewer;
  if (info.fieldName === 'organization') return workspace.organization;
  if (name.endsWith('Connection')) {
    return page(workspace, workspace.all(name.replace(/Connection$/, '')), given, info);
  }
  const isNamed = ({ id, identifier, slugId }: Row): boolean =>
    [id, identifier, slugId].includes(given.id) && given.id !== undefined;
  const row = workspace.all(name).find(isNamed);
  if (row === undefined || !workspace.isVisible(row)) throw notFound(name);
  return row;
}

function page(workspace: Workspace, rows: readonly Row[], given: Arguments, info: GraphQLResolveInfo) {
  const { filter, includeArchived, includeDisabled } = given;
  const field = info.parentType.getFields()[info.fieldName];
  const filterType = field?.args.find(({ name }) => name === 'filter')?.type;
  const isListed = (row: Row): boolean => {
    if (!workspace.isVisible(row)) return false;
    if (row.archivedAt !== null && includeArchived !== true) return false;
    if (row.typename === 'User' && row['active'] === false && includeDisabled !== true) return false;
    if (filter === undefined || filter === null || filterType === undefined) return true;
    return matches(row, filter, filterType, (one, name) => follow(workspace, one, name));
  };
  return pageOf(rows, isListed, given);
}

function follow(workspace: Workspace, row: Row, field: string): unknown {
  if (field in row) return row[field];
  const type = filterOnly[field];
  const key = `${row.typename}.${field}`;
  if (type !== undefined || key in listFields) return listOf(workspace, row, field, type ?? '');
  return referenceOf(workspace, row, field) ?? null;
}

function listOf(workspace: Workspace, row: Row, field: string, itemType: string): readonly Row[] {
  const known = listFields[`${row.typename}.${field}`];
  if (known !== undefined) return known(row, workspace);
  const reference = `${row.typename.charAt(0).toLowerCase()}${row.typename.slice(1)}Id`;
  return workspace.all(itemType).filter((one) => one[reference] === row.id);
}

function valueOf(workspace: Workspace, row: Row, field: string, type: GraphQLOutputType): unknown {
  if (field in row) return row[field];
  if (field === 'organization') return workspace.organization;
  if (isListType(getNullableType(type)) || !isObjectType(getNamedType(type))) return null;
  return referenceOf(workspace, row, field, getNamedType(type).name) ?? null;
}

function referenceOf(workspace: Workspace, row: Row, field: string, typeName?: string): Row | undefined {
  const parentType = field === 'parent' ? row.typename : undefined;
  const type =
    typeName ??
    parentType ??
    referenceTypes[field] ??
    { state: 'WorkflowState', status: `${row.typename}Status` }[field] ??
    `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const found = workspace.get(type, row[`${field}Id`]);
  return found === undefined || !workspace.isVisible(found) ? undefined : found;
}

function rowsOf(workspace: Workspace, type: string, ids: unknown): readonly Row[] {
  return (ids as readonly string[]).flatMap((id) => workspace.get(type, id) ?? []);
}
