import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError, RateLimited } from '../../../foundation/kernel/errors.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { type Note, saveNote } from './sync-store.ts';

/** Attempts after which a family that fails while the provider answers otherwise is left out. */
const maxAttempts = 6;
const prefix = 'family:';

/** Returns the families that the provider does not give out at present, by the notes of the connection. */
export function refusedFamilies(notes: ReadonlyMap<string, Note>): ReadonlySet<string> {
  return new Set(
    [...notes.keys()].flatMap((topic) => (topic.startsWith(prefix) ? topic.slice(prefix.length) : [])),
  );
}

/** Sends a request that does not concern a family. @throws if the connection cannot be used at all */
type Probe = () => Promise<unknown>;

interface RefusalOptions {
  readonly context: JobContext;
  /** The families that the provider did not give out when they were last asked for. */
  readonly refused: ReadonlySet<string>;
  readonly probe: Probe;
  /** Returns the family whose request failed. Default: the one that is read. */
  familyOf?(error: unknown): string | undefined;
  /** Returns whether an error is never that of a family. */
  isOther?(error: unknown): boolean;
}

interface ReadOptions<T> {
  /** Default: that of the job. */
  readonly ask?: Probe;
  /** Returns whether an answer proves that the family is given out, which is refused until then. Default: each does. */
  isProof?(answer: T): boolean;
}

/** The families that a provider refuses, as one job learns of them. */
export type Refusals = ReturnType<typeof openRefusals>;

/** Returns the refusals of a job that begins. */
export function openRefusals({ context, refused: former, probe, familyOf, isOther }: RefusalOptions) {
  const refused = new Set(former);
  const returned = new Set<string>();
  const errors = new Map<string, OrgctxError>();

  async function refusalOf(error: unknown, family: string, ask: Probe): Promise<OrgctxError> {
    const isNone = context.signal.aborted || !(error instanceof OrgctxError) || error instanceof RateLimited;
    if (isNone || isOther?.(error) === true) throw error;
    const isOver =
      isPermanent(error) ||
      former.has(family) ||
      context.attempt >= Math.min(maxAttempts, context.maxAttempts);
    if (!isOver) throw error;
    await ask();
    return error;
  }

  return {
    /** The families that the provider does not give out at present, those included that refused this job. */
    refused: refused as ReadonlySet<string>,
    /** The families that it gave out to this job, and had refused before. What was read without them differs. */
    returned: returned as ReadonlySet<string>,

    /**
     * Reads what belongs to a family. Returns `undefined` if the provider refuses the family, or fails to answer in
     * several attempts, while it answers `ask`. If it refuses another family that is needed, `read` is called again and
     * must do without that one. @throws every other error
     */
    async orRefused<T>(
      family: string,
      read: () => Promise<T>,
      { ask = probe, isProof = () => true }: ReadOptions<T> = {},
    ): Promise<T | undefined> {
      for (;;) {
        try {
          const result = await read();
          if (isProof(result) && !errors.has(family) && refused.delete(family)) returned.add(family);
          return result;
        } catch (error) {
          const failed = familyOf?.(error) ?? family;
          const isRepeated = errors.has(failed);
          errors.set(failed, await refusalOf(error, failed, ask));
          refused.add(failed);
          returned.delete(failed);
          if (failed === family || isRepeated) return undefined;
        }
      }
    },

    /** Saves what was learned, in the transaction of the changes of the job. */
    async save({ tx, connectionId, now: at }: EntityStore): Promise<void> {
      for (const family of returned) await saveNote(tx, connectionId, `${prefix}${family}`, undefined);
      for (const [family, error] of errors) {
        const message = `The provider does not give out ${family}, which is left out; everything else is mirrored. ${error.message}`;
        await saveNote(tx, connectionId, `${prefix}${family}`, { code: 'family_skipped', message, at });
      }
    },
  };
}
