import { z } from 'zod';

/** Returns the shape of an id in the payload of a job, which only this program writes. */
export function payloadId<Id extends string>(): z.ZodType<Id> {
  return z.custom<Id>((value) => typeof value === 'string');
}
