import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError, RateLimited } from '../../../foundation/kernel/errors.ts';
import type { EntityStore } from '../entities/open-entity-store.ts';
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

/** The families that a provider refuses, as one job learns of them. */
export interface Refusals {
  /** The families that the provider does not give out at present, those included that refused this job. */
  readonly refused: ReadonlySet<string>;
  /**
   * Reads what belongs to a family. Returns `undefined` if the provider refuses the family, or fails to answer in several
   * attempts, while it answers `probe`. If it refuses another family that is needed, `read` is called again and must do
   * without that one. @throws every other error
   */
  orRefused<T>(family: string, read: () => Promise<T>, probe?: Probe): Promise<T | undefined>;
  /** Records that a family is given out, unless it refused this job. Returns whether it was refused before. */
  given(family: string): boolean;
  /** Saves what was learned, in the transaction of the changes of the job. */
  save(store: Pick<EntityStore, 'tx' | 'connectionId' | 'now'>): Promise<void>;
}

/** Returns the refusals of a job that begins. */
export function openRefusals(options: RefusalOptions): Refusals {
  const { context, refused: former, familyOf, isOther } = options;
  const refused = new Set(former);
  const learned = new Map<string, OrgctxError | undefined>();

  async function refusalOf(error: unknown, family: string, probe: Probe): Promise<OrgctxError> {
    const isNone = context.signal.aborted || !(error instanceof OrgctxError) || error instanceof RateLimited;
    if (isNone || isOther?.(error) === true) throw error;
    const isOver =
      isPermanent(error) ||
      former.has(family) ||
      context.attempt >= Math.min(maxAttempts, context.maxAttempts);
    if (!isOver) throw error;
    await probe();
    return error;
  }

  return {
    refused,
    async orRefused(family, read, probe = options.probe) {
      for (;;) {
        try {
          return await read();
        } catch (error) {
          const failed = familyOf?.(error) ?? family;
          const isRepeated = learned.get(failed) !== undefined;
          learned.set(failed, await refusalOf(error, failed, probe));
          refused.add(failed);
          if (failed === family || isRepeated) return undefined;
        }
      }
    },
    given(family) {
      if (learned.get(family) !== undefined) return false;
      learned.set(family, undefined);
      refused.delete(family);
      return former.has(family);
    },
    async save({ tx, connectionId, now }) {
      for (const [family, error] of learned) {
        if (error === undefined && !former.has(family)) continue;
        const note = error && {
          code: 'family_skipped',
          message: `The provider does not give out ${family}, which is left out; everything else is mirrored. ${error.message}`,
          at: now,
        };
        await saveNote(tx, connectionId, `${prefix}${family}`, note);
      }
    },
  };
}
