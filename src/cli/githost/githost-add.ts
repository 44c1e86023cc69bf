import { gitProviders } from '../../app/open/git-providers.ts';
import { OrgctxError } from '../../foundation/kernel/errors.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { type Parameter, requiredChoice, text } from '../frame/parameters.ts';
import { flagName } from '../frame/read-command-line.ts';
import { readSecret } from '../frame/read-secret.ts';
import { UsageError } from '../frame/usage-error.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { githostInWords, nextStepOf, remoteGithost } from './remote-githost.ts';

type Field = (typeof gitProviders)[number]['fields'][number];

/** The fields of all kinds, in the order of the registry; of two with one name the first describes it. */
const fields = [
  ...new Map(
    gitProviders
      .flatMap((provider) => provider.fields)
      .toReversed()
      .map((field) => [field.name, field]),
  ).values(),
].toReversed();

/** One flag per field. A secret is read from a file, because `ps` shows flags. */
const fieldFlags: Readonly<Record<string, Parameter<string | undefined>>> = Object.fromEntries(
  fields.map((field) => [
    flagOf(field),
    field.secret
      ? text('file', `file with the ${field.description}; \`-\` reads it from stdin`)
      : text('text', field.description),
  ]),
);

const exampleValues: Readonly<Record<string, string>> = { url: 'https://git.example.com', user: 'bot' };

const kinds = gitProviders.map(({ kind }) => kind);

export const githostAddCommand = defineCommand({
  description:
    'Connects a Git host to the organization, so that its private repositories can be added. The credentials are checked ' +
    'at the host first and stored encrypted.\n\n' +
    gitProviders
      .map(({ kind, title, fields: own }) => {
        const flags = own.map((field) => flagName(flagOf(field)));
        return `${kind}: ${title}. Flags: ${flags.join(', ')}.`;
      })
      .join('\n'),
  args: { kind: requiredChoice(kinds, 'kind of Git host') },
  flags: { name: text('name', 'name of the connection; default: the kind'), ...remoteFlags, ...fieldFlags },
  examples: kinds.map((kind) => exampleOf(kind)),
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const values = await readFields(args.kind, flags, context);
      const body = { kind: args.kind, name: flags.name, ...values };
      const request = { method: 'POST', path: '/githost/connections', body } as const;
      const added = await api.call(request, remoteGithost).catch((error: unknown) => {
        throw confusedUrls(error, args.kind, flags) ?? error;
      });
      const { text: next, ...step } = await nextStepOf(api, added);
      return { json: { ...added, ...step }, text: `${githostInWords(added, context.terminal.out)}\n${next}` };
    }),
});

/** Returns a better error if `--url`, the address of the service, seems to name the Git host. */
function confusedUrls(
  error: unknown,
  kind: string,
  flags: Readonly<Record<string, unknown>>,
): UsageError | undefined {
  const own = gitProviders.find((provider) => provider.kind === kind)?.fields ?? [];
  const takesUrl = own.some(({ name }) => name === 'url') && flags['hostUrl'] === undefined;
  if (!takesUrl || flags['url'] === undefined || !(error instanceof OrgctxError)) return undefined;
  return new UsageError(
    error.message,
    '--url is the address of the orgctx service. Name the Git host with --host-url.',
  );
}

/** Reads the given fields. A required secret without a flag is read from stdin. */
async function readFields(
  kind: string,
  flags: Readonly<Record<string, unknown>>,
  context: CommandContext,
): Promise<Readonly<Record<string, string>>> {
  const own = gitProviders.find((provider) => provider.kind === kind)?.fields ?? [];
  const given = (field: Field): string | undefined => flags[flagOf(field)] as string | undefined;
  const foreign = fields.find((field) => given(field) && !own.some(({ name }) => name === field.name));
  if (foreign) throw new UsageError(`${flagName(flagOf(foreign))} is not for the kind ${kind}.`);
  const wanted = own.filter((field) => given(field) !== undefined || (field.secret && field.required));
  const fromStdin = wanted.filter((field) => field.secret && (given(field) ?? '-') === '-');
  if (fromStdin.length > 1) {
    throw new UsageError('Only one secret can be read from stdin. Give a file for the other.');
  }
  const values: Record<string, string> = {};
  for (const field of wanted) {
    const file = fromStdin.includes(field) ? undefined : given(field);
    const source = { flag: flagName(flagOf(field)), file };
    values[field.name] = field.secret ? await readSecret(context, source) : (given(field) ?? '');
  }
  return values;
}

/** Returns the flag of a field. That of a secret names a file, and `--url` is the address of the service. */
function flagOf({ name, secret }: Field): string {
  if (name === 'url') return 'hostUrl';
  return secret ? `${name}File` : name;
}

function exampleOf(kind: string): string {
  const own = gitProviders.find((provider) => provider.kind === kind)?.fields ?? [];
  const flags = own
    .filter(({ name, required }) => required || (name === 'url' && own.some((field) => field.required)))
    .map((field) => `${flagName(flagOf(field))} ${exampleValues[field.name] ?? `${field.name}.txt`}`);
  return ['orgctx githost add', kind, ...flags].join(' ');
}
