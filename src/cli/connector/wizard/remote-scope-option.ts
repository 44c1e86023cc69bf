import { z } from 'zod';

/** Something that a scope can name, as the service lists it. */
export const remoteScopeOption = z.looseObject({
  id: z.string(),
  kind: z.string(),
  name: z.string(),
  key: z.string().nullish(),
  description: z.string().nullish(),
});
