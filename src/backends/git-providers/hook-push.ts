import { z } from 'zod';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import type { HookDelivery, HookEvent, HostRepositoryKey, IgnoredEvent } from './port.ts';

/** The largest delivery that any host sends is 25 MiB. */
export const hookBodyLimit = 25 * 1024 * 1024;

export const repositoryShape = z.object({
  id: z.int().positive(),
  full_name: z.string().regex(/^[^\s/]{1,255}\/[^\s/]{1,255}$/),
});

const commit = z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/);

const pushShape = z.object({
  ref: z.string().max(1_024),
  before: commit,
  after: commit,
  repository: repositoryShape,
  installation: z.object({ id: z.int().positive() }).optional(),
});

/** Reads a push. Hosts differ in `created` and `deleted`, so those follow from the ids of only zeros. */
export function readPush({ body }: HookDelivery): HookEvent {
  const push = readBody(body, pushShape);
  const branch = /^refs\/heads\/(.+)$/s.exec(push.ref)?.[1];
  if (branch === undefined) return ignored('push_of_no_branch');
  return {
    kind: 'push',
    repository: keyOf(push.repository),
    branch,
    before: unlessZero(push.before),
    after: unlessZero(push.after),
    installationId: push.installation === undefined ? undefined : String(push.installation.id),
  };
}

export function keyOf(repository: z.output<typeof repositoryShape>): HostRepositoryKey {
  return { id: String(repository.id), fullName: repository.full_name };
}

/** @throws InvalidInput */
export function readBody<T extends z.ZodType>(body: Buffer, shape: T): z.output<T> {
  const parsed = shape.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  throw new InvalidInput('The body of the delivery cannot be read: it is not an event of this Git host.', {
    cause: parsed.error,
  });
}

/** Returns an ignored event; a name that is not short and plain becomes `unknown`. */
export function ignored(name: string | undefined): IgnoredEvent {
  return { kind: 'ignored', reason: name !== undefined && /^\w{1,40}$/.test(name) ? name : 'unknown' };
}

function unlessZero(id: string): string | undefined {
  return /^0+$/.test(id) ? undefined : id;
}
