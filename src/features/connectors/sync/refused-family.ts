import type { Queries } from '../../../foundation/db/database.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError, RateLimited } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { type Note, saveNote } from './notes.ts';

/** Attempts after which a family that fails while the provider answers otherwise is left out. */
const maxAttempts = 6;
const prefix = 'family:';

/** Returns the families that the provider does not give out at present, by the notes of the connection. */
export function refusedFamilies(notes: ReadonlyMap<string, Note>): ReadonlySet<string> {
  return new Set(
    [...notes.keys()].flatMap((topic) => (topic.startsWith(prefix) ? topic.slice(prefix.length) : [])),
  );
}

/** Describes the family whose request failed. */
export interface FamilyFailure {
  readonly context: JobContext;
  /** True if its note says so already. */
  readonly isNoted: boolean;
  /** Sends a request that does not concern the family. @throws if the connection cannot be used at all */
  probe(): Promise<unknown>;
}

/**
 * Returns the error of one family that the provider refuses, or fails to answer in several attempts, while it answers
 * others. @throws every other error, and that of the probe
 */
export async function refusalOf(
  error: unknown,
  { context, isNoted, probe }: FamilyFailure,
): Promise<OrgctxError> {
  if (context.signal.aborted || !(error instanceof OrgctxError) || error instanceof RateLimited) throw error;
  const isOver =
    isPermanent(error) || isNoted || context.attempt >= Math.min(maxAttempts, context.maxAttempts);
  if (!isOver) throw error;
  await probe();
  return error;
}

/** Saves that a family is left out, or with `undefined` that it is read again. */
export async function saveRefusal(
  tx: Queries,
  connectionId: ConnectionId,
  family: string,
  refusal: { readonly error: OrgctxError; readonly at: number } | undefined,
): Promise<void> {
  const note = refusal && {
    code: 'family_skipped',
    message: `The provider does not give out ${family}, which is left out; everything else is mirrored. ${refusal.error.message}`,
    at: refusal.at,
  };
  await saveNote(tx, connectionId, `${prefix}${family}`, note);
}
