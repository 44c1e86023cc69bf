import type { VNode } from 'preact';
import { relatedEntities, searchEntities } from '../../../features/knowledge/ask-graph.ts';
import { entityKinds } from '../../../features/mirror/format/record-kind.ts';
import { InvalidInput, NotFound } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import type { AppPage, AppView, Visit } from '../app/app-page.ts';
import { entityAddress } from '../files/file-address.ts';
import { selectField } from '../kit/forms/choice-fields.ts';
import { button, textField } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { name } from '../kit/html/name.ts';
import { empty, nextPage, pageHeading, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { entityView, mirroredRecord, unknownEntityView } from './entity-view.ts';

/** Maximum number of neighbours on the page. */
const maxNeighbours = 60;

/**
 * The search of the knowledge graph, and the page of an entity: its neighbours as a drawing and as a table with
 * reasons.
 */
export const entityPages: readonly AppPage[] = [
  {
    method: 'GET',
    path: '/entities',
    role: 'member',
    section: 'Search',
    handle: async (visit, context) => visit.show(await listEntities(visit, context)),
  },
  {
    method: 'GET',
    path: '/entities/:key',
    role: 'member',
    section: 'Search',
    async handle(visit, context) {
      const entityKey = visit.param('key');
      const question = { entity: entityKey, direction: 'both', depth: 1, limit: maxNeighbours } as const;
      const asked = relatedEntities(context.knowledge, visit.scope, question, visit.signal);
      const related = await asked.catch(orUndefined((error) => error instanceof NotFound));
      const entity = related?.nodes.find((node) => node.key === related.key);
      if (related === undefined || entity === undefined) return visit.show(unknownEntityView(visit));
      const { key, nodes, edges, truncated } = related;
      const neighbours = nodes.filter((node) => node.key !== key);
      const mirrored = await mirroredRecord(visit, context, entity);
      return visit.show(entityView(visit, { entity, neighbours, edges, truncated, mirrored }));
    },
  },
];

type Found = Awaited<ReturnType<typeof searchEntities>>;

/** Returns the kinds that people look for by name; the search without one finds all kinds. */
function kindsOf({ knowledge }: PageContext): readonly string[] {
  const ofRecords = knowledge.records.flatMap(({ kinds }) => entityKinds(kinds));
  return [...new Set(['symbol', 'file', 'commit', 'pr', 'person', ...ofRecords])];
}

const limit = 50;

interface Query {
  readonly text: string;
  readonly kind: string | undefined;
}

interface Result {
  readonly found?: Found;
  readonly error?: string;
}

/** Finds entities of the knowledge graph by name. */
async function listEntities(visit: Visit, context: PageContext): Promise<AppView> {
  const query = { text: visit.query('q')?.trim() ?? '', kind: visit.query('kind') };
  const show = (result: Result) => entityListView(visit, kindsOf(context), query, result);
  const { text, kind } = query;
  if (text === '') return show({});
  const kinds = kind === undefined ? undefined : [kind];
  const search = { text, kinds, limit, cursor: visit.query('cursor') };
  try {
    return show({ found: await searchEntities(context.knowledge, visit.scope, search) });
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return show({ error: error.message });
  }
}

function entityListView(
  visit: Visit,
  kinds: readonly string[],
  query: Query,
  { found, error }: Result,
): AppView {
  return {
    title: 'Knowledge graph',
    status: error === undefined ? 200 : 400,
    content: [
      pageHeading('Knowledge graph'),
      el(
        'form',
        { method: 'get', action: visit.path('/entities'), class: 'filters', role: 'search' },
        textField({
          name: 'q',
          label: 'Name',
          hint: 'The beginning of a name, or words of it.',
          type: 'search',
          autocomplete: 'off',
          value: query.text,
          error,
        }),
        selectField({
          name: 'kind',
          label: 'Kind',
          value: query.kind ?? '',
          options: [{ value: '', label: 'any' }, ...kinds.map((kind) => ({ value: kind, label: kind }))],
        }),
        button('Find', { primary: true }),
      ),
      found && results(visit, query, found),
    ],
  };
}

function results(visit: Visit, { text, kind }: Query, { items, nextCursor }: Found): VNode {
  const next = new URLSearchParams({
    q: text,
    ...(kind !== undefined && { kind }),
    cursor: nextCursor ?? '',
  });
  return el(
    'div',
    { class: 'card' },
    items.length === 0
      ? empty(el('p', null, 'No entity has such a name. Try its beginning, or another kind.'))
      : table({
          caption: 'Entities',
          columns: ['Name', 'Kind', 'Repository'],
          rows: items.map((entity) => [
            el('a', { href: entityAddress(visit, entity.key) }, name(entity.name, 300)),
            entity.kind,
            entity.repository === null ? '' : name(entity.repository),
          ]),
        }),
    nextPage(nextCursor === null ? undefined : visit.path(`/entities?${next}`)),
  );
}
