import type { Choice, Prompts } from './prompts.ts';

/** A list of the service that is read page by page and can be searched. */
export interface PagedChoices<Item> {
  /** Name of the items, for questions: `repositories`. */
  readonly plural: string;
  load(query: string | undefined, cursor: string | undefined): Promise<LoadedPage<Item>>;
  choiceOf(item: Item): Choice<Item>;
}

interface LoadedPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

type Step<Item> = { readonly item: Item } | 'more' | 'search';

/** Asks for one item. A list of several pages is searched at the service. @throws Interrupted */
export async function choosePaged<Item>(
  prompts: Prompts,
  message: string,
  list: PagedChoices<Item>,
): Promise<Item | undefined> {
  let query: string | undefined;
  let cursor: string | undefined;
  for (;;) {
    const page: LoadedPage<Item> = await list.load(query, cursor);
    if (page.items.length === 0 && query === undefined && cursor === undefined) return undefined;
    const step: Step<Item> =
      page.items.length === 0
        ? 'search'
        : await prompts.choose<Step<Item>>(message, [
            ...page.items.map((item) => ({ ...list.choiceOf(item), value: { item } })),
            ...furtherSteps(page, query),
          ]);
    if (typeof step === 'object') return step.item;
    if (page.items.length === 0) prompts.warn(`No ${list.plural} match.`);
    if (step === 'search') query = (await askQuery(prompts, list.plural)) || undefined;
    cursor = step === 'more' ? (page.nextCursor ?? undefined) : undefined;
  }
}

function furtherSteps(page: LoadedPage<unknown>, query: string | undefined): Choice<'more' | 'search'>[] {
  if (page.nextCursor === null && query === undefined) return [];
  const search: Choice<'search'> = { value: 'search', label: '… search by name' };
  return page.nextCursor === null ? [search] : [{ value: 'more', label: '… next page' }, search];
}

function askQuery(prompts: Prompts, plural: string): Promise<string> {
  return prompts.text(`Part of the name of the ${plural} (empty: all)`, { optional: true });
}

/** Asks for one or more items, over several pages and searches. @throws Interrupted */
export async function chooseManyPaged<Item>(
  prompts: Prompts,
  message: string,
  list: PagedChoices<Item>,
): Promise<readonly Item[]> {
  const chosen = new Map<string, Item>();
  let query: string | undefined;
  let cursor: string | undefined;
  for (;;) {
    const page = await list.load(query, cursor);
    if (page.items.length === 0) prompts.warn(`No ${list.plural} match.`);
    else {
      for (const item of await prompts.chooseMany(message, page.items.map(list.choiceOf))) {
        chosen.set(list.choiceOf(item).label, item);
      }
    }
    const further = furtherSteps(page, query);
    if (further.length === 0 && chosen.size > 0) return [...chosen.values()];
    const done: Choice<'done'> = { value: 'done', label: `Done: ${[...chosen.keys()].join(', ')}` };
    const step = await prompts.choose<'done' | 'more' | 'search'>('Choose further ones?', [
      ...(chosen.size === 0 ? [] : [done]),
      ...(further.length === 0 ? ([{ value: 'search', label: '… search by name' }] as const) : further),
    ]);
    if (step === 'done') return [...chosen.values()];
    if (step === 'search') query = (await askQuery(prompts, list.plural)) || undefined;
    cursor = step === 'more' ? (page.nextCursor ?? undefined) : undefined;
  }
}
