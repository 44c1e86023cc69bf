import { gitProviders } from '../../app/open/git-providers.ts';
import { flagOf } from '../../features/githosts/githost-connection.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { flagName } from '../../foundation/kernel/text/flag-name.ts';
import { fieldName, pointerTo } from '../../foundation/kernel/wire/json-pointer.ts';
import type { CommandContext } from '../frame/context.ts';
import { type Parameter, text } from '../frame/parameters.ts';
import { readSecret } from '../frame/read-secret.ts';
import { UsageError } from '../frame/usage-error.ts';

/** A field of a kind of Git host. */
export type HostField = (typeof gitProviders)[number]['fields'][number];

/** Returns the fields of a kind; none of a kind that this version does not know. */
export function fieldsOf(kind: string): readonly HostField[] {
  return gitProviders.find((provider) => provider.kind === kind)?.fields ?? [];
}

/** Returns one flag for each field of all kinds. A secret is read from a file, because `ps` shows flags. */
export function hostFlags(
  isTaken: (field: HostField) => boolean,
): Readonly<Record<string, Parameter<string | undefined>>> {
  const fields = gitProviders.flatMap((provider) => provider.fields).filter(isTaken);
  return Object.fromEntries(
    fields.map((field) => {
      const description = describe(field.name);
      return [
        flagOf(field),
        field.secret ? text('file', `file, or \`-\` for stdin. ${description}`) : text('text', description),
      ];
    }),
  );
}

/** Describes a field, for each kind if the kinds differ. */
function describe(name: string): string {
  const descriptions = gitProviders.flatMap(({ kind, fields }) =>
    fields.flatMap((field) => (field.name === name ? [`${kind}: ${field.description}`] : [])),
  );
  return descriptions.join('; ');
}

/**
 * Reads the given fields of a kind. A secret of `fromStdin` without a flag is read from stdin.
 * @throws UsageError for a flag of another kind, and for two secrets from stdin
 */
export async function readFields(
  kind: string,
  flags: Readonly<Record<string, unknown>>,
  context: CommandContext,
  fromStdin: (field: HostField) => boolean,
): Promise<Readonly<Record<string, string>>> {
  const own = fieldsOf(kind);
  const given = (field: HostField): string | undefined => flags[flagOf(field)] as string | undefined;
  const foreign = gitProviders
    .flatMap((provider) => provider.fields)
    .find((field) => given(field) && !own.some(({ name }) => name === field.name));
  if (foreign) throw new UsageError(`${flagName(flagOf(foreign))} is not for the kind ${kind}.`);
  const wanted = own.filter((field) => given(field) !== undefined || (field.secret && fromStdin(field)));
  const piped = wanted.filter((field) => field.secret && (given(field) ?? '-') === '-');
  if (piped.length > 1) {
    throw new UsageError('Only one secret can be read from stdin. Give a file for the other.');
  }
  const values: Record<string, string> = {};
  for (const field of wanted) {
    const file = piped.includes(field) ? undefined : given(field);
    const source = { flag: flagName(flagOf(field)), file };
    values[field.name] = field.secret ? await readSecret(context, source) : (given(field) ?? '');
  }
  return values;
}

/** Returns an error of the service that names the flags of this command in place of the fields of its request. */
export function withFlags(error: unknown, kind: string): unknown {
  if (!(error instanceof InvalidInput)) return error;
  const flags = new Map(fieldsOf(kind).map((field) => [field.name, flagName(flagOf(field))]));
  const message = error.message.replaceAll(/`(\w+)`/g, (quoted, name: string) => flags.get(name) ?? quoted);
  const errors = error.errors.map(({ path, message: why }) => {
    const flag = flags.get(fieldName(path));
    return { path: flag === undefined ? path : pointerTo([flag]), message: why };
  });
  return new InvalidInput(message, { code: error.code, errors, cause: error });
}
