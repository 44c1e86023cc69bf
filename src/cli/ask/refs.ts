import type { z } from 'zod';
import { referenceKinds } from '../../features/references/line-kind.ts';
import { referencePageRecord } from '../../features/references/reference-record.ts';
import { lineOf, summaryOf } from '../../features/references/reference-text.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { choice, integer, repeated, requiredText, text, toggle } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { tolerant } from '../remote/tolerant.ts';

const referencePage = tolerant(referencePageRecord);
type Page = z.output<typeof referencePage>;

/** Returns whether a word is an address or a key, and no name. */
function isAddress(word: string): boolean {
  return /^(?:ctx:\/\/|symbol:)/.test(word) || (word.includes('/') && /:\d+(?:-\d*)?$/.test(word));
}

const maxPageLength = 200;

export const refsCommand = defineCommand({
  description:
    'Lists every use of a name in the indexed code: certain ones, possible ones, and lines that only have its text. ' +
    'With the address of a definition, lines that mean another one are left out and counted.',
  args: {
    name: requiredText(
      'name',
      'a name, such as renew or Lease.renew, or the address of its definition, repository/path:10',
    ),
  },
  flags: {
    repository: repeated('name', 'only this repository; may be repeated'),
    kind: choice(referenceKinds, 'only lines that use the name in this way'),
    limit: integer('count', 'maximum number of lines; default: 50', [1, maxPageLength]),
    cursor: text('cursor', 'cursor of the next page, as printed with the previous one'),
    all: toggle('fetch all pages'),
    ...remoteFlags,
  },
  examples: [
    'orgctx refs renewLease',
    'orgctx refs service/src/lease.ts:12 --kind call',
    'orgctx refs Lease.renew --repository service --all --json',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { kind, all, cursor } = flags;
      const repositories = flags.repository.length === 0 ? undefined : flags.repository.join(',');
      const limit = flags.limit ?? (all ? maxPageLength : undefined);
      const asked = isAddress(args.name) ? { address: args.name } : { name: args.name };
      const query = { ...asked, repositories, kind, limit, cursor };
      const call = (next: string | undefined): Promise<Page> =>
        api.call({ path: '/references', query: { ...query, cursor: next } }, referencePage);
      const first = await call(cursor);
      const page = all ? await withRest(first, call) : first;
      const { nextCursor } = page;
      const notes = [
        ...page.notices.map(visibleLine),
        ...(nextCursor ? [`More lines are available: --cursor ${visibleLine(nextCursor)} (or --all)`] : []),
      ];
      return {
        json: page,
        text: [summaryOf(page), ...page.items.map((item) => lineOf(item))].join('\n'),
        notes,
      };
    }),
});

/** Fetches the pages after `first` and merges them into one. */
async function withRest(first: Page, call: (cursor: string) => Promise<Page>): Promise<Page> {
  let page = first;
  while (page.nextCursor) {
    const next = await call(page.nextCursor);
    page = { ...next, items: [...page.items, ...next.items] };
  }
  return page;
}
