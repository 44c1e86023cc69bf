import { listed } from '../../../foundation/kernel/text/listed.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import type { Sentence, Statements } from '../answer/statements.ts';
import { inlineCode } from '../text/markdown.ts';
import type { Inquiry } from './inquiry.ts';
import { minuteOf } from './minute-of.ts';

const maxListed = 20;

/** Kinds of records that are counted, as people call many of them. */
const counted = { issue: 'issues', incident: 'incidents', document: 'documents', commit: 'commits' } as const;

/** Answers questions about the service from its records: which repositories are searchable, and how fresh they are. */
export async function answerService({ ranked, view, scope }: Inquiry): Promise<Statements> {
  const { repositories, named } = ranked;
  const shown = named.length > 0 ? named : repositories;
  const oldest = Math.min(...shown.map(({ indexedAt }) => indexedAt));
  const { nodes } = await view.graph.stats(scope);
  const records = Object.entries(counted).flatMap(([kind, name]) => {
    const count = nodes[kind as keyof typeof counted] ?? 0;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  const verb = shown.length === 1 ? 'repository is' : 'repositories are';
  return {
    lead: [
      [
        `${shown.length} ${verb} searchable: ${names(shown)}. `,
        `The oldest index is from ${minuteOf(oldest)}.`,
      ],
    ],
    reasons: [
      ...shown
        .slice(0, maxListed)
        .map(
          ({ name, indexedCommit, indexedAt, indexedBranches }): Sentence => [
            `${inlineCode(name)}: commit ${shortCommit(indexedCommit)}, indexed ${minuteOf(indexedAt)}` +
              (indexedBranches.length > 1 ? `, ${indexedBranches.length} branches` : ''),
          ],
        ),
      ...(records.length === 0 ? [] : [[`The knowledge graph has ${records.join(', ')}.`]]),
    ],
    sources: [],
    notes:
      shown.length > maxListed
        ? ['`orgctx repo list` and the tool `list_repositories` show all of them.']
        : [],
  };
}

function names(repositories: readonly { readonly name: string }[]): string {
  return listed(
    repositories.map(({ name }) => inlineCode(name)),
    5,
  );
}
